import { useSyncExternalStore } from 'react'
import type { Connection } from './stream.js'

/** State of every open stream, by subscriber; the page header summarizes them. */
const streams = new Map<object, Connection>()
const listeners = new Set<() => void>()

/** `undefined` removes a closed stream. */
export function noteConnection(stream: object, state: Connection | undefined): void {
  if (state === undefined) streams.delete(stream)
  else streams.set(stream, state)
  for (const listener of listeners) listener()
}

/** `lost` if any stream is; undefined if there are none. Pages handle refusals themselves. */
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
