import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  attemptsOf,
  hardScore,
  play,
  seenOf,
  taskNames,
  usualSettings,
} from '../../../test/support/gate-play.js'
import type { GateFactory } from '../../core/ports/gate.js'
import { createGate as always } from './always.js'
import { createGate as strict } from './strict.js'

type Score = number | undefined

/** Hard scores of each task under the current skill and the candidate; `undefined` is an external failure. */
function decide(create: GateFactory, scores: readonly (readonly [Score, Score])[], earlyStop = false) {
  return play(
    create,
    taskNames(scores.length),
    { current: task => scores[indexOf(task)]?.[0], candidate: task => scores[indexOf(task)]?.[1] },
    { settings: { ...usualSettings, earlyStop } },
  )
}

const verdict = (create: GateFactory, ...scores: readonly (readonly [Score, Score])[]) =>
  decide(create, scores).verdict

const indexOf = (task: string) => Number(task.split('-')[1])

describe.each([
  ['strict', strict],
  ['always', always],
])('the gate %s', (_name, create) => {
  it('asks once for every task that it has not seen, and repeats of a task do not count', () => {
    const settings = { ...usualSettings, earlyStop: false }
    const gate = create({ tasks: taskNames(3), score: hardScore, settings })
    const baseline = taskNames(3).map(task => seenOf('current', task, 0))
    const seen = [...baseline, seenOf('candidate', 'task-0', 1), seenOf('candidate', 'task-1', 1, 1)]
    expect(gate.next(seen)).toEqual({
      run: ['task-1', 'task-2'].map(task => ({ side: 'candidate', task, sample: 0 })),
    })
  })
})

describe('the gate strict', () => {
  it('reports the scores, the number of tasks, and that all were seen', () => {
    expect(verdict(strict, [0, 1], [1, 1], [0, 0])).toEqual({
      decision: 'accept',
      complete: true,
      reason: 'The score rose: 0.6667 with the candidate, 0.3333 with the current skill, over 3 tasks.',
    })
    expect(verdict(strict, [1, 0], [1, 1])).toEqual({
      decision: 'reject',
      complete: true,
      reason:
        'The score did not rise: 0.5000 with the candidate, 1.0000 with the current skill, over 2 tasks.',
    })
  })

  it('abstains with the reason when it cannot compare fairly, although it saw everything', () => {
    expect(verdict(strict, [0, undefined], [0, 1])).toMatchObject({
      decision: 'abstain',
      complete: true,
      reason: expect.stringContaining(
        '0 failed for external reasons under the current skill and 1 under the candidate',
      ),
    })
  })
})

const binary = fc.constantFrom(0, 1)
const fraction = fc.constantFrom(0, 0.1, 0.25, 0.3, 0.5, 0.6, 0.7, 0.9, 1)
const worldOf = (score: fc.Arbitrary<Score>) =>
  fc.array(fc.tuple(score, score), { minLength: 1, maxLength: 60 })
const failing = (score: fc.Arbitrary<number>) =>
  fc.oneof({ weight: 9, arbitrary: score }, { weight: 1, arbitrary: fc.constant(undefined) })

describe('the early stop of strict', () => {
  it('decides like the whole evaluation without external failures, from no more attempts', () => {
    fc.assert(
      fc.property(fc.oneof(worldOf(binary), worldOf(fraction)), scores => {
        const early = decide(strict, scores, true)
        const whole = decide(strict, scores)
        expect(early.verdict.decision).toBe(whole.verdict.decision)
        expect(attemptsOf(early, 'candidate')).toBeLessThanOrEqual(attemptsOf(whole, 'candidate'))
        expect(attemptsOf(early, 'current')).toBe(attemptsOf(whole, 'current'))
        expect(early.verdict.complete).toBe(attemptsOf(early, 'candidate') === scores.length)
      }),
      { numRuns: 1000 },
    )
  })

  it('accepts only after every task, and then for the same reason', () => {
    fc.assert(
      fc.property(worldOf(failing(fc.oneof(binary, fraction))), scores => {
        const early = decide(strict, scores, true).verdict
        const whole = decide(strict, scores).verdict
        expect(early.decision === 'accept').toBe(whole.decision === 'accept')
        if (early.decision === 'accept') expect(early.complete).toBe(true)
        // A candidate rejected early may turn out incomparable on the whole split, but never acceptable.
        if (early.decision === 'abstain') expect(whole.decision).toBe('abstain')
      }),
      { numRuns: 1000 },
    )
  })

  it('does not depend on the order of the tasks', () => {
    const shuffled = worldOf(binary).chain(scores =>
      fc.tuple(fc.constant(scores), fc.shuffledSubarray(scores, { minLength: scores.length })),
    )
    fc.assert(
      fc.property(shuffled, ([scores, others]) => {
        const [one, other] = [decide(strict, scores, true), decide(strict, others, true)]
        expect(other.verdict.decision).toBe(one.verdict.decision)
      }),
      { numRuns: 300 },
    )
  })

  it('runs failed tasks of the current skill first, and stops once they cannot offset a loss', () => {
    const solved = Array.from({ length: 32 }, () => [1, 1] as const)
    const { seen, verdict: early } = decide(strict, [...solved, [0, 0], [0, 0]], true)
    expect(seen.filter(({ side }) => side === 'candidate').slice(0, 2)).toEqual([
      seenOf('candidate', 'task-32', 0),
      seenOf('candidate', 'task-33', 0),
    ])
    expect(early).toEqual({
      decision: 'reject',
      complete: false,
      reason:
        'The score cannot rise further: after 8 of 34 tasks the candidate has gained 0.00, and the others can add at most 0.00.',
    })
  })

  it('continues after external failures, and abstains instead of rejecting', () => {
    const lost = Array.from({ length: 16 }, () => [0, undefined] as const)
    const solved = Array.from({ length: 24 }, () => [1, 1] as const)
    expect(decide(strict, [...solved, ...lost], true).verdict).toMatchObject({
      decision: 'abstain',
      complete: true,
    })
  })
})

describe('the gate always', () => {
  it('accepts a worse candidate, and still reports both scores', () => {
    expect(verdict(always, [1, 0], [1, 1])).toEqual({
      decision: 'accept',
      complete: true,
      reason: 'Accepted without a gate: 0.5000 with the candidate, 1.0000 with the current skill.',
    })
  })

  it('reports that nothing was scored, instead of showing a number', () => {
    expect(verdict(always, [undefined, undefined])).toMatchObject({
      decision: 'accept',
      reason: 'Accepted without a gate: no pair was scored.',
    })
  })
})
