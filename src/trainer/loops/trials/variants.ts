import type { SkillDocument } from '../../../core/skill/document.js'
import { applyEdits, type Edit } from '../../../core/skill/edit.js'
import { skillHash } from '../../../core/skill/skill.js'
import type { SkillLimit } from '../../../core/skill/skill-limit.js'
import { tidySkill } from '../../../core/skill/tidy.js'
import type { Pool } from './pool.js'

/** A skill made of the seed and some of the edits. */
export interface Composed {
  readonly document: SkillDocument
  readonly skill: string
  /** Edits that could be applied. Attempts are no evidence about edits that could not. */
  readonly edits: readonly string[]
  /** Whether the skill contains every accepted edit, none left out or replaced by one on trial. */
  readonly isWhole: boolean
}

/** Builds a skill: the seed with the accepted edits except those left out, followed by the pending ones. */
export function composeVariant(
  { seed, limit }: { readonly seed: SkillDocument; readonly limit: SkillLimit | undefined },
  pool: Pool,
  { pending, without }: { readonly pending: readonly string[]; readonly without: readonly string[] },
): Composed {
  const byId = new Map(pool.edits.map(one => [one.edit.id, one]))
  // A skill includes at most one remedy for a cause: one on trial replaces the accepted one.
  const contested = new Set(pending.map(id => byId.get(id)?.slot))
  const accepted = pool.accepted.filter(id => !without.includes(id) && !contested.has(byId.get(id)?.slot))
  const edits = [...accepted, ...pending].flatMap(id => byId.get(id)?.edit ?? [])
  const { document, reports } = applyEdits(seed, rebased(edits, { seed, pool }), limit?.objection)
  // Without edits, the skill is the seed itself, even if it is untidy. Otherwise the final test would compare
  // two wordings.
  const tidy = document.text === seed.text ? seed : tidySkill(document)
  const applied = reports.filter(({ status }) => status === 'applied').map(({ edit }) => edit)
  return {
    document: tidy,
    skill: skillHash(tidy.text),
    edits: applied,
    isWhole: accepted.length === pool.accepted.length,
  }
}

/**
 * Adapts edits that change text added by another edit. If that other edit is not in the skill, its text
 * cannot be replaced, so the new text is appended.
 */
function rebased(
  edits: readonly Edit[],
  { seed, pool }: { seed: SkillDocument; pool: Pool },
): readonly Edit[] {
  const present = new Set(edits.map(({ id }) => id))
  const absent = pool.edits.flatMap(({ edit }) =>
    'content' in edit && !present.has(edit.id) ? [edit.content] : [],
  )
  return edits.map((edit, index) => {
    if (edit.op !== 'replace' && edit.op !== 'insert_after') return edit
    const { target, content, ...rest } = edit
    const before = edits.slice(0, index).flatMap(one => ('content' in one ? [one.content] : []))
    if ([seed.text, ...before].some(text => text.includes(target))) return edit
    const gone = absent.find(text => text.includes(target))
    if (gone === undefined) return edit
    // The line keeps its list marker.
    const line = gone.split('\n').find(text => text.includes(target))
    const whole = edit.op === 'replace' && line !== undefined ? line.replace(target, () => content) : content
    return { ...rest, op: 'append' as const, content: whole }
  })
}
