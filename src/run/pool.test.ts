import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { after, fail, never, ok, outcome, setUp } from '../../test/pool-under-test.js'
import { CapReachedError, PausedError } from '../core/errors/errors.js'
import type { Reservation } from '../core/log/event.js'
import { Budget } from './budget.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a call', () => {
  it('returns reply, tries, the model’s time and the cost', async () => {
    const { call, seen, budget } = setUp(() => after(250))
    expect(await outcome(call())).toEqual({ reply: ok, tries: 1, ms: 250, cost: 5 })
    expect(seen.log).toEqual(['started 1'])
    expect(budget.spent).toMatchObject({ calls: 1, tokens: 5, cost: 5 })
  })

  it('has an unknown cost if the provider does not say what it used', async () => {
    const { call } = setUp(() => ({ ...ok, usage: { input: 3 } }))
    expect(await outcome(call())).toMatchObject({ cost: undefined })
  })

  it('is announced, with what it reserves, before the model sees it', async () => {
    let announce = () => {}
    let reserved: Reservation | undefined
    const { call, seen } = setUp(() => ok)
    const calling = call('hello', {
      hooks: {
        started: info => {
          reserved = info.reserved
          return new Promise(resolve => {
            announce = resolve
          })
        },
      },
    })
    await vi.advanceTimersByTimeAsync(100)
    expect(seen.texts).toEqual([])
    expect(reserved).toEqual({ input: 101, output: 10, cost: 111 })
    announce()
    await calling
    expect(seen.texts).toEqual(['hello'])
  })

  it('that cannot be announced is not made, nor charged', async () => {
    const { call, seen, budget } = setUp(() => ok)
    const full = new PausedError('The disk is full.')
    expect(await outcome(call('x', { hooks: { started: () => Promise.reject(full) } }))).toBe(full)
    expect(seen.texts).toEqual([])
    expect(budget.spent).toMatchObject({ calls: 0, tokens: 0 })
  })

  it('passes on a fault of the program, charged whole', async () => {
    const fault = new TypeError('a bug')
    const { call, budget } = setUp(() => Promise.reject(fault))
    expect(await outcome(call())).toBe(fault)
    expect(budget.spent).toMatchObject({ calls: 1, tokens: 111 })
  })
})

describe('slots', () => {
  it('are as many as configured, for each role apart', async () => {
    const { call, seen } = setUp(() => after(100), { concurrency: 3 })
    await outcome(Promise.all(Array.from({ length: 10 }, () => call())))
    expect(seen.most).toBe(3)
    await outcome(Promise.all([...Array(5).keys()].flatMap(() => [call(), call('x', { role: 'judge' })])))
    expect(seen.most).toBe(6)
  })

  it('go to the highest priority first, and in order within one', async () => {
    const { call, seen } = setUp(() => after(1), { concurrency: 1 })
    const priorities = { first: 0, low: -1, a: 1, b: 1, high: 2, c: 1 }
    await outcome(Promise.all(Object.entries(priorities).map(([text, priority]) => call(text, { priority }))))
    expect(seen.texts).toEqual(['first', 'high', 'a', 'b', 'c', 'low'])
  })

  it('are not held while a call waits to be tried again', async () => {
    const { call, seen } = setUp((_, __, text) => (text === 'bad' ? fail('server') : ok), { concurrency: 1 })
    const bad = outcome(call('bad'), 0)
    const good = await outcome(call('good'), 0)
    expect(good).toMatchObject({ tries: 1 })
    expect(seen.texts).toEqual(['bad', 'good'])
    await vi.advanceTimersByTimeAsync(60_000)
    await bad
  })

  it('keep to requests per minute', async () => {
    const { call, seen } = setUp(() => ok, { requestsPerMinute: 2 })
    const began = performance.now()
    await outcome(Promise.all(Array.from({ length: 5 }, () => call())))
    expect(seen.times.map(time => Math.round((time - began) / 1000))).toEqual([0, 0, 60, 60, 120])
  })
})

