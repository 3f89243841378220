import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { after, fail, never, ok, outcome, setUp } from '../../test/pool-under-test.js'
import { CapReachedError, InterruptedError, PausedError, WorldFailure } from '../core/errors/errors.js'
import { Budget } from './budget.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a failure that says what it cost', () => {
  it.each([
    ['all of it', { usage: { input: 30, output: 20 } }, 50],
    ['a part of it, and the rest as reserved', { usage: { input: 30 } }, undefined],
  ])('is charged for %s', async (_, spent, tokens) => {
    const budget = new Budget({})
    const failing = () => {
      throw new WorldFailure('quota', 'used up', { retryable: false, mayHaveCost: true, spent })
    }
    const { call } = setUp(failing, {}, budget)
    await outcome(call('work'))
    const reserved = new Budget({})
    const other = setUp(() => fail('quota', { mayHaveCost: true }), {}, reserved)
    await outcome(other.call('work'))
    expect(budget.spent.tokens).toBe(tokens ?? reserved.spent.tokens)
  })
})

describe('usage that cannot be true', () => {
  const impossible = [-50, 2.5, Number.NaN, Number.POSITIVE_INFINITY, 1e15]
  const reservedTokens = async () => {
    const budget = new Budget({})
    const { call } = setUp(() => ({ ...ok, usage: {} }), {}, budget)
    await outcome(call('work'))
    return budget.spent
  }

  it.each(impossible)('(%d) is charged at the reservation and not logged', async figure => {
    const budget = new Budget({})
    const { call } = setUp(() => ({ ...ok, usage: { input: figure, output: figure } }), {}, budget)
    expect(await outcome(call('work'))).toMatchObject({ reply: { usage: {} }, cost: undefined })
    const { tokens, cost } = await reservedTokens()
    expect(budget.spent).toMatchObject({ tokens, cost })
  })

  it.each(impossible)('(%d) allows as many calls under a cap as the reservation does', async figure => {
    const made = async (usage: object) => {
      const budget = new Budget({ maxTokens: 1_000 })
      const { call, seen } = setUp(() => ({ ...ok, usage }), { concurrency: 1 }, budget)
      await Promise.all(Array.from({ length: 40 }, () => outcome(call('work'))))
      return seen.times.length
    }
    expect(await made({ input: figure, output: figure })).toBe(await made({}))
    expect(await made({ input: 1, output: figure })).toBe(await made({ input: 1 }))
  })

  it('neither lowers what a failure cost, nor does a cost below nothing', async () => {
    const budget = new Budget({})
    const { call } = setUp(() => ({ ...ok, cost: -3 }), {}, budget)
    await outcome(call('work'))
    expect(budget.spent.cost).toBe(5)
    const spent = { usage: { input: -30, output: 20 }, cost: -1 }
    const failing = () => {
      throw new WorldFailure('quota', 'used up', { retryable: false, mayHaveCost: true, spent })
    }
    const failed = new Budget({})
    await outcome(setUp(failing, {}, failed).call('work'))
    const { tokens, cost } = await reservedTokens()
    expect(failed.spent).toMatchObject({ tokens, cost })
  })
})

