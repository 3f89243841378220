import { expect, it } from 'vitest'
import { sampleLog } from '../../../test/support/sample-run.js'
import { editCounts } from './edit-counts.js'
import type { EditView, StepView } from './fold.js'

const [step] = sampleLog().view().steps
if (step === undefined) throw new Error('the sample has no step')
const [edit] = step.edits
if (edit === undefined) throw new Error('the sample has no edit')

const counted = (...edits: readonly Pick<EditView, 'op' | 'fate'>[]) => {
  const { proposed: _, ...counts } = editCounts({
    ...(step as StepView),
    edits: edits.map(given => ({ ...edit, ...given })),
  })
  return counts
}

it('counts each fate once', () => {
  expect(editCounts(step)).toEqual({
    proposed: 3,
    merged: 3,
    selected: 2,
    applied: 1,
    unmatched: 1,
    refused: 0,
  })
})

it('counts suggestions as applied if their rewrite was', () => {
  const suggestions = [
    { op: 'suggest', fate: 'selected' },
    { op: 'suggest', fate: 'selected' },
    { op: 'suggest', fate: 'dropped' },
  ] as const
  const refused = { merged: 3, selected: 2, applied: 0, unmatched: 0, refused: 2 }
  expect(counted({ op: 'rewrite', fate: 'applied' }, ...suggestions)).toMatchObject({ merged: 3, applied: 2 })
  expect(counted({ op: 'rewrite', fate: 'refused' }, ...suggestions)).toEqual(refused)
})

it('counts a rewrite by itself as the edit that it is, and reminders not at all', () => {
  const all = { merged: 1, selected: 1, applied: 1, unmatched: 0, refused: 0 }
  expect(counted({ op: 'rewrite', fate: 'applied' }, { op: 'remind', fate: 'applied' })).toEqual(all)
})
