import { describe, expect, it } from 'vitest'
import { probabilityWorse } from './discordant-pairs.js'

describe('the probability of being worse', () => {
  it.each([
    [0, 0, 1 / 2],
    [1, 0, 1 / 4],
    [0, 1, 3 / 4],
    [2, 0, 1 / 8],
    [1, 1, 1 / 2],
    [3, 1, 6 / 32],
    [5, 0, 1 / 64],
    [0, 5, 63 / 64],
  ])('is exact with %i won and %i lost', (won, lost, expected) => {
    expect(probabilityWorse({ won, lost })).toBeCloseTo(expected, 12)
  })

  it('sums to one with the probability of the opposite, also for many pairs', () => {
    for (const [won, lost] of [
      [40, 60],
      [300, 280],
    ] as const)
      expect(probabilityWorse({ won, lost }) + probabilityWorse({ won: lost, lost: won })).toBeCloseTo(1, 9)
  })
})
