import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RateWindow, sleep } from './rate-limit.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal

/** Lets callers in as the clock advances, and returns the second at which each got through. */
async function timesOf(
  window: RateWindow,
  tokens: number[],
  seconds: number,
  used?: number,
): Promise<number[]> {
  const began = performance.now()
  const times: number[] = []
  for (const [index, reserved] of tokens.entries()) {
    window.enter(reserved, never).then(settle => {
      times[index] = Math.round((performance.now() - began) / 1000)
      if (used !== undefined) settle(used)
    })
  }
  await vi.advanceTimersByTimeAsync(seconds * 1000)
  return times
}

describe('requests per minute', () => {
  it('lets no minute see more, wherever it begins', async () => {
    const window = new RateWindow({ requestsPerMinute: 3 })
    expect(await timesOf(window, [1, 1], 30)).toEqual([0, 0])
    expect(await timesOf(window, [1, 1, 1, 1, 1], 120)).toEqual([0, 30, 30, 60, 90])
  })
})

describe('tokens per minute', () => {
  it('counts what is reserved while the usage is not known', async () => {
    const window = new RateWindow({ tokensPerMinute: 100 })
    expect(await timesOf(window, [60, 40, 1, 99, 100], 200)).toEqual([0, 0, 60, 60, 120])
  })

  it('lets the next one in when a call turns out to have used less', async () => {
    const window = new RateWindow({ tokensPerMinute: 100 })
    const settle = await window.enter(90, never)
    let entered = false
    window.enter(90, never).then(() => {
      entered = true
    })
    await vi.advanceTimersByTimeAsync(1000)
    expect(entered).toBe(false)
    settle(10)
    await vi.advanceTimersByTimeAsync(0)
    expect(entered).toBe(true)
  })

  it('learns that calls use a fraction of what they reserve', async () => {
    const window = new RateWindow({ tokensPerMinute: 1_000_000 })
    for (let call = 0; call < 100; call++) (await window.enter(100, never))(10)
    const tight = await timesOf(window, [9_000_000], 10)
    expect(tight).toEqual([0])
  })

  it('lets a call that is larger than a minute through alone, rather than never', async () => {
    const window = new RateWindow({ tokensPerMinute: 100 })
    expect(await timesOf(window, [10, 500, 10], 200)).toEqual([0, 60, 120])
  })

  it('does not count a call that ended after its minute', async () => {
    const window = new RateWindow({ tokensPerMinute: 100 })
    const settle = await window.enter(100, never)
    await vi.advanceTimersByTimeAsync(61_000)
    settle(100)
    expect(await timesOf(window, [100], 1)).toEqual([0])
  })
})

it('lets those behind pass when one gives up', async () => {
  const window = new RateWindow({ requestsPerMinute: 1 })
  await window.enter(1, never)
  const giveUp = new AbortController()
  const second = window.enter(1, giveUp.signal).catch((error: unknown) => error)
  const third = timesOf(window, [1], 100)
  giveUp.abort('no more')
  expect(await second).toBe('no more')
  expect(await third).toEqual([60])
})

it('sleeps until it is told to stop', async () => {
  const stop = new AbortController()
  const long = sleep(1e6, stop.signal).catch((error: unknown) => error)
  stop.abort('enough')
  expect(await long).toBe('enough')
  expect(vi.getTimerCount()).toBe(0)
  await expect(sleep(1, stop.signal)).rejects.toBe('enough')
})
