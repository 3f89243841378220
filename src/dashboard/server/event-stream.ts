const heartbeatMs = 15_000
const heartbeat = ':\n\n'
/** Tells the browser to reconnect after this many milliseconds, for example on a server restart. */
const comeBack = 'retry: 1000\n\n'

/** Formats one server-sent event. JSON.stringify emits no line breaks, so one `data` line is enough. */
export function eventMessage(name: string, data: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/**
 * Responds with server-sent events. The next message is produced only after the previous one was read, so a
 * slow or sleeping client uses no memory. Heartbeats keep idle connections open in proxies and browsers.
 */
export function eventStream(messages: AsyncIterable<string>): Response {
  const texts = begunWith(comeBack, withTicks(messages, heartbeatMs))
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await texts.next()
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(value ?? heartbeat))
      },
      cancel() {
        // Not awaited, because the generator returns only once its pending message settles.
        void texts.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
  })
}

async function* begunWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first
  yield* rest
}

/** Yields the source's values, and `undefined` whenever none has arrived for `everyMs`. */
export async function* withTicks<T>(
  source: AsyncIterable<T>,
  everyMs: number,
): AsyncGenerator<T | undefined, undefined> {
  const iterator = source[Symbol.asyncIterator]()
  let coming: Promise<IteratorResult<T>> | undefined
  try {
    for (;;) {
      coming ??= iterator.next()
      const next = await withinTime(coming, everyMs)
      if (next?.done === true) return undefined
      if (next !== undefined) coming = undefined
      yield next?.value
    }
  } finally {
    // Nobody reads the stream any more, so a late failure of the pending message is ignored.
    coming?.catch(() => undefined)
    void iterator.return?.()
  }
}

/** Resolves with the promise's value, or with undefined after the given time. */
export async function withinTime<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), milliseconds)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
