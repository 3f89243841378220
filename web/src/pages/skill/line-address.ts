import { useSyncExternalStore } from 'react'

/** The line that the address names: `#L12`. It belongs to the version that is shown, and goes when another one is. */
export function useLine(): number | undefined {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash)
  const line = Number(/^#L(\d{1,6})$/.exec(hash)?.[1] ?? 0)
  return line === 0 ? undefined : line
}

/** In place of the line before: "back" leaves the page. */
export function chooseLine(line: number | undefined): void {
  const { pathname, search } = window.location
  const hash = line === undefined ? '' : `#L${line}`
  window.history.replaceState(window.history.state, '', `${pathname}${search}${hash}`)
}

// The router tells of what is done to the history by events of these names.
const changes = ['hashchange', 'popstate', 'pushState', 'replaceState'] as const

function subscribe(changed: () => void): () => void {
  for (const name of changes) window.addEventListener(name, changed)
  return () => {
    for (const name of changes) window.removeEventListener(name, changed)
  }
}
