import { describe, expect, it } from 'vitest'
import { acceptProbability, minimumDetectableGain, tasksToDetectGain } from './power.js'

describe('acceptanceChance', () => {
  it('is the chance that one coin beats another', () => {
    // With one task, the candidate is accepted if it solves the task and the current skill does not.
    expect(acceptProbability(1, 0.7, 0.8)).toBeCloseTo(0.8 * 0.3, 12)
    // Two tasks, computed by hand: 1 against 0, and 2 against 0 or 1.
    expect(acceptProbability(2, 0.5, 0.5)).toBeCloseTo(0.5 * 0.25 + 0.25 * 0.75, 12)
  })

  it('accepts nothing without tasks, and equals less than half of the time', () => {
    expect(acceptProbability(0, 0.7, 0.9)).toBe(0)
    expect(acceptProbability(50, 0.7, 0.7)).toBeGreaterThan(0.4)
    expect(acceptProbability(50, 0.7, 0.7)).toBeLessThan(0.5)
  })

  it('holds for thousands of tasks, where the single chances are too small for a number', () => {
    expect(acceptProbability(5000, 0.7, 0.75)).toBeGreaterThan(0.999)
    expect(acceptProbability(5000, 0.7, 0.65)).toBeLessThan(0.001)
    expect(acceptProbability(5000, 0.7, 0.7)).toBeCloseTo(0.5, 1)
  })
})

describe('tasksToSeeGain and visibleGain', () => {
  it('give the counts of a paired test at 95% confidence and 80% power', () => {
    expect([0.2, 0.1, 0.05, 0.02].map(tasksToDetectGain)).toEqual([52, 150, 464, 2347])
  })

  it('are the inverse of each other', () => {
    for (const gain of [0.5, 0.2, 0.1, 0.05, 0.02]) {
      const tasks = tasksToDetectGain(gain)
      expect(minimumDetectableGain(tasks)).toBeLessThanOrEqual(gain)
      expect(minimumDetectableGain(tasks - 1)).toBeGreaterThan(gain)
    }
  })

  it('never promise to see more than everything', () => {
    expect(minimumDetectableGain(0)).toBe(1)
    expect(minimumDetectableGain(1)).toBeLessThanOrEqual(1)
  })
})
