import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FlippedTasks, gainLikelihood, lossLikelihood, signTestPValue } from './discordant-pairs.js'

const whole = (gained: number, lost: number): FlippedTasks => ({ gained, lost, ofFailed: 1, ofSolved: 1 })
const counts = fc.integer({ min: 0, max: 40 })

describe('the p-value of no change', () => {
  it.each([
    [0, 0, 1],
    [1, 0, 1 / 2],
    [0, 1, 1],
    [2, 0, 1 / 4],
    [5, 0, 1 / 32],
    [3, 1, 5 / 16],
    [4, 2, 22 / 64],
  ])('%i gained and %i lost: that of tossing a coin', (gained, lost, chance) => {
    expect(signTestPValue(whole(gained, lost))).toBeCloseTo(chance, 12)
  })

  it('falls with each gain and rises with each loss', () => {
    fc.assert(
      fc.property(counts, counts, (gained, lost) => {
        const chance = signTestPValue(whole(gained, lost))
        expect(signTestPValue(whole(gained + 1, lost))).toBeLessThan(chance)
        expect(signTestPValue(whole(gained, lost + 1))).toBeGreaterThanOrEqual(chance)
      }),
    )
  })
})

describe('the probability of an undetected loss', () => {
  it('is small where more was gained than lost, and large where it was not', () => {
    expect(lossLikelihood(whole(6, 0), 2)).toBeLessThan(0.01)
    expect(lossLikelihood(whole(5, 1), 2)).toBeLessThan(0.05)
    expect(lossLikelihood(whole(2, 2), 2)).toBeGreaterThan(0.1)
    expect(lossLikelihood(whole(0, 4), 2)).toBeGreaterThan(0.5)
  })

  it('falls with the size of the harm, and is larger where less was tried', () => {
    fc.assert(
      fc.property(counts, counts, fc.double({ min: 0.5, max: 20, noNaN: true }), (gained, lost, loss) => {
        const chance = lossLikelihood(whole(gained, lost), loss)
        expect(chance).toBeGreaterThanOrEqual(0)
        expect(chance).toBeLessThanOrEqual(1 + 1e-9)
        if (gained > lost)
          expect(lossLikelihood(whole(gained, lost), 2 * loss)).toBeLessThanOrEqual(chance + 1e-9)
      }),
    )
    const half: FlippedTasks = { gained: 3, lost: 0, ofFailed: 0.5, ofSolved: 0.5 }
    expect(lossLikelihood(half, 2)).toBeGreaterThan(lossLikelihood(whole(6, 0), 2))
  })
})

describe('the probability of an undetected gain', () => {
  it('before any solved task was tried: few gains where many were to be expected', () => {
    const none = { gained: 0, lost: 0, ofSolved: 0 }
    expect(gainLikelihood({ ...none, ofFailed: 1 }, 3)).toBeCloseTo(Math.exp(-3), 12)
    expect(gainLikelihood({ ...none, ofFailed: 0.5 }, 3)).toBeCloseTo(Math.exp(-1.5), 12)
    expect(gainLikelihood({ ...none, gained: 1, ofFailed: 1 }, 3)).toBeCloseTo(4 * Math.exp(-3), 12)
  })

  it('falls with losses, rises with gains', () => {
    expect(gainLikelihood(whole(0, 4), 3)).toBeLessThan(0.05)
    expect(gainLikelihood(whole(4, 0), 3)).toBeGreaterThan(0.5)
    fc.assert(
      fc.property(counts, counts, (gained, lost) => {
        const chance = gainLikelihood(whole(gained, lost), 5)
        expect(gainLikelihood(whole(gained + 1, lost), 5)).toBeGreaterThanOrEqual(chance - 1e-9)
      }),
    )
  })
})
