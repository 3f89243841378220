import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  expectedScore,
  fitNoise,
  permutationPValue,
  poissonBinomialPmf,
  weightedTailProbability,
} from './noise-model.js'

const chance = fc.double({ min: 0, max: 1, noNaN: true })
const chances = fc.array(chance, { maxLength: 12 })
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

describe('fitNoise and expectedScore', () => {
  it('treat a target that always agrees with itself as almost deterministic', () => {
    const noise = fitNoise([...times(100, [1, 1]), ...times(100, [0, 0])])
    expect(noise.passes + noise.failures).toBeLessThan(0.01)
    expect(expectedScore(noise, [1])).toBe(0.995)
    expect(expectedScore(noise, [0])).toBe(0.005)
  })

  it('take coins for coins: what a task did once says next to nothing about it', () => {
    const noise = fitNoise(
      times(25, [
        [1, 1],
        [1, 0],
        [0, 1],
        [0, 0],
      ]).flat(),
    )
    expect(noise.passes / (noise.passes + noise.failures)).toBeCloseTo(0.5, 2)
    expect(noise.passes + noise.failures).toBeCloseTo(19, 5)
    expect(expectedScore(noise, [1])).toBeCloseTo(0.525, 3)
    expect(expectedScore(noise, [0])).toBeCloseTo(0.475, 3)
  })

  it('treat a target without any repeat as maximally noisy', () => {
    const noise = fitNoise([[1], [0], [1], [0]])
    expect(noise.passes + noise.failures).toBeCloseTo(19, 9)
    expect(fitNoise([])).toEqual(fitNoise([[]]))
    expect(expectedScore(fitNoise([]), [])).toBe(0.5)
  })

  it('read the mean and the disagreement off many scores', () => {
    // Of ten scores eight points, of five repeats one disagrees: 0.2 of the 2 · 0.8 · 0.2 that coins would.
    const ten = [
      [1, 1],
      [1, 1],
      [1, 1],
      [1, 0],
      [0.5, 0.5],
    ]
    const noise = fitNoise(times(20_000, ten).flat())
    const share = 0.2 / (2 * 0.8 * 0.2)
    expect(noise.passes).toBeCloseTo((0.8 * share) / (1 - share), 3)
    expect(noise.failures).toBeCloseTo((0.2 * share) / (1 - share), 3)
  })

  it('never expect 0 or 1, and expect more of a task that passed more', () => {
    const scores = fc.array(fc.constantFrom(0, 0.5, 1), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(fc.array(scores, { maxLength: 30 }), scores, (samples, own) => {
        const noise = fitNoise(samples)
        const expected = expectedScore(noise, own)
        expect(expected).toBeGreaterThanOrEqual(0.005)
        expect(expected).toBeLessThanOrEqual(0.995)
        expect(expectedScore(noise, [...own, 1])).toBeGreaterThanOrEqual(expected)
        expect(expectedScore(noise, [...own, 0])).toBeLessThanOrEqual(expected)
      }),
    )
  })
})

describe('distributionOfPasses', () => {
  it('is binomial for equal chances', () => {
    expect(poissonBinomialPmf([])).toEqual([1])
    expect(poissonBinomialPmf(times(4, 0.5))).toEqual([1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16])
    const three = poissonBinomialPmf(times(3, 0.2))
    for (const [passes, exact] of [0.512, 0.384, 0.096, 0.008].entries())
      expect(three[passes]).toBeCloseTo(exact, 12)
  })

  it('takes each chance as it is', () => {
    const [none, one, both] = poissonBinomialPmf([0.9, 0.2])
    expect(none).toBeCloseTo(0.08, 12)
    expect(one).toBeCloseTo(0.74, 12)
    expect(both).toBeCloseTo(0.18, 12)
    expect(poissonBinomialPmf([1, 0, 1])).toEqual([0, 0, 1, 0])
  })

  it('adds up to 1, and its mean to the chances', () => {
    fc.assert(
      fc.property(chances, all => {
        const distribution = poissonBinomialPmf(all)
        expect(distribution).toHaveLength(all.length + 1)
        expect(sum(distribution)).toBeCloseTo(1, 9)
        const mean = sum(distribution.map((probability, passes) => probability * passes))
        expect(mean).toBeCloseTo(sum(all), 9)
      }),
    )
  })
})

