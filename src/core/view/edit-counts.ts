import type { EditView, StepView } from './run-view.js'

/** What became of a step's edits. Each number is a part of the one before it; lost ones were selected in vain. */
export interface EditCounts {
  readonly proposed: number
  readonly merged: number
  readonly selected: number
  readonly applied: number
  readonly unmatched: number
  /** Selected and not applied for another reason. */
  readonly refused: number
}

/** Reminders are left out: they go to the appendix, past the budget. */
export function editCounts({ proposed, edits }: StepView): EditCounts {
  const suggested = edits.some(({ op }) => op === 'suggest')
  const rewrite = suggested ? edits.find(({ op }) => op === 'rewrite') : undefined
  const fates = edits
    .filter(edit => edit !== rewrite && edit.op !== 'remind')
    // Suggestions are worked in by a rewrite: what became of it became of them.
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
