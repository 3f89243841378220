import { describe, expect, it } from 'vitest'
import type { GateFactory, Pair } from '../core/ports.js'
import { createGate as always } from './always.js'
import { createGate as strict } from './strict.js'

/** Pairs of hard scores, current and candidate; `undefined` is a failure of the world. */
function pairsOf(...scores: readonly (readonly [number | undefined, number | undefined])[]): Pair[] {
  return scores.map(([current, candidate], index) => ({
    task: `task-${index}`,
    sample: 0,
    current: row(index, current),
    candidate: row(index, candidate),
  }))
}

function row(index: number, hard: number | undefined) {
  const known = hard === undefined ? {} : { hard, soft: hard }
  return { task: `task-${index}`, type: '', sample: 0, ...known }
}

function decide(create: GateFactory, seen: readonly Pair[]) {
  return create({ tasks: seen.map(pair => pair.task), score: ({ hard }) => hard }).next(seen)
}

describe.each([
  ['strict', strict],
  ['always', always],
])('the gate %s', (_name, create) => {
  it('asks once for every task that it has not seen, and repeats of a task do not count', () => {
    const gate = create({ tasks: ['task-0', 'task-1', 'task-2'], score: ({ hard }) => hard })
    const [first, second] = pairsOf([0, 1], [0, 1])
    if (first === undefined || second === undefined) throw new Error('two pairs')
    expect(gate.next([first, { ...second, sample: 1 }])).toEqual({
      run: [
        { task: 'task-1', sample: 0 },
        { task: 'task-2', sample: 0 },
      ],
    })
  })
})

describe('the gate strict', () => {
  it('says what it compared, over how many tasks, and that it saw them all', () => {
    expect(decide(strict, pairsOf([0, 1], [1, 1], [0, 0]))).toEqual({
      decision: 'accept',
      complete: true,
      reason: 'The score rose: 0.6667 with the candidate, 0.3333 with the current skill, over 3 tasks.',
    })
    expect(decide(strict, pairsOf([1, 0], [1, 1]))).toEqual({
      decision: 'reject',
      complete: true,
      reason:
        'The score did not rise: 0.5000 with the candidate, 1.0000 with the current skill, over 2 tasks.',
    })
  })

  it('abstains with the reason when it cannot compare fairly, although it saw everything', () => {
    expect(decide(strict, pairsOf([0, undefined], [0, 1]))).toMatchObject({
      decision: 'abstain',
      complete: true,
      reason: expect.stringContaining('0 times under the current skill and 1 times under the candidate'),
    })
  })
})

describe('the gate always', () => {
  it('accepts what is worse, and still reports both scores', () => {
    expect(decide(always, pairsOf([1, 0], [1, 1]))).toEqual({
      decision: 'accept',
      complete: true,
      reason: 'Accepted without a gate: 0.5000 with the candidate, 1.0000 with the current skill.',
    })
  })

  it('says so when nothing was scored, instead of showing a number', () => {
    expect(decide(always, pairsOf([undefined, undefined]))).toMatchObject({
      decision: 'accept',
      reason: 'Accepted without a gate: no pair was scored.',
    })
  })
})
