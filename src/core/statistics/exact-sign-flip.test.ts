import { describe, expect, it } from 'vitest'
import { signFlipPValue } from './exact-sign-flip.js'
import { pairedDifference } from './intervals.js'

const flips = (won: number, lost: number) => [...Array(won).fill(1), ...Array(lost).fill(-1)] as number[]

describe('the exact sign-flip test', () => {
  it('is the sign test for 0/1 scores', () => {
    expect(signFlipPValue(flips(5, 0))).toBeCloseTo(1 / 32)
    expect(signFlipPValue(flips(9, 1))).toBeCloseTo(11 / 1024)
    expect(signFlipPValue([...flips(5, 0), 0, 0, 0])).toBeCloseTo(1 / 32)
    expect(signFlipPValue([])).toBe(1)
  })

  it('counts every combination of signs, however large the differences', () => {
    const differences = [1 / 3, -2 / 3, 0.5, 0.125, 1]
    const observed = differences.reduce((sum, value) => sum + value, 0)
    let reached = 0
    for (let signs = 0; signs < 32; signs += 1) {
      const sum = differences.reduce((total, value, at) => total + (signs & (1 << at) ? -value : value), 0)
      if (sum >= observed - 1e-9) reached += 1
    }
    expect(signFlipPValue(differences)).toBeCloseTo(reached / 32)
  })
})

describe('the interval of a paired difference', () => {
  const pairs = (won: number, lost: number, same: number) =>
    [...flips(won, lost), ...Array<number>(same).fill(0)].map(value => ({ current: 0, candidate: value }))

  it('holds zero unless the exact test agrees', () => {
    // The adjusted normal interval alone would exclude zero, although 1 in 32 such results is chance.
    expect(pairedDifference(pairs(5, 0, 5)).low).toBe(0)
    expect(pairedDifference(pairs(0, 5, 5)).high).toBe(0)
    expect(pairedDifference(pairs(6, 0, 4)).low).toBeGreaterThan(0)
  })
})
