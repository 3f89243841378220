import { describe, expect, it } from 'vitest'
import { seedDocument } from '../core/document.js'
import type { EventBody, RecordedEdit } from '../core/event.js'
import type { Raced } from './race.js'
import { stepRecords } from './record.js'

const edit = (id: string): RecordedEdit => ({
  ...{ op: 'append', id, content: id, why: '', support: 1, from: 'failure', tasks: [] },
})
const raced = (number: number, more: Partial<Raced> = {}): Raced => ({
  number,
  edits: [edit(`e${number}`)],
  update: { document: seedDocument(`# ${number}`), reports: [], applied: [], failed: 0 },
  ...more,
})
const decided = (action: EventBody<'gate.decided'>['action'], score: number): Partial<Raced> => ({
  decided: {
    ...{ epoch: 1, step: 2, what: 'step', candidate: 'c', current: 0.5, score, best: 0.5, action },
    verdict: { decision: action === 'reject' ? 'reject' : 'accept', complete: true, reason: '' },
  },
})
const killed: Partial<Raced> = {
  screened: {
    ...{ epoch: 1, step: 2, candidate: 'c', tried: [], gained: 0, lost: 5 },
    verdict: 'killed',
    reason: '',
  },
}
const pattern = { type: 'units', count: 2, description: 'no units' }
const reflection = (more: Partial<EventBody<'reflect.finished'>> = {}): EventBody<'reflect.finished'> => ({
  ...{ epoch: 1, step: 2, failed: 0 },
  patches: [{ from: 'failure', tasks: [], reasoning: '', patterns: [pattern], edits: [] }],
  ...more,
})
const outcomes = (...candidates: Raced[]) =>
  stepRecords(2, candidates, [reflection()]).map(({ outcome, edits }) => `${outcome} ${edits[0]?.id}`)

describe('the records of a step', () => {
  it('tell of every candidate that was judged; the first decides what the step was', () => {
    const [record, ...others] = stepRecords(
      2,
      [raced(1, decided('reject', 0.4)), raced(2, killed), raced(3, decided('accept', 0.7))],
      [reflection()],
    )
    expect(record).toMatchObject({ outcome: 'accepted', before: 0.5, after: 0.7, patterns: [pattern] })
    expect(record.edits.map(({ id }) => id)).toEqual(['e3'])
    expect(others).toMatchObject([
      { outcome: 'rejected', after: 0.4, complete: true, patterns: [], edits: [{ id: 'e1' }] },
      { outcome: 'rejected', patterns: [], edits: [{ id: 'e2' }] },
    ])
    expect(others[1]).not.toHaveProperty('after')
  })

  it('say nothing of those that were not tried, or that are no new text', () => {
    expect(outcomes(raced(1, decided('accept', 0.6)), raced(2, { isUntried: true }), raced(3))).toEqual([
      'accepted e1',
    ])
  })

  it('do not take a step for rejected in which the world failed a candidate', () => {
    expect(outcomes(raced(1, killed), raced(2, decided('abstain', 0.4)))).toEqual([
      'abstained e2',
      'rejected e1',
    ])
    expect(outcomes(raced(1, killed))).toEqual(['rejected e1'])
  })

  it('tell apart why there was nothing to judge', () => {
    expect(outcomes(raced(1))).toEqual(['nothing-applied e1'])
    expect(outcomes(raced(1, { edits: [] }))).toEqual(['no-edits undefined'])
    const update = { document: seedDocument('# 1'), reports: [], applied: [], failed: 1 }
    expect(outcomes(raced(1, { update }))).toEqual(['optimizer-failed e1'])
    const [record] = stepRecords(2, [raced(1, { edits: [] })], [reflection({ failed: 1, patches: [] })])
    expect(record.outcome).toBe('optimizer-failed')
  })
})
