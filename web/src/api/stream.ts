import { type ApiError, refusalOf } from './client.js'
import { noteConnection } from './connection.js'

/** Of the way to the server: `lost` while it is tried again; `refused` when the server said no, which ends it. */
export type Connection = 'connecting' | 'live' | 'lost' | 'refused'

export interface StreamListener {
  /** A message of one of the names that were asked for, with its JSON read. */
  message(name: string, data: unknown): void
  connection(state: Connection, refusal?: ApiError): void
}

/** What a stream needs of a browser: a test has its own. */
export interface StreamWorld {
  source(path: string): EventSource
  refusal(path: string): Promise<ApiError | undefined>
  later(milliseconds: number, callback: () => void): () => void
  /** Whether nobody looks at the page, and word of each change of that. */
  isHidden(): boolean
  onVisibility(changed: () => void): () => void
}

/** A page that nobody looks at gives its connection back: a browser has six for all the pages of a server. */
const hiddenFor = 20_000
const firstWait = 500
const longestWait = 15_000

/** `EventSource.CLOSED`: it does not come back by itself. */
const closed = 2

/**
 * Follows a stream of server-sent events until it is closed. An EventSource comes back by itself when a connection
 * breaks, with what it saw last; when it gives up, the server is asked why, and unless it refuses, tried again from the
 * beginning. Returns how to close it.
 */
export function openStream(
  path: string,
  names: readonly string[],
  listener: StreamListener,
  world: StreamWorld = browser,
): () => void {
  /** Undefined while nobody looks, and after a refusal. */
  let source: EventSource | undefined
  let wait = firstWait
  let stopRetry = nothing
  let stopHiding = nothing

  const tell = (state: Connection, refusal?: ApiError) => {
    noteConnection(listener, state)
    listener.connection(state, refusal)
  }

  const open = () => {
    const opened = world.source(path)
    source = opened
    opened.onopen = () => {
      wait = firstWait
      tell('live')
    }
    opened.onerror = () => {
      tell('lost')
      if (opened.readyState === closed) void goOn(opened)
    }
    for (const name of names) {
      opened.addEventListener(name, event => listener.message(name, JSON.parse(event.data)))
    }
  }

  const goOn = async (failed: EventSource) => {
    const refusal = await world.refusal(path)
    if (source !== failed) return
    if (refusal === undefined) {
      stopRetry = world.later(wait, open)
      wait = Math.min(longestWait, wait * 2)
    } else {
      source = undefined
      tell('refused', refusal)
    }
  }

  const release = () => {
    stopRetry()
    source?.close()
    source = undefined
  }

  const forgetVisibility = world.onVisibility(() => {
    stopHiding()
    if (world.isHidden()) stopHiding = world.later(hiddenFor, release)
    else if (source === undefined) {
      tell('connecting')
      open()
    }
  })

  tell('connecting')
  open()
  return () => {
    forgetVisibility()
    stopHiding()
    release()
    noteConnection(listener, undefined)
  }
}

function nothing() {}

const browser: StreamWorld = {
  source: path => new EventSource(path),
  refusal: refusalOf,
  later(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
  isHidden: () => document.hidden,
  onVisibility(changed) {
    document.addEventListener('visibilitychange', changed)
    return () => document.removeEventListener('visibilitychange', changed)
  },
}
