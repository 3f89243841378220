import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { credibleCost, credibleUsage, isTokenCount } from './usage.js'

const most = { input: 500, output: 100 }
const said = { isEmpty: false }
const impossible = [-1, -1e9, 0.5, 12.25, Number.NaN, Number.POSITIVE_INFINITY, 1e15, 2 ** 53, 10_000_001]

describe('credibleUsage', () => {
  it('keeps plausible figures, even above the reservation', () => {
    const usage = { input: 900, output: 300, cachedInput: 100, cacheWrite: 20, reasoning: 250 }
    expect(credibleUsage(usage, most, said)).toBe(usage)
    expect(credibleUsage({}, most, said)).toEqual({})
    expect(credibleUsage({ input: 5_000_000 }, { input: 60_000, output: 1 }, said)).toEqual({
      input: 5_000_000,
    })
  })

  it.each(impossible)('takes %d for unknown', figure => {
    expect(credibleUsage({ input: figure, output: 3 }, most, said)).toEqual({ output: 3 })
    expect(credibleUsage({ input: 3, output: figure }, most, said)).toEqual({ input: 3 })
  })

  it.each(impossible)('does not trust a sum of which %d is a part', figure => {
    expect(credibleUsage({ input: 3, output: 2, cachedInput: figure }, most, said)).toEqual({ output: 2 })
    expect(credibleUsage({ input: 3, output: 2, cacheWrite: figure }, most, said)).toEqual({ output: 2 })
    expect(credibleUsage({ input: 3, output: 2, reasoning: figure }, most, said)).toEqual({ input: 3 })
  })

  it('prices nothing as cached where the cached parts exceed the input', () => {
    expect(credibleUsage({ input: 3, output: 2, cachedInput: 4 }, most, said)).toEqual({
      input: 3,
      output: 2,
    })
  })

  it('accepts zero output for an empty reply only, and zero input never', () => {
    expect(credibleUsage({ input: 0, output: 0 }, most, said)).toEqual({})
    expect(credibleUsage({ input: 0, output: 0 }, most, { isEmpty: true })).toEqual({ output: 0 })
    // A prompt is never empty, and a written reply took tokens; each side is checked separately.
    expect(credibleUsage({ input: 0, output: 2 }, most, said)).toEqual({ output: 2 })
    expect(credibleUsage({ input: 9, output: 0, reasoning: 0 }, most, said)).toEqual({ input: 9 })
  })

  it('returns valid counts or nothing, whatever the provider reports', () => {
    const figure = fc.oneof(fc.double(), fc.integer(), fc.constant(undefined))
    const usage = fc.record({
      input: figure,
      output: figure,
      cachedInput: figure,
      cacheWrite: figure,
      reasoning: figure,
    })
    fc.assert(
      fc.property(usage, told => {
        const kept = Object.values(credibleUsage(told, most, said))
        return kept.every(value => value === undefined || (isTokenCount(value) && value <= 10_000_000))
      }),
    )
  })
})

it.each([
  [0, 0],
  [1.5, 1.5],
  [-0.01, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [1e9, undefined],
  [undefined, undefined],
])('of a cost of %s keeps %s', (cost, kept) => {
  expect(credibleCost(cost)).toBe(kept)
})
