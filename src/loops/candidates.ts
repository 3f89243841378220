import type { SkillDocument } from '../core/document.js'
import type { EventBody, Place, RecordedEdit } from '../core/event.js'
import type { Run } from '../core/ports.js'
import { type ComposeOptions, compose, type Update } from '../stages/compose.js'

/** One of the texts that a step proposes. */
export interface Candidate {
  /** From 1, in the order of the ranking. */
  readonly number: number
  /** What it was to be made of; what became of them is in the update's reports. */
  readonly edits: readonly RecordedEdit[]
  readonly update: Update
}

/** What was selected, then as many of the next edits of the ranking as the budget allows, and so on. */
export function editGroups(
  merged: readonly RecordedEdit[],
  { edits, dropped, budget }: EventBody<'select.finished'>,
  most: number,
): readonly (readonly RecordedEdit[])[] {
  const byId = new Map(merged.map(edit => [edit.id, edit]))
  const next = dropped.flatMap(id => byId.get(id) ?? [])
  const size = Math.max(1, budget)
  const further = Array.from({ length: Math.min(most - 1, Math.ceil(next.length / size)) }, (_, index) =>
    next.slice(index * size, (index + 1) * size),
  )
  return [edits, ...further]
}

/** A candidate from each group, all of them from the current skill. Reminders go with the first. */
export function composeAll(
  run: Run,
  current: SkillDocument,
  groups: readonly (readonly RecordedEdit[])[],
  reminders: readonly RecordedEdit[],
  metaSkill: string | undefined,
  options: Omit<ComposeOptions, 'candidate'>,
  place: Place,
): Promise<readonly Candidate[]> {
  return Promise.all(
    groups.map(async (group, index) => {
      const number = index + 1
      const own = { ...options, candidate: number }
      const notes = number === 1 ? reminders : []
      const update = await compose(run, current, group, notes, metaSkill, own, place)
      return { number, edits: [...group, ...notes], update }
    }),
  )
}
