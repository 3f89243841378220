import { useEffect, useState, useSyncExternalStore } from 'react'
import { openStream } from './client.js'
import { type LiveClock, type LiveRun, LiveStore } from './live-store.js'

export type { LiveRun } from './live-store.js'

/** Milliseconds that an unused stream stays open, so that it survives navigation between pages of a run. */
const keptFor = 5_000

const stores = new Map<string, LiveStore>()

/** Follows a run while a component uses it. All parts of a page share one stream. */
export function useLiveRun(run: string): LiveRun & { readonly again: () => void } {
  const store = storeOf(run)
  const live = useSyncExternalStore(store.subscribe, store.current)
  useEffect(() => () => closeLater(run, store), [run, store])
  return { ...live, again: () => store.again() }
}

/** Starts a run's stream before the code of its page is loaded, so that both load in parallel. */
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
      // A browser draws no frames for a hidden page, so the callback runs at once.
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

/** The current time, updated only while something is in progress. */
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
