import { useEffect, useState, useSyncExternalStore } from 'react'
import { type LiveClock, type LiveRun, LiveStore } from './live-store.js'
import { openStream } from './stream.js'

export type { LiveRun } from './live-store.js'

/** From one page of a run to the next, the stream stays. */
const keptFor = 5_000

const stores = new Map<string, LiveStore>()

/** A run, followed as long as somebody looks at it. All parts of a page share one stream. */
export function useLiveRun(run: string): LiveRun & { readonly again: () => void } {
  const store = storeOf(run)
  const live = useSyncExternalStore(store.subscribe, store.current)
  useEffect(() => () => closeLater(run, store), [run, store])
  return { ...live, again: () => store.again() }
}

/** Before the page's own code is there: what the log says takes as long to come as that does. */
export function expectRun(run: string): void {
  const store = storeOf(run)
  store.subscribe(nothing)()
  closeLater(run, store)
}

function nothing() {}

function storeOf(run: string): LiveStore {
  const known = stores.get(run)
  if (known !== undefined) return known
  const path = `/api/runs/${encodeURIComponent(run)}/live`
  const names = ['reading', 'snapshot', 'events', 'state']
  const store = new LiveStore({ open: listener => openStream(path, names, listener) }, browser)
  stores.set(run, store)
  return store
}

function closeLater(run: string, store: LiveStore): void {
  setTimeout(() => {
    if (store.isWatched) return
    store.close()
    if (stores.get(run) === store) stores.delete(run)
  }, keptFor)
}

const browser: LiveClock = {
  now: () => performance.now(),
  later(milliseconds, callback) {
    let frame: number | undefined
    const timer = setTimeout(() => {
      // A page that is hidden draws no frames.
      if (document.hidden) callback()
      else frame = requestAnimationFrame(callback)
    }, milliseconds)
    return () => {
      clearTimeout(timer)
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  },
  isHidden: () => document.hidden,
}

/** The time, for what is said to be under way; it stands still where nothing is. */
export function useNow(isMoving: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isMoving) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isMoving])
  return now
}
