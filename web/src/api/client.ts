import { visible } from '../../../src/core/text/visible.js'
import {
  changeHeader,
  type DashboardProblem,
  type DashboardSession,
} from '../../../src/dashboard/contract/session.js'

/** An error reported by the server, or a failure to reach it: a message and a hint. */
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

/** Fetched once, and again after the server has rejected a change, since the session may be a new one. */
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

/** Why the server refuses this stream; undefined if it does not refuse, or cannot be reached. */
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
    // The response is not from our server but, for example, from a proxy; only its status is known.
    return { error: `The server answered ${response.status} ${response.statusText}.` }
  }
}
