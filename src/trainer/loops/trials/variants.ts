import type { SkillDocument } from '../../../core/skill/document.js'
import { applyEdits } from '../../../core/skill/edit.js'
import { skillHash } from '../../../core/skill/skill.js'
import type { SkillLimit } from '../../../core/skill/skill-limit.js'
import { tidySkill } from '../../../core/skill/tidy.js'
import type { Pool } from './pool.js'

/** A skill made of the seed and some of the edits. */
export interface Composed {
  readonly document: SkillDocument
  readonly skill: string
  /** Edits that found their place; the others are not in it, and it is no evidence about them. */
  readonly edits: readonly string[]
  /** Whether every accepted edit is in it. */
  readonly isWhole: boolean
}

/** The seed with accepted edits, less those left out, and pending ones after them. */
export function composeVariant(
  { seed, limit }: { readonly seed: SkillDocument; readonly limit: SkillLimit | undefined },
  pool: Pool,
  { pending, without }: { readonly pending: readonly string[]; readonly without: readonly string[] },
): Composed {
  const byId = new Map(pool.edits.map(one => [one.edit.id, one]))
  // At most one remedy for a cause is in a skill: one on trial takes the place of the accepted one.
  const contested = new Set(pending.map(id => byId.get(id)?.slot))
  const accepted = pool.accepted.filter(id => !without.includes(id) && !contested.has(byId.get(id)?.slot))
  const edits = [...accepted, ...pending].flatMap(id => byId.get(id)?.edit ?? [])
  const { document, reports } = applyEdits(seed, edits, limit?.objection)
  const tidy = tidySkill(document)
  const applied = reports.filter(({ status }) => status === 'applied').map(({ edit }) => edit)
  return {
    document: tidy,
    skill: skillHash(tidy.text),
    edits: applied,
    isWhole: accepted.length === pool.accepted.length,
  }
}
