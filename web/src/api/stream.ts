import { type ApiError, refusalOf } from './client.js'
import { noteConnection } from './connection.js'

/**
 * State of the connection: `lost` while retrying; `refused` when the server rejected the stream, which is
 * final.
 */
export type Connection = 'connecting' | 'live' | 'lost' | 'refused'

export interface StreamListener {
  /** A message with one of the requested names, its JSON parsed. */
  message(name: string, data: unknown): void
  connection(state: Connection, refusal?: ApiError): void
}

/** Browser APIs that a stream needs; tests replace them. */
export interface StreamWorld {
  source(path: string): EventSource
  refusal(path: string): Promise<ApiError | undefined>
  later(milliseconds: number, callback: () => void): () => void
  /** Whether the page is hidden, and a subscription to changes of that. */
  isHidden(): boolean
  onVisibility(changed: () => void): () => void
}

/** A hidden page gives up its connection, because a browser allows six per server across all pages. */
const hiddenFor = 20_000
const firstWait = 500
const longestWait = 15_000

/** `EventSource.CLOSED`: it does not reconnect by itself. */
const closed = 2

/**
 * Follows a stream of server-sent events until closed. An EventSource reconnects by itself with its last
 * event id. When it gives up, the server is asked why, and unless it refuses, a new stream is opened from
 * the beginning. Returns a function that closes the stream.
 */
export function openStream(
  path: string,
  names: readonly string[],
  listener: StreamListener,
  world: StreamWorld = browser,
): () => void {
  /** Undefined while the page is hidden, and after a refusal. */
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
