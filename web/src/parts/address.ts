import { useCallback } from 'react'
import { useLocation, useRouter, useSearchParams } from 'wouter'

/** The path from the root, also inside a nested route, where `useLocation` is relative. */
export function useAbsolutePath(): string {
  const { base } = useRouter()
  const [location] = useLocation()
  const path = `${base}${location}`
  return path.length > 1 ? path.replace(/\/+$/, '') : path
}

/** What a page shows is in its address. A value that is empty or undefined is taken out of it. */
export type QueryChange = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * The address's query, and how to change some of it. By default the entry in the browser's history is replaced, so that
 * "back" leaves the page and does not go through every letter of a search; `push` is for what people would go back to.
 */
export function useQuery(): [URLSearchParams, (change: QueryChange, options?: { push?: boolean }) => void] {
  const [params, setParams] = useSearchParams()
  const change = useCallback(
    (wanted: QueryChange, options: { push?: boolean } = {}) =>
      setParams(before => withChange(before, wanted), { replace: options.push !== true }),
    [setParams],
  )
  return [params, change]
}

export function withChange(before: URLSearchParams, change: QueryChange): URLSearchParams {
  const params = new URLSearchParams(before)
  for (const [name, value] of Object.entries(change)) {
    params.delete(name)
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) {
      if (one !== '') params.append(name, one)
    }
  }
  return params
}
