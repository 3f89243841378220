import { describe, expect, it } from 'vitest'
import type { EventBody, RecordedEdit } from '../../../core/log/event.js'
import { seedDocument } from '../../../core/skill/document.js'
import { type StepResult, stepRecord } from './step.js'

const edit: RecordedEdit = {
  op: 'append',
  id: 'e1',
  content: 'e1',
  why: '',
  support: 1,
  from: 'failure',
  tasks: [],
}
const update = { document: seedDocument('# 1'), reports: [], failed: 0 }
const pattern = { type: 'units', count: 2, description: 'no units' }
const reflection = (more: Partial<EventBody<'reflect.finished'>> = {}): EventBody<'reflect.finished'> => ({
  epoch: 1,
  step: 2,
  failed: 0,
  patches: [{ from: 'failure', tasks: [], reasoning: '', patterns: [pattern], edits: [] }],
  ...more,
})
const recordOf = (more: Partial<StepResult> = {}) =>
  stepRecord({ step: 2, edits: [edit], update, decided: undefined, reflected: [reflection()], ...more })
const decided = (action: EventBody<'gate.decided'>['action'], score: number): EventBody<'gate.decided'> => ({
  epoch: 1,
  step: 2,
  what: 'step',
  candidate: 'c',
  current: 0.5,
  score,
  best: 0.5,
  action,
  verdict: { decision: action === 'reject' ? 'reject' : 'accept', complete: true, reason: '' },
})

describe('the record of a step', () => {
  it('has the verdict of the gate and its scores', () => {
    const scores = { before: 0.5, after: 0.7, complete: true }
    expect(recordOf({ decided: decided('accept', 0.7) })).toEqual({
      step: 2,
      outcome: 'accepted',
      edits: [edit],
      patterns: [pattern],
      ...scores,
    })
    expect(recordOf({ decided: decided('accept_new_best', 0.7) }).outcome).toBe('accepted')
    expect(recordOf({ decided: decided('reject', 0.4) })).toMatchObject({ outcome: 'rejected', after: 0.4 })
    expect(recordOf({ decided: decided('abstain', 0.4) }).outcome).toBe('abstained')
  })

  it('distinguishes the reasons for having nothing to judge', () => {
    expect(recordOf()).toEqual({ step: 2, outcome: 'nothing-applied', edits: [edit], patterns: [pattern] })
    expect(recordOf({ edits: [] }).outcome).toBe('no-edits')
    expect(recordOf({ update: { ...update, failed: 1 } }).outcome).toBe('optimizer-failed')
    const reflected = [reflection({ failed: 1, patches: [] })]
    expect(recordOf({ edits: [], reflected }).outcome).toBe('optimizer-failed')
  })
})
