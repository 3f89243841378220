import { describe, expect, it } from 'vitest'
import { CapReachedError, PausedError } from '../core/errors/errors.js'
import { nothingSpent, type Spent } from '../run/spending.js'
import { capsLeft, overall, sumOfSpent } from './shared-caps.js'

const spent = (changed: Partial<Spent>): Spent => ({ ...nothingSpent, ...changed })
const minute = 60_000
const whole = 'all targets together'

describe('capsLeft', () => {
  it('subtracts the spending of other runs but not its own', () => {
    const limits = { maxCalls: 10, maxTokens: 1000, maxCost: 2, maxTime: 5 }
    const others = spent({ calls: 4, tokens: 300, cost: 0.5, activeMs: 2 * minute })
    const own = spent({ calls: 3, tokens: 100, cost: 0.1, activeMs: minute })
    expect(capsLeft(limits, { own, others }, whole)).toEqual({
      maxCalls: 6,
      maxTokens: 700,
      maxCost: 1.5,
      maxTime: 3,
    })
  })

  it('has no cap where none was set', () => {
    expect(capsLeft({}, { own: nothingSpent, others: spent({ calls: 100 }) }, whole)).toEqual({})
    expect(
      capsLeft({ maxCalls: undefined }, { own: nothingSpent, others: spent({ calls: 100 }) }, whole),
    ).toEqual({})
  })

  it.each([
    ['maxCalls', 10, spent({ calls: 10 }), 'The cap of 10 calls for all targets together is reached.'],
    ['maxTokens', 1000, spent({ tokens: 1200 }), 'The cap of 1,000 tokens for all targets'],
    ['maxCost', 2, spent({ cost: 2 }), 'The cap of $2.00 for all targets'],
    ['maxTime', 1, spent({ activeMs: minute }), 'The cap of 1 minute for all targets'],
    ['maxTime', 4 / 60, spent({ activeMs: minute }), 'The cap of 0.07 minutes for all targets'],
    ['maxTime', 1.5, spent({ activeMs: 2 * minute }), 'The cap of 1.5 minutes for all targets'],
  ])('lets nothing begin once %s is used up', (cap, limit, others, message) => {
    expect(() => capsLeft({ [cap]: limit }, { own: nothingSpent, others }, whole)).toThrow(message)
    expect(() => capsLeft({ [cap]: limit }, { own: nothingSpent, others }, whole)).toThrow(CapReachedError)
  })

  it('gives a run that has made calls a cap that they have already used up', () => {
    const limits = { maxCalls: 10, maxTokens: 1000, maxTime: 1 }
    const others = spent({ calls: 20, tokens: 2000, activeMs: 2 * minute })
    const own = spent({ calls: 1, tokens: 80, activeMs: 10 })
    const left = capsLeft(limits, { own, others }, whole)
    expect(left.maxCalls).toBeGreaterThan(0)
    expect(left.maxCalls).toBeLessThanOrEqual(own.calls)
    expect(left.maxTokens).toBeLessThanOrEqual(own.tokens)
    expect((left.maxTime ?? 1) * minute).toBeLessThan(own.activeMs)
  })
})

it('sumOfSpent adds every figure that has a cap', () => {
  const one = { calls: 1, tokens: 2, cost: 3, activeMs: 4 }
  expect(sumOfSpent(one, one)).toEqual({ calls: 2, tokens: 4, cost: 6, activeMs: 8 })
})

describe('overall', () => {
  it('names the overall cap, not the share of a run', () => {
    const share = new CapReachedError('maxCalls', 'The cap of 3 calls is reached.')
    const told = overall(share, { maxCalls: 10 }, whole)
    expect(told?.message).toBe('The cap of 10 calls for all targets together is reached.')
    expect(told?.hint).toContain('--max-calls')
  })

  it('leaves other errors as they are', () => {
    const paused = new PausedError('The key was refused.')
    expect(overall(paused, {}, whole)).toBe(paused)
    expect(overall(undefined, {}, whole)).toBeUndefined()
  })
})
