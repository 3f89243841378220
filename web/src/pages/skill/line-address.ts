import { useSyncExternalStore } from 'react'

/**
 * The line number in the URL fragment, such as `#L12`. It refers to the shown version and is dropped when the
 * version changes.
 */
export function useLine(): number | undefined {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash)
  const line = Number(/^#L(\d{1,6})$/.exec(hash)?.[1] ?? 0)
  return line === 0 ? undefined : line
}

/** Selects a line. The history entry is replaced, so that "back" leaves the page. */
export function chooseLine(line: number | undefined): void {
  const { pathname, search } = window.location
  const hash = line === undefined ? '' : `#L${line}`
  window.history.replaceState(window.history.state, '', `${pathname}${search}${hash}`)
}

// Names of the events that the browser and the router send when the URL changes.
const changes = ['hashchange', 'popstate', 'pushState', 'replaceState'] as const

function subscribe(changed: () => void): () => void {
  for (const name of changes) window.addEventListener(name, changed)
  return () => {
    for (const name of changes) window.removeEventListener(name, changed)
  }
}
