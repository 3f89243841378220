import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { SkillVersion } from '../../../../src/dashboard/contract/skill.js'
import { Badge, type BadgeTone } from '../../parts/badge.js'
import { points, visibleLine } from '../../parts/format.js'

/** All versions in order of creation, including rejected candidates. */
export function Timeline({
  versions,
  shown,
  hrefOf,
}: {
  readonly versions: readonly SkillVersion[]
  readonly shown: string
  readonly hrefOf: (id: string) => string
}) {
  const current = useRef<HTMLLIElement>(null)
  useEffect(() => {
    const item = current.current
    const box = item?.parentElement
    if (item && box)
      box.scrollLeft = item.offsetLeft - box.offsetLeft - (box.clientWidth - item.clientWidth) / 2
  }, [shown])
  return (
    <nav aria-label="Versions of the skill">
      <ol className="skill-timeline">
        {versions.map(version => (
          <li
            key={version.id}
            ref={version.id === shown ? current : undefined}
            className={`skill-moment skill-moment-${version.kind}${version.sameAs === undefined ? '' : ' skill-moment-same'}`}
          >
            <Link
              href={hrefOf(version.id)}
              aria-current={version.id === shown ? 'true' : undefined}
              title={visibleLine(version.because)}
            >
              <span className="skill-moment-name">
                {visibleLine(version.name)}
                <Mark version={version} />
              </span>
              <span className="skill-moment-score figures">{scoreText(version)}</span>
              <span className="skill-moment-because">
                {version.sameAs === undefined
                  ? visibleLine(version.because)
                  : `same text as ${version.sameAs}`}
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}

const toneOf: Readonly<Partial<Record<NonNullable<SkillVersion['outcome']>, BadgeTone>>> = {
  accepted: 'good',
  rejected: 'bad',
  abstained: 'warn',
}

function Mark({ version: { isBest, outcome } }: { readonly version: SkillVersion }) {
  if (isBest) return <Badge tone="good">best</Badge>
  if (outcome === undefined) return null
  return <Badge tone={toneOf[outcome] ?? 'plain'}>{outcome.replaceAll('-', ' ')}</Badge>
}

export function scoreText({ score, isEstimate }: SkillVersion): string {
  if (score === undefined) return 'no score'
  return `${isEstimate === true ? 'about ' : ''}${points(score)}`
}
