import type { SkillVersion } from '../../../../src/dashboard/contract/skill.js'
import { Markdown } from '../../parts/markdown.js'
import { Empty, Failed, Loading } from '../../parts/states.js'
import { chooseLine, useLine } from './line-address.js'
import { Provenance } from './provenance.js'
import { SourceLines } from './source.js'
import { useSource } from './source-of.js'

/** One version of the skill, as rendered text or as source. */
export function Reading({
  run,
  version,
  as,
}: {
  readonly run: string
  readonly version: SkillVersion
  readonly as: 'rendered' | 'source'
}) {
  const { data, error, refetch } = useSource(run, version.id, version.skill)
  const line = useLine()
  if (error !== null) return <Failed error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading what="the skill" />
  if (data.text.trim() === '') {
    return (
      <Empty title="This version has no text.">
        <p>A training may begin with an empty skill: what it learned is in the versions after it.</p>
      </Empty>
    )
  }
  if (as === 'rendered') {
    return (
      <div className="panel skill-rendered">
        <Markdown text={data.text} level={3} />
      </div>
    )
  }
  const chosen = line === undefined ? undefined : data.lines[line - 1]
  const close = () => {
    if (line !== undefined) document.getElementById(`L${line}`)?.querySelector('button')?.focus()
    chooseLine(undefined)
  }
  return (
    <div className={`skill-source${chosen === undefined ? '' : ' skill-source-open'}`}>
      <SourceLines
        source={data}
        line={chosen === undefined ? undefined : line}
        choose={each => chooseLine(each === line ? undefined : each)}
      />
      {chosen === undefined || line === undefined ? (
        <p className="skill-hint small muted" id="provenance">
          Choose a line to see where it came from: the edit, the step, the tasks and attempts behind it.
        </p>
      ) : (
        <Provenance run={run} line={line} origins={chosen.origins} isTraced={data.isTraced} close={close} />
      )}
    </div>
  )
}
