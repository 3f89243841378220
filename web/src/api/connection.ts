import { useSyncExternalStore } from 'react'
import type { Connection } from './stream.js'

/** The state of every stream that is open, by who listens to it: the page's header sums them up. */
const streams = new Map<object, Connection>()
const listeners = new Set<() => void>()

/** Undefined when it is closed. */
export function noteConnection(stream: object, state: Connection | undefined): void {
  if (state === undefined) streams.delete(stream)
  else streams.set(stream, state)
  for (const listener of listeners) listener()
}

/** Lost if any is; undefined where nothing is followed. A refusal is the page's own matter. */
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
