import { describe, expect, it } from 'vitest'
import { attemptsOf, type GateWorld, play, taskNames } from '../../../test/support/gate-play.js'
import { createGate as always } from './always.js'
import { withFloors } from './floors.js'
import { createGate as guarded } from './guarded.js'
import { withNoRegression } from './no-regression.js'
import { createGate as strict } from './strict.js'

const rising: GateWorld = { current: () => 0, candidate: () => 1 }
/** Cost of an attempt by its score: here a right answer takes long. */
const costly = (value: number) => ({ hard: value, soft: value, tokens: 1000 + 1000 * value, ms: 0 })

describe('floors', () => {
  it("reject an accepted candidate, with a plain reason and the gate's own", () => {
    const floored = withFloors(strict, { tokens: 1500 })
    expect(play(floored, taskNames(20), rising, { row: costly }).verdict).toEqual({
      decision: 'reject',
      complete: true,
      reason:
        'Below a floor: 2,000 tokens per attempt, at most 1,500 allowed (1,000 with the current skill). Without the floor it would have been accepted: The score rose: 1.0000 with the candidate, 0.0000 with the current skill, over 20 tasks.',
    })
  })

  it("pass a candidate that keeps them, with the gate's verdict and no more attempts", () => {
    const floored = withFloors(strict, { tokens: 2000, accuracy: 1 })
    expect(play(floored, taskNames(20), rising, { row: costly })).toEqual(
      play(strict, taskNames(20), rising, { row: costly }),
    )
  })

  it('do not change other verdicts of the gate', () => {
    const falling: GateWorld = { current: () => 1, candidate: () => 0 }
    const floored = withFloors(strict, { accuracy: 1 })
    expect(play(floored, taskNames(20), falling)).toEqual(play(strict, taskNames(20), falling))
  })

  it('are judged on the whole split, even if the gate decides earlier', () => {
    const few = play(guarded, taskNames(100), rising)
    expect(attemptsOf(few, 'candidate')).toBeLessThan(100)
    const floored = play(withFloors(guarded, { accuracy: 0.5 }), taskNames(100), rising)
    expect(attemptsOf(floored, 'candidate')).toBe(100)
    expect(floored.verdict).toMatchObject({ decision: 'accept', complete: true })
    expect(floored.verdict.reason).toBe(few.verdict.reason)
  })

  it('hold without a gate, and before the no-regression check', () => {
    const sinking: GateWorld = { current: () => 1, candidate: () => 0 }
    expect(play(withFloors(always, { accuracy: 0.5 }), taskNames(5), sinking).verdict).toMatchObject({
      decision: 'reject',
      reason: expect.stringContaining('accuracy is 0.0%, below 50.0%'),
    })
    const both = withNoRegression(withFloors(always, { accuracy: 0.5 }), 'task')
    const { seen, verdict } = play(both, taskNames(5), sinking)
    expect(verdict.reason).toContain('Below a floor')
    expect(seen.every(({ row }) => row.sample === 0)).toBe(true)
  })
})