describe('a failed try', () => {
  it('is repeated with growing waits, and told each time', async () => {
    const { call, seen, budget } = setUp(n => (n < 3 ? fail('server', { mayHaveCost: n === 2 }) : ok))
    const began = performance.now()
    expect(await outcome(call())).toMatchObject({ tries: 3 })
    expect(seen.times.map(time => time - began)).toEqual([0, 250, 750])
    expect(seen.log).toEqual([
      'started 1',
      'failed 1 server retry in 250',
      'started 2',
      'failed 2 server charged retry in 500',
      'started 3',
    ])
    expect(budget.spent).toMatchObject({ calls: 3, tokens: 111 + 5 })
  })

  it('throws its failure when no retry is left', async () => {
    const { call, seen } = setUp(() => fail('server'))
    expect(await outcome(call())).toMatchObject({ kind: 'server' })
    expect(seen.log.at(-1)).toBe('failed 3 server')
  })

  it('is not repeated if that cannot help', async () => {
    const { call, seen } = setUp(() => fail('rejected'))
    expect(await outcome(call())).toMatchObject({ kind: 'rejected' })
    expect(seen.log).toEqual(['started 1', 'failed 1 rejected'])
  })

  it('by silence ends at the timeout, even if the model ignores it, and is charged', async () => {
    let told: unknown
    const { call, seen } = setUp((n, signal) => {
      signal.addEventListener('abort', () => {
        told = signal.reason
      })
      return n === 1 ? never() : ok
    })
    expect(await outcome(call())).toMatchObject({ tries: 2 })
    expect(seen.log[1]).toBe('failed 1 timeout charged retry in 250')
    expect(told).toMatchObject({ kind: 'timeout', message: 'No reply within 10 seconds.' })
  })

  it('that answers after its time does not disarm the next try', async () => {
    const { call } = setUp(n => (n === 1 ? after(10_500) : never()), { retries: 1 })
    expect(await outcome(call(), 30_000)).toMatchObject({ kind: 'timeout' })
  })
})

describe('a 429', () => {
  it('halves the slots once for all calls in flight, and successes bring them back one by one', async () => {
    const { call, seen } = setUp(
      async n => {
        await after(100)
        return n <= 8 ? fail('rate-limit') : ok
      },
      { concurrency: 8 },
    )
    await outcome(Promise.all(Array.from({ length: 8 }, () => call())))
    expect(seen.most).toBe(8)
    const flightsAt = (time: number) => seen.times.filter(t => t > time - 100 && t <= time).length
    const retries = seen.times.slice(8)
    expect(flightsAt(retries[0] ?? 0)).toBe(4)
    expect(Math.max(...retries.map(flightsAt))).toBeLessThanOrEqual(5)
    await outcome(Promise.all(Array.from({ length: 60 }, () => call())))
    expect(Math.max(...seen.times.slice(-20).map(flightsAt))).toBe(8)
  })

  it('with Retry-After stops everybody in the lane until then', async () => {
    const { call, seen } = setUp(n => (n === 1 ? fail('rate-limit', { retryAfterMs: 7_000 }) : ok), {
      concurrency: 2,
    })
    const began = performance.now()
    const first = call()
    await vi.advanceTimersByTimeAsync(1_000)
    await outcome(Promise.all([first, call(), call()]))
    const [, ...later] = seen.times.map(time => time - began)
    expect(later.length).toBe(3)
    expect(Math.min(...later)).toBeGreaterThanOrEqual(7_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that asks for hours pauses the run', async () => {
    const { call } = setUp(() => fail('rate-limit', { retryAfterMs: 7_200_000 }))
    expect(await outcome(call())).toBeInstanceOf(PausedError)
  })
})

it('stops at a cap before the call, and the calls in flight are still answered', async () => {
  const { call, seen } = setUp(() => after(10), { concurrency: 4 }, new Budget({ maxCalls: 3 }))
  const results = await Promise.all(Array.from({ length: 5 }, () => outcome(call(), 100)))
  expect(results.filter(result => result instanceof CapReachedError)).toHaveLength(2)
  expect(seen.texts).toHaveLength(3)
})

it('refuses calls that have not started once it is told to, and answers those that have', async () => {
  const { pool, call, seen } = setUp(() => after(10), { concurrency: 1 })
  const [begun, waiting] = [call('begun'), call('waiting')].map(one => outcome(one, 0))
  const reason = new CapReachedError('maxCalls', 'Enough.')
  await vi.advanceTimersByTimeAsync(1)
  pool.refuse(reason)
  expect(await waiting).toBe(reason)
  await vi.advanceTimersByTimeAsync(20)
  expect(await begun).toMatchObject({ reply: ok })
  await expect(call('late')).rejects.toBe(reason)
  expect(seen.texts).toEqual(['begun'])
})
