import { describe, expect, it } from 'vitest'
import { hashes, raceLog } from '../../test/support/race-run.js'
import { LogBuilder, seedHash } from '../../test/support/sample-run.js'
import { outcomeOfCandidate, outcomeOfEdit } from './state-candidates.js'

const stepOf = (log: LogBuilder, upTo?: number) => {
  const step = log.view(upTo).steps[0]
  if (step === undefined) throw new Error('no step')
  return step
}

describe('several candidates of a step', () => {
  const log = raceLog()
  const step = stepOf(log)

  it('each have what was found out about them', () => {
    expect(step.candidates.map(({ number, skill }) => [number, skill])).toEqual(
      hashes.map((hash, index) => [index + 1, hash]),
    )
    expect(step.candidates[0]?.screen).toEqual({
      ...{ tried: 1, gained: 0, lost: 6, verdict: 'killed', reason: 'It does harm.' },
    })
    expect(step.candidates.map(candidate => outcomeOfCandidate(step, candidate))).toEqual([
      ...['screened-out', 'rejected', 'accepted', 'untried'],
    ])
  })

  it('share their fates with their edits', () => {
    expect(step.edits.map(({ id, candidate, fate }) => [id, candidate, fate])).toEqual([
      ['e1', 1, 'applied'],
      ['e2', 2, 'applied'],
      ['e3', 3, 'applied'],
      ['e4', 4, 'applied'],
    ])
    expect(step.edits.map(edit => outcomeOfEdit(step, edit))).toEqual([
      ...['screened-out', 'rejected', 'accepted', 'untried'],
    ])
    const before = stepOf(log, log.events.length - 1)
    expect(before.edits.map(edit => outcomeOfEdit(before, edit))).toEqual(new Array(4).fill(undefined))
  })

  it('leave the step with the one that came to the gate last, and with no score of another', () => {
    expect(step.gate?.candidate).toBe(hashes[2])
    expect(step.candidate?.skill).toBe(hashes[2])
    expect(step.evaluation).toBeUndefined()
    const rejected = stepOf(log, log.events.findIndex(({ type }) => type === 'gate.decided') + 1)
    expect(rejected.candidate?.skill).toBe(hashes[1])
    expect(rejected.evaluation?.score).toBe(0.4)
    expect(log.view().series.validation).toEqual([{ step: 1, value: 0.8 }])
  })

  it('mark suggestions as part of the rewrite that they went into', () => {
    const at = { epoch: 1, step: 1 }
    const about = { why: '', support: 1, from: 'failure' as const, tasks: ['t1'] }
    const suggest = { op: 'suggest' as const, id: 'x', title: 'x', content: 'x', ...about }
    const other = { ...suggest, id: 'y' }
    const rewrite = { op: 'rewrite' as const, id: 's1.rewrite2', content: '# New', summary: 'y', ...about }
    const log = new LogBuilder().start()
    log.add('step.started', { ...at, budget: 1, tasks: ['t1'], skill: seedHash })
    log.add('aggregate.finished', { ...at, edits: [suggest, other], failed: 0 })
    log.add('select.finished', { ...at, budget: 1, edits: [suggest], dropped: ['y'], failed: 0 })
    log.add('rewrite.finished', { ...at, candidate: 2, edit: rewrite, failed: 0 })
    log.add('update.finished', {
      ...{ ...at, candidate: 2, from: ['y'], skill: 'h', text: log.put('# New') },
      reports: [{ edit: rewrite.id, status: 'applied', reason: '' }],
    })
    const edits = Object.fromEntries(
      stepOf(log).edits.map(({ id, fate, candidate }) => [id, { fate, candidate }]),
    )
    expect(edits).toEqual({
      x: { fate: 'selected', candidate: undefined },
      y: { fate: 'selected', candidate: 2 },
      's1.rewrite2': { fate: 'applied', candidate: 2 },
    })
  })
})
