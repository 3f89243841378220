const heartbeatMs = 15_000
const heartbeat = ':\n\n'
/** After an interruption, such as a restart of the server. */
const comeBack = 'retry: 1000\n\n'

/** One message of a stream of server-sent events. JSON has no line breaks of its own. */
export function eventMessage(name: string, data: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/**
 * The next message is made when the one before was taken: a client that is slow, or asleep, costs no memory. Proxies and
 * browsers hear something now and then also where nothing happens.
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
        // Not waited for: it ends when what it waits for does.
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

/** What comes, and `undefined` whenever nothing has come for so long. */
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
    // What still comes is for nobody any more, also if it is a failure.
    coming?.catch(() => undefined)
    void iterator.return?.()
  }
}

/** Undefined if it takes longer. */
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
