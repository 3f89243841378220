import { Link } from 'wouter'
import type { AttemptLine } from '../../../../src/dashboard/contract/attempts.js'
import { visibleLine } from '../../parts/format.js'

const skillPage = (run: string) => `~/runs/${encodeURIComponent(run)}/skill`

/** Link to the skill version that an attempt used. A skill without text has no page. */
export function SkillLink({ run, skill }: { readonly run: string; readonly skill: AttemptLine['skill'] }) {
  const name = visibleLine(skill.name)
  if (!skill.hasText) return <>{name}</>
  return <Link href={`${skillPage(run)}?${new URLSearchParams({ to: skill.id, as: 'source' })}`}>{name}</Link>
}

/** Links to the diff between the skills of two attempts. */
export function skillChangesHref(run: string, from: AttemptLine['skill'], to: AttemptLine['skill']): string {
  return `${skillPage(run)}?${new URLSearchParams({ from: from.id, to: to.id, as: 'changes' })}`
}