describe('a systemic fault', () => {
  it.each(['login', 'quota', 'not-found'] as const)(
    '(%s) pauses everybody at once, with one error',
    async kind => {
      const { call, seen } = setUp(
        async (_, __, text) => {
          await after(10)
          return text === 'bad' ? fail(kind) : ok
        },
        { concurrency: 2 },
      )
      const calls = ['bad', 'in flight', 'waiting', 'waiting too'].map(text => call(text))
      const other = call('waiting', { role: 'judge' })
      const results = await Promise.all([...calls, other].map(one => outcome(one, 20)))
      const [first] = results
      expect(first).toBeInstanceOf(PausedError)
      expect((first as PausedError).message).toContain('the target model test/model')
      expect((first as PausedError).message).toContain(`It was ${kind}.`)
      expect((first as PausedError).hint).toContain('rerun the same command to resume')
      expect(results[1]).toMatchObject({ reply: ok })
      expect(results.slice(2, 4)).toEqual([first, first])
      expect(results[2]).toBe(first)
      expect(await outcome(call('late'))).toBe(first)
      expect(seen.texts).not.toContain('waiting too')
    },
  )

  it('is also five calls in a row that ran out of retries', async () => {
    const { call } = setUp((_, __, text) => (text === 'good' ? ok : fail('server')), {
      retries: 0,
      concurrency: 1,
    })
    for (let n = 0; n < 4; n++) expect(await outcome(call())).toBeInstanceOf(WorldFailure)
    await outcome(call('good'))
    for (let n = 0; n < 4; n++) expect(await outcome(call())).toBeInstanceOf(WorldFailure)
    expect(await outcome(call())).toMatchObject({
      message: '5 calls in a row to the target model test/model failed, the last with: It was server.',
    })
  })

  it('is a refused request only as long as none was taken', async () => {
    const strict = setUp(() => fail('rejected'))
    for (let n = 0; n < 4; n++) expect(await outcome(strict.call())).toBeInstanceOf(WorldFailure)
    expect(await outcome(strict.call())).toBeInstanceOf(PausedError)
    const lenient = setUp((_, __, text) => (text === 'good' ? ok : fail('rejected')))
    await outcome(lenient.call('good'))
    for (let n = 0; n < 8; n++) expect(await outcome(lenient.call())).toBeInstanceOf(WorldFailure)
  })

  it('is an endpoint that cannot be reached, unless another call got through meanwhile', async () => {
    const gone = setUp(() => fail('transport'))
    expect(await outcome(gone.call())).toMatchObject({
      code: 'paused',
      message: 'No connection to the target model test/model in 3 tries: It was transport.',
    })
    const flaky = setUp((_, __, text) => (text === 'good' ? ok : fail('transport')))
    const bad = outcome(flaky.call(), 0)
    await vi.advanceTimersByTimeAsync(100)
    await flaky.call('good')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await bad).toBeInstanceOf(WorldFailure)
  })

  it('ends the waiting of calls that were to be tried again', async () => {
    const { call } = setUp((_, __, text) => fail(text === 'bad' ? 'login' : 'server'))
    const waiting = outcome(call('waits'), 0)
    const paused = await outcome(call('bad'), 0)
    expect(await waiting).toBe(paused)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('aborting', () => {
  it('ends calls at once, whatever they wait for, and makes no more', async () => {
    const { call, stop, seen, budget } = setUp(
      (_, __, text) => (text === 'fails' ? fail('server') : never()),
      {
        concurrency: 2,
        requestsPerMinute: 3,
      },
    )
    const calls = ['fails', 'in flight', 'in flight', 'waits for its turn', 'waits in line'].map(text =>
      call(text),
    )
    const results = Promise.all(calls.map(one => one.catch((error: unknown) => error)))
    await vi.advanceTimersByTimeAsync(100)
    stop.abort()
    for (const error of await results) expect(error).toBeInstanceOf(InterruptedError)
    await vi.advanceTimersByTimeAsync(200_000)
    expect(seen.texts).toEqual(['fails', 'in flight', 'in flight'])
    expect(vi.getTimerCount()).toBe(0)
    expect(budget.spent.calls).toBe(3)
    await expect(call()).rejects.toThrow(InterruptedError)
  })

  it('tells the model, and gives an error of ours on as it is', async () => {
    let told: unknown
    const { call, stop } = setUp((_, signal) => {
      signal.addEventListener('abort', () => {
        told = signal.reason
      })
      return never()
    })
    const calling = outcome(call(), 10)
    await vi.advanceTimersByTimeAsync(10)
    const reason = new PausedError('A scorer is broken.')
    stop.abort(reason)
    expect(await calling).toBe(reason)
    expect(told).toBe(reason)
  })

  it('leaves no listener behind, and uses one for many calls', async () => {
    const { call, stop } = setUp(() => after(5), { concurrency: 50 })
    const add = vi.spyOn(stop.signal, 'addEventListener')
    const remove = vi.spyOn(stop.signal, 'removeEventListener')
    await outcome(Promise.all(Array.from({ length: 100 }, () => call())))
    expect(add).toHaveBeenCalledTimes(1)
    expect(remove).toHaveBeenCalledTimes(1)
  })

  it('comes from the time cap too, as that', async () => {
    const { call } = setUp(never, { timeoutMs: 1e9 }, new Budget({ maxTime: 1 }))
    const error = await outcome(call(), 60_001)
    expect(error).toBeInstanceOf(CapReachedError)
    expect(error).toMatchObject({ cap: 'maxTime' })
    await expect(call()).rejects.toThrow(CapReachedError)
  })
})
