import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventMessage, eventStream, withinTime, withTicks } from './event-stream.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/**
 * A source of messages controlled by the test. It records how many were requested and whether the consumer
 * has stopped.
 */
function createSource<T>() {
  const waiting: { resolve(result: IteratorResult<T>): void; reject(error: unknown): void }[] = []
  const state = { asked: 0, hasEnded: false }
  const source: AsyncIterable<T> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        state.asked += 1
        return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
      },
      async return() {
        state.hasEnded = true
        return { done: true, value: undefined }
      },
    }),
  }
  return {
    source,
    state,
    say: (value: T) => waiting.shift()?.resolve({ done: false, value }),
    end: () => waiting.shift()?.resolve({ done: true, value: undefined }),
    fail: (error: unknown) => waiting.shift()?.reject(error),
  }
}

describe('a message', () => {
  it('is one line of JSON, whatever is in it', () => {
    expect(eventMessage('runs', { text: 'a\nb\r\n\n' }, '12-ab')).toBe(
      'id: 12-ab\nevent: runs\ndata: {"text":"a\\nb\\r\\n\\n"}\n\n',
    )
    expect(eventMessage('runs', [])).toBe('event: runs\ndata: []\n\n')
  })
})

describe('ticks', () => {
  it('come after each silent interval, without losing a message', async () => {
    const { source, say, end, state } = createSource<string>()
    const ticking = withTicks(source, 1000)
    const first = ticking.next()
    await vi.advanceTimersByTimeAsync(1000)
    expect(await first).toEqual({ done: false, value: undefined })
    const second = ticking.next()
    await vi.advanceTimersByTimeAsync(999)
    say('late')
    expect(await second).toEqual({ done: false, value: 'late' })
    // The tick did not cause a second request for the pending message.
    expect(state.asked).toBe(1)
    const last = ticking.next()
    await vi.advanceTimersByTimeAsync(0)
    end()
    expect(await last).toEqual({ done: true, value: undefined })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('end with the consumer, even if the pending message fails later', async () => {
    const { source, state, fail } = createSource<string>()
    const ticking = withTicks(source, 1000)
    const first = ticking.next()
    await vi.advanceTimersByTimeAsync(1000)
    await first
    await ticking.return(undefined)
    expect(state.hasEnded).toBe(true)
    // The error must be swallowed: an unhandled rejection would fail this test.
    fail(new Error('too late to matter'))
    await vi.advanceTimersByTimeAsync(10)
  })

  it('propagate errors of the source', async () => {
    const { source, fail, state } = createSource<string>()
    const first = withTicks(source, 1000).next()
    const caught = expect(first).rejects.toThrow('broken')
    await vi.advanceTimersByTimeAsync(0)
    fail(new Error('broken'))
    await caught
    expect(state.hasEnded).toBe(true)
  })
})

describe('a stream', () => {
  const decoder = new TextDecoder()
  const readerOf = (response: Response) => {
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    return {
      cancel: () => reader.cancel(),
      async read() {
        const { done, value } = await reader.read()
        return done ? undefined : decoder.decode(value)
      },
    }
  }

  it('must not be cached', () => {
    const { headers } = eventStream(createSource<string>().source)
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('sends the retry delay, then messages, and heartbeats when idle', async () => {
    const { source, say, end } = createSource<string>()
    const { read } = readerOf(eventStream(source))
    expect(await read()).toBe('retry: 1000\n\n')
    const message = read()
    await vi.advanceTimersByTimeAsync(0)
    say(eventMessage('a', 1))
    expect(await message).toBe('event: a\ndata: 1\n\n')
    const quiet = read()
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await quiet).toBe(':\n\n')
    const last = read()
    await vi.advanceTimersByTimeAsync(0)
    end()
    expect(await last).toBeUndefined()
  })

  it('requests no message before the client reads', async () => {
    const { source, state, say } = createSource<string>()
    const { read } = readerOf(eventStream(source))
    await vi.advanceTimersByTimeAsync(100)
    expect(state.asked).toBe(0)
    await read()
    expect(state.asked).toBe(0)
    const message = read()
    await vi.advanceTimersByTimeAsync(0)
    say('one')
    await message
    await vi.advanceTimersByTimeAsync(100)
    expect(state.asked).toBe(1)
  })

  it('that is cancelled ends its source', async () => {
    const { source, state, say } = createSource<string>()
    const { read, cancel } = readerOf(eventStream(source))
    await read()
    const message = read()
    await vi.advanceTimersByTimeAsync(0)
    say('one')
    await message
    await cancel()
    await vi.advanceTimersByTimeAsync(0)
    expect(state.hasEnded).toBe(true)
  })
})

describe('within a time', () => {
  it('resolves with the value, or with undefined if late', async () => {
    expect(await withinTime(Promise.resolve(1), 1000)).toBe(1)
    const late = withinTime(new Promise(() => undefined), 1000)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await late).toBeUndefined()
    await expect(withinTime(Promise.reject(new Error('no')), 1000)).rejects.toThrow('no')
    expect(vi.getTimerCount()).toBe(0)
  })
})
