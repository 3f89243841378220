import { useEffect, useSyncExternalStore } from 'react'
import { openStream } from '../../api/stream.js'
import { type RunsNow, RunsStore } from './runs-store.js'

/** Keeps the stream open during navigation between the list and a comparison. */
const keptFor = 5_000

const store = new RunsStore({
  open: listener => openStream('/api/runs/live', ['runs'], listener),
  now: () => performance.now(),
  later(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
})

/** Follows all runs while a component uses them. */
export function useRuns(): RunsNow & { readonly again: () => void } {
  const now = useSyncExternalStore(store.subscribe, store.current)
  useEffect(() => closeLater, [])
  return { ...now, again: store.again }
}

function closeLater(): void {
  setTimeout(() => {
    if (!store.isWatched) store.close()
  }, keptFor)
}