describe('chanceOfReaching', () => {
  it('is the tail of a binomial, with one kind of tasks', () => {
    const coins = poissonBinomialPmf(times(10, 0.5))
    expect(weightedTailProbability(coins, [1], { weight: 1, total: 0 })).toBeCloseTo(1, 12)
    expect(weightedTailProbability(coins, [1], { weight: 1, total: 9 })).toBeCloseTo(11 / 1024, 12)
    expect(weightedTailProbability(coins, [1], { weight: 1, total: 10 })).toBeCloseTo(1 / 1024, 12)
    expect(weightedTailProbability(coins, [1], { weight: 1, total: 11 })).toBe(0)
  })

  it('weighs the second kind', () => {
    // Two coins and one coin that counts twice: 3 or more of 4 is the heavy one and one of the others.
    const [two, one] = [poissonBinomialPmf([0.5, 0.5]), poissonBinomialPmf([0.5])]
    expect(weightedTailProbability(two, one, { weight: 2, total: 3 })).toBeCloseTo(3 / 8, 12)
    expect(weightedTailProbability(two, one, { weight: 2, total: 4 })).toBeCloseTo(1 / 8, 12)
    expect(weightedTailProbability(two, one, { weight: 1, total: 3 })).toBeCloseTo(1 / 8, 12)
  })

  it('is not moved by the last bit of a sum of fractions', () => {
    const coins = poissonBinomialPmf(times(3, 0.5))
    expect(0.1 + 0.2).toBeGreaterThan(0.3)
    expect(weightedTailProbability(coins, [0, 1], { weight: 0.3, total: 2 + (0.1 + 0.2) })).toBeCloseTo(
      0.5,
      12,
    )
  })

  it('falls with what is to be reached, and rises with the chances', () => {
    const total = fc.double({ min: 0, max: 24, noNaN: true })
    const weight = fc.double({ min: 0.1, max: 4, noNaN: true })
    fc.assert(
      fc.property(chances, chances, weight, total, (first, second, heavy, reach) => {
        const [one, other] = [poissonBinomialPmf(first), poissonBinomialPmf(second)]
        const reached = weightedTailProbability(one, other, { weight: heavy, total: reach })
        expect(reached).toBeGreaterThanOrEqual(0)
        expect(reached).toBeLessThanOrEqual(1 + 1e-9)
        expect(weightedTailProbability(one, other, { weight: heavy, total: reach + 1 })).toBeLessThanOrEqual(
          reached + 1e-12,
        )
        const better = poissonBinomialPmf(first.map(each => Math.min(1, each + 0.1)))
        expect(
          weightedTailProbability(better, other, { weight: heavy, total: reach }),
        ).toBeGreaterThanOrEqual(reached - 1e-9)
      }),
    )
  })
})

describe('chanceOfSplit', () => {
  it.each([
    [1, 1 / 2],
    [2, 1 / 6],
    [3, 1 / 20],
    [4, 1 / 70],
    [5, 1 / 252],
  ])('of one task with all %d passes on one side is one of the ways to deal them', (each, exact) => {
    expect(permutationPValue([{ candidate: each, current: 0, each }])).toBeCloseTo(exact, 12)
    expect(permutationPValue([{ candidate: 0, current: each, each }])).toBeCloseTo(1, 12)
  })

  it('counts what is as extreme or more', () => {
    // 3 of 4 against 1 of 4: (4·4 + 1) / C(8,4).
    expect(permutationPValue([{ candidate: 3, current: 1, each: 4 }])).toBeCloseTo(17 / 70, 12)
    expect(permutationPValue([{ candidate: 2, current: 2, each: 4 }])).toBeCloseTo(53 / 70, 12)
  })

  it('multiplies over tasks, and learns nothing from those that always pass or never do', () => {
    const won = { candidate: 4, current: 0, each: 4 }
    expect(permutationPValue([won, won])).toBeCloseTo(1 / 4900, 12)
    const idle = [
      { candidate: 4, current: 4, each: 4 },
      { candidate: 0, current: 0, each: 4 },
    ]
    expect(permutationPValue([won, ...idle])).toBeCloseTo(1 / 70, 12)
    expect(permutationPValue(idle)).toBeCloseTo(1, 12)
    expect(permutationPValue([])).toBe(1)
  })

  it('is a chance, and falls with every pass that goes to the candidate instead', () => {
    const each = 4
    const counts = fc.integer({ min: 0, max: each })
    const task = fc.record({ candidate: counts, current: counts, each: fc.constant(each) })
    fc.assert(
      fc.property(fc.array(task, { minLength: 1, maxLength: 6 }), tasks => {
        const before = permutationPValue(tasks)
        expect(before).toBeGreaterThan(0)
        expect(before).toBeLessThanOrEqual(1 + 1e-9)
        const [first, ...others] = tasks
        if (first === undefined || first.candidate === each || first.current === 0) return
        const moved = { candidate: first.candidate + 1, current: first.current - 1, each }
        expect(permutationPValue([moved, ...others])).toBeLessThan(before)
      }),
    )
  })
})
