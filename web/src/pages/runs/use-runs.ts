import { useEffect, useSyncExternalStore } from 'react'
import { openStream } from '../../api/stream.js'
import { type RunsNow, RunsStore } from './runs-store.js'

/** From the list to a comparison and back, the stream stays. */
const keptFor = 5_000

const store = new RunsStore({
  open: listener => openStream('/api/runs/live', ['runs'], listener),
  now: () => performance.now(),
  later(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
})

/** All runs, followed as long as somebody looks at them. */
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
