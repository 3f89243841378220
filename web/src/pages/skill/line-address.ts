import { useSyncExternalStore } from 'react'

/**
 * The line in the URL fragment: `#L12`. It belongs to the shown version and is dropped when another is
 * shown.
 */
export function useLine(): number | undefined {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash)
  const line = Number(/^#L(\d{1,6})$/.exec(hash)?.[1] ?? 0)
  return line === 0 ? undefined : line
}

/** Replaces the history entry, so that "back" leaves the page. */
export function chooseLine(line: number | undefined): void {
  const { pathname, search } = window.location
  const hash = line === undefined ? '' : `#L${line}`
  window.history.replaceState(window.history.state, '', `${pathname}${search}${hash}`)
}

// The router dispatches events with these names when it changes the history.
const changes = ['hashchange', 'popstate', 'pushState', 'replaceState'] as const

function subscribe(changed: () => void): () => void {
  for (const name of changes) window.addEventListener(name, changed)
  return () => {
    for (const name of changes) window.removeEventListener(name, changed)
  }
}
