import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventMessage, eventStream, withinTime, withTicks } from './event-stream.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Messages when the test says so; tells whether anybody still listens, and how many were asked for. */
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
  it('come whenever nothing has come for so long, and no message is lost by them', async () => {
    const { source, say, end, state } = createSource<string>()
    const ticking = withTicks(source, 1000)
    const first = ticking.next()
    await vi.advanceTimersByTimeAsync(1000)
    expect(await first).toEqual({ done: false, value: undefined })
    const second = ticking.next()
    await vi.advanceTimersByTimeAsync(999)
    say('late')
    expect(await second).toEqual({ done: false, value: 'late' })
    // The message that the tick came before was not asked for again.
    expect(state.asked).toBe(1)
    const last = ticking.next()
    await vi.advanceTimersByTimeAsync(0)
    end()
    expect(await last).toEqual({ done: true, value: undefined })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('end with the listener, also while a message is awaited that then fails', async () => {
    const { source, state, fail } = createSource<string>()
    const ticking = withTicks(source, 1000)
    const first = ticking.next()
    await vi.advanceTimersByTimeAsync(1000)
    await first
    await ticking.return(undefined)
    expect(state.hasEnded).toBe(true)
    // Nobody hears of it: an unhandled rejection would fail this test.
    fail(new Error('too late to matter'))
    await vi.advanceTimersByTimeAsync(10)
  })

  it('hand on what goes wrong', async () => {
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

  it('is nobody’s to keep', () => {
    const { headers } = eventStream(createSource<string>().source)
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('says first when to come back, then what comes, and something where nothing does', async () => {
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

  it('asks for nothing that nobody takes', async () => {
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

  it('that is given up ends its source', async () => {
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
  it('is what came, or nothing', async () => {
    expect(await withinTime(Promise.resolve(1), 1000)).toBe(1)
    const late = withinTime(new Promise(() => undefined), 1000)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await late).toBeUndefined()
    await expect(withinTime(Promise.reject(new Error('no')), 1000)).rejects.toThrow('no')
    expect(vi.getTimerCount()).toBe(0)
  })
})
