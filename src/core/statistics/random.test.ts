import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InputError } from '../errors/errors.js'
import { hashSeed, PythonRandom, ratioSplit, seededShuffle, splitCounts } from './random.js'

const upTo = (limit: number) => Array.from({ length: limit }, (_, index) => index)

describe('PythonRandom', () => {
  it('draws the bits that CPython draws', () => {
    const random = new PythonRandom(7)
    expect([1, 8, 31, 32].map(bits => random.getRandomBits(bits))).toEqual([0, 242, 323946139, 1695753998])
  })

  it.each([
    [0, [7, 8, 1, 5, 3, 4, 2, 0, 9, 6]],
    [42, [7, 3, 2, 8, 5, 6, 9, 4, 0, 1]],
    [-42, [7, 3, 2, 8, 5, 6, 9, 4, 0, 1]],
    [2 ** 40 + 3, [8, 5, 6, 7, 9, 2, 4, 1, 0, 3]],
    [0xffffffffffffffffn, [2, 6, 7, 9, 8, 1, 4, 5, 3, 0]],
  ])('shuffles as random.Random(%s) does', (seed, shuffled) => {
    expect(seededShuffle(upTo(10), seed)).toEqual(shuffled)
  })

  it('samples as random.sample does, from a pool and from a set', () => {
    expect(new PythonRandom(42).sample(upTo(100), 5)).toEqual([81, 14, 3, 94, 35])
    const sampled = [20, 3, 0, 23, 8, 7, 24, 4, 28, 17, 2, 18, 13, 1, 27, 16, 21, 29, 25, 9]
    expect(new PythonRandom(42).sample(upTo(30), 20)).toEqual(sampled)
    const last = [6, 21, 22, 85, 86].map(count => new PythonRandom(5).sample(upTo(500), count).at(-1))
    expect(last).toEqual([353, 57, 190, 1, 436])
  })

  it('refuses seeds and samples that make no sense', () => {
    expect(() => new PythonRandom(0.5)).toThrow(InputError)
    expect(() => new PythonRandom(1).sample([1], 2)).toThrow(InputError)
  })

  it('shuffles a copy that has the same items', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat(), (items, seed) => {
        const before = [...items]
        const shuffled = seededShuffle(items, seed)
        expect(items).toEqual(before)
        expect([...shuffled].sort()).toEqual([...items].sort())
        expect(seededShuffle(items, seed)).toEqual(shuffled)
      }),
      { numRuns: 50 },
    )
  })
})

describe('ratioSplit', () => {
  it('loses nothing and repeats nothing', () => {
    const ratios = fc
      .tuple(fc.nat(9), fc.nat(9), fc.integer({ min: 1, max: 9 }))
      .map(parts => parts.join(':'))
    fc.assert(
      fc.property(fc.nat(300), ratios, (total, ratio) => {
        const counts = splitCounts(total, ratio)
        expect(counts.train + counts.val + counts.test).toBe(total)
        const { train, val, test } = ratioSplit(upTo(total), ratio, 42)
        expect(new Set([...train, ...val, ...test]).size).toBe(total)
      }),
    )
  })

  it.each(['', '2:1', '1:1:1:1', '0:0:0', 'a:b:c', '2:-1:7', '2:1:Infinity', '2::7'])('refuses %j', ratio => {
    expect(() => splitCounts(10, ratio)).toThrow(InputError)
  })
})

describe('hashSeed', () => {
  it('is a stable 31-bit number that differs between texts', () => {
    const seeds = upTo(2000).map(index => hashSeed(`text ${index}`))
    for (const seed of seeds) expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true)
    expect(new Set(seeds).size).toBe(2000)
    expect(hashSeed('text 1')).toBe(seeds[1])
  })
})
