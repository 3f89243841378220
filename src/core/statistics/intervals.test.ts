import { describe, expect, it } from 'vitest'
import { pairedDifference, scoreInterval, wilsonInterval } from './intervals.js'

const ones = (count: number, total: number) =>
  Array.from({ length: total }, (_, index) => (index < count ? 1 : 0))

describe('scoreInterval', () => {
  it('is Wilson for 0/1 scores', () => {
    const interval = scoreInterval(ones(8, 10))
    expect(interval.mean).toBeCloseTo(0.8)
    expect(interval.low).toBeCloseTo(0.4902, 4)
    expect(interval.high).toBeCloseTo(0.9433, 4)
  })

  it('does not call ten out of ten a certainty', () => {
    expect(scoreInterval(ones(10, 10))).toMatchObject({ mean: 1, high: 1 })
    expect(scoreInterval(ones(10, 10)).low).toBeCloseTo(0.7225, 4)
    expect(scoreInterval(ones(0, 10)).low).toBe(0)
  })

  it('is Student t for fractions', () => {
    // mean 0.5, standard deviation 0.158114, t(4) = 2.776445
    const interval = scoreInterval([0.3, 0.4, 0.5, 0.6, 0.7])
    expect(interval.mean).toBeCloseTo(0.5)
    expect(interval.low).toBeCloseTo(0.5 - 2.776445 * (0.158114 / Math.sqrt(5)), 3)
    expect(interval.high).toBeCloseTo(0.5 + 2.776445 * (0.158114 / Math.sqrt(5)), 3)
  })

  // Two-sided 95% critical values of Student's t, from a printed table.
  it.each([
    [1, 12.7062],
    [2, 4.3027],
    [3, 3.1824],
    [5, 2.5706],
    [10, 2.2281],
    [30, 2.0423],
    [120, 1.9799],
  ])('widens with few scores as Student t with %d degrees of freedom does', (freedom, t) => {
    // The scores are close together, so that the interval does not reach 0 or 1.
    const scores = Array.from({ length: freedom + 1 }, (_, index) => 0.5 + (index % 2 === 0 ? 0.001 : -0.001))
    const { mean, low, high } = scoreInterval(scores)
    const variance = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / freedom
    const error = Math.sqrt(variance / scores.length)
    expect((high - mean) / error).toBeCloseTo(t, freedom < 3 ? 3 : 2)
    expect((mean - low) / error).toBeCloseTo(t, freedom < 3 ? 3 : 2)
  })

  it('stays within 0..1 and never has width zero', () => {
    const wide = scoreInterval([0, 0.1, 0.9])
    expect(wide.low).toBe(0)
    expect(wide.high).toBeLessThanOrEqual(1)
    const equal = scoreInterval([0.5, 0.5, 0.5])
    expect(equal.high - equal.low).toBeGreaterThan(0.3)
    expect(scoreInterval([0.5])).toEqual(wilsonInterval(0.5, 1))
  })

  it('claims nothing when nothing was scored', () => {
    expect(scoreInterval([])).toEqual({ mean: 0.5, low: 0, high: 1 })
  })
})

describe('pairedDifference', () => {
  const pairs = (won: number, lost: number, tied: number) => [
    ...Array.from({ length: won }, () => ({ current: 0, candidate: 1 })),
    ...Array.from({ length: lost }, () => ({ current: 1, candidate: 0 })),
    ...Array.from({ length: tied }, () => ({ current: 1, candidate: 1 })),
  ]

  it('sees a clear win', () => {
    const interval = pairedDifference(pairs(20, 2, 18))
    expect(interval.mean).toBeCloseTo(0.45)
    expect(interval.low).toBeGreaterThan(0.2)
    expect(interval.high).toBeLessThan(0.7)
    // (20 - 2) / 42 and its standard error, after adding half a win, half a loss and one tie.
    const centre = 18 / 42
    const reach = 1.959964 * Math.sqrt((23 / 42 - centre ** 2) / 42)
    expect(interval.low).toBeCloseTo(centre - reach, 6)
    expect(interval.high).toBeCloseTo(centre + reach, 6)
  })

  it('reaches no further than a whole task won or lost', () => {
    const lost = pairedDifference(pairs(0, 3, 0))
    expect(lost.mean).toBe(-1)
    expect(lost.low).toBe(-1)
    expect(lost.high).toBeGreaterThan(-1)
    expect(lost.high).toBeLessThan(0.2)
    expect(pairedDifference(pairs(3, 0, 0)).high).toBe(1)
  })

  it('does not take few ties for equality, and narrows with more', () => {
    const few = pairedDifference(pairs(0, 0, 5))
    const many = pairedDifference(pairs(0, 0, 500))
    expect(few.low).toBeLessThan(-0.2)
    expect(many.high).toBeLessThan(0.01)
    expect(few.low).toBeCloseTo(-few.high)
  })

  it('spans everything without pairs', () => {
    expect(pairedDifference([])).toEqual({ mean: 0, low: -1, high: 1 })
  })
})
