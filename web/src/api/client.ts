import { useSyncExternalStore } from 'react'
import { visible } from '../../../src/core/text/visible.js'
import {
  changeHeader,
  type DashboardProblem,
  type DashboardSession,
} from '../../../src/dashboard/contract/session.js'

/** An error reported by the server, or a failure to reach the server. Has a message and a hint. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly hint: string | undefined,
    readonly status: number,
  ) {
    super(message)
  }
}

let session: Promise<DashboardSession> | undefined

/**
 * Fetches the session once. It is fetched again after the server rejected a change, because the session may
 * be a new one.
 */
export function readSession(): Promise<DashboardSession> {
  session ??= getJson<DashboardSession>('/api/session').catch(error => {
    session = undefined
    throw error
  })
  return session
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answer<T>(await send(path, { headers: { accept: 'application/json' }, signal: signal ?? null }))
}

/** Sends a request that changes something. */
export async function postJson<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const { changeToken } = await readSession()
  const response = await send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [changeHeader]: changeToken },
    body: JSON.stringify(body),
    signal: signal ?? null,
  })
  if (response.status === 403) session = undefined
  return answer<T>(response)
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, credentials: 'same-origin', redirect: 'error' })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError(
      'The dashboard’s server does not answer.',
      'Start `skillopt view` again; the page goes on by itself.',
      0,
    )
  }
}

/** Asks the server why it refuses a stream. Undefined if it does not refuse, or cannot be reached. */
export async function refusalOf(path: string): Promise<ApiError | undefined> {
  const abort = new AbortController()
  try {
    const response = await send(path, { headers: { accept: 'text/event-stream' }, signal: abort.signal })
    return response.ok ? undefined : await refusalIn(response)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  } finally {
    abort.abort()
  }
}

async function answer<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T
  throw await refusalIn(response)
}

async function refusalIn(response: Response): Promise<ApiError> {
  const { error, hint } = await problemIn(response)
  // The message may contain user input, such as a folder name or a value.
  return new ApiError(visible(error), hint === undefined ? undefined : visible(hint), response.status)
}

async function problemIn(response: Response): Promise<DashboardProblem> {
  try {
    return (await response.json()) as DashboardProblem
  } catch {
    // The response did not come from our server but, for example, from a proxy. Only its status is known.
    return { error: `The server answered ${response.status} ${response.statusText}.` }
  }
}

/** State of a stream. `lost`: reconnecting. `refused`: rejected by the server, which is final. */
export type Connection = 'connecting' | 'live' | 'lost' | 'refused'

export interface StreamListener {
  /** Receives the parsed JSON of each message that has one of the requested names. */
  message(name: string, data: unknown): void
  connection(state: Connection, refusal?: ApiError): void
}

/** Browser functions that a stream needs; tests replace them. */
export interface StreamWorld {
  source(path: string): EventSource
  refusal(path: string): Promise<ApiError | undefined>
  later(milliseconds: number, callback: () => void): () => void
  /** Whether the page is hidden. `onVisibility` subscribes to changes of that. */
  isHidden(): boolean
  onVisibility(changed: () => void): () => void
}

/** Milliseconds after which a hidden page closes its connection. A browser allows six per server. */
const hiddenFor = 20_000
const firstWait = 500
const longestWait = 15_000

/** Equal to `EventSource.CLOSED`: the source does not reconnect by itself. */
const closed = 2

/**
 * Follows a stream of server-sent events until it is closed. An EventSource reconnects by itself with its
 * last event id. When it gives up, the server is asked why. Unless the server refuses, a new stream is opened
 * from the beginning. Returns a function that closes the stream.
 */
export function openStream(
  path: string,
  names: readonly string[],
  listener: StreamListener,
  world: StreamWorld = browser,
): () => void {
  /** Undefined while the page is hidden, and after the server refused the stream. */
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

/** State of every open stream. The page header shows a summary. */
const streams = new Map<object, Connection>()
const listeners = new Set<() => void>()

/** Records a stream's state; `undefined` removes a closed stream. */
export function noteConnection(stream: object, state: Connection | undefined): void {
  if (state === undefined) streams.delete(stream)
  else streams.set(stream, state)
  for (const listener of listeners) listener()
}

/**
 * State of all streams together: `lost` if any stream is lost, undefined if none is open. Refusals are left
 * out, because the pages show them.
 */
export function connectionNow(): Exclude<Connection, 'refused'> | undefined {
  const states = [...streams.values()]
  return (['lost', 'connecting', 'live'] as const).find(state => states.includes(state))
}

export function useConnection(): ReturnType<typeof connectionNow> {
  return useSyncExternalStore(subscribe, connectionNow, connectionNow)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
