import { useCallback } from 'react'
import { useLocation, useRouter, useSearchParams } from 'wouter'

/** The absolute path. `useLocation` is relative inside a nested route, so this hook is needed there. */
export function useAbsolutePath(): string {
  const { base } = useRouter()
  const [location] = useLocation()
  const path = `${base}${location}`
  return path.length > 1 ? path.replace(/\/+$/, '') : path
}

/** Changes of query parameters. An empty or undefined value removes a parameter. */
export type QueryChange = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * The query parameters, which hold the page's state, and a function to change them. By default the history
 * entry is replaced, so that "back" leaves the page instead of undoing each letter of a search. Use `push`
 * for states worth going back to.
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
