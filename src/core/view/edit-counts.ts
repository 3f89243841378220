import type { EditView, StepView } from './run-view.js'

/**
 * Counts of a step's edits: each of the first four counts a part of the one before it. `unmatched` and
 * `refused` edits were selected but not applied.
 */
export interface EditCounts {
  readonly proposed: number
  readonly merged: number
  readonly selected: number
  readonly applied: number
  readonly unmatched: number
  /** Edits that were selected but not applied for another reason. */
  readonly refused: number
}

/** Counts the edits of a step, without reminders, which go to the appendix and do not use the budget. */
export function editCounts({ proposed, edits }: StepView): EditCounts {
  const suggested = edits.some(({ op }) => op === 'suggest')
  const rewrite = suggested ? edits.find(({ op }) => op === 'rewrite') : undefined
  const fates = edits
    .filter(edit => edit !== rewrite && edit.op !== 'remind')
    // A rewrite applies all suggestions at once, so each suggestion has the rewrite's fate.
    .map(({ fate }) => (fate === 'selected' ? (rewrite?.fate ?? fate) : fate))
  const of = (...wanted: EditView['fate'][]) => fates.filter(fate => wanted.includes(fate)).length
  return {
    proposed: proposed.failure + proposed.success,
    merged: fates.length,
    selected: fates.length - of('merged', 'dropped'),
    applied: of('applied'),
    unmatched: of('unmatched'),
    refused: of('refused', 'empty'),
  }
}
