import {
  keepPreviousData,
  type Query,
  type QueryClient,
  type UseQueryResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type {
  SleepChoice,
  SleepLiveMessages,
  SleepNight,
  SleepOverview,
  SleepPreview,
} from '../../../../src/dashboard/contract/sleep.js'
import { getJson, openStream, postJson } from '../../api/client.js'

/** The API path of a Sleep resource. */
export function sleepPath(...parts: readonly string[]): string {
  return ['/api/sleep', ...parts.map(encodeURIComponent)].join('/')
}

export function useSleep<T>(...parts: readonly string[]): UseQueryResult<T> {
  return useQuery({
    queryKey: ['sleep', ...parts],
    queryFn: ({ signal }) => getJson<T>(sleepPath(...parts), signal),
  })
}

export const useOverview = (project: string) => useSleep<SleepOverview>(project)
export const useNight = (project: string, night: string) => useSleep<SleepNight>(project, 'nights', night)

/**
 * Fetches all data again. Previews come last: after an adoption there is nothing left to preview, and only
 * the updated night shows that.
 */
export async function askAgain(queries: QueryClient): Promise<void> {
  const isPreview = ({ queryKey }: Pick<Query, 'queryKey'>) => queryKey[4] === 'preview'
  await queries.invalidateQueries({ queryKey: ['sleep'], predicate: query => !isPreview(query) })
  await queries.invalidateQueries({ queryKey: ['sleep'], predicate: isPreview })
}

/** Fetches all data again on each change. Returns the reason if the system does not report changes. */
export function useSleepLive(): string | undefined {
  const queries = useQueryClient()
  const [unwatched, setUnwatched] = useState<string>()
  useEffect(() => {
    const ask = () => void askAgain(queries)
    let isFirst = true
    return openStream(sleepPath('live'), ['changed', 'unwatched'], {
      message(name, data) {
        if (name === 'changed') ask()
        else setUnwatched((data as SleepLiveMessages['unwatched']).reason)
      },
      connection(state) {
        if (state !== 'live') return
        // While the connection was lost, changes were not reported.
        if (!isFirst) ask()
        isFirst = false
      },
    })
  }, [queries])
  return unwatched
}

/** Milliseconds to wait after a click, because users often tick several boxes in a row. */
const pauseMs = 200

export interface Previewed {
  readonly preview: SleepPreview | undefined
  readonly error: Error | null
  /** Whether the preview belongs to the current choice. */
  readonly isCurrent: boolean
}

/** Requests a preview of a choice. The request changes nothing. */
export function usePreview(project: string, night: string, choice: SleepChoice | undefined): Previewed {
  const asked = choice === undefined ? undefined : JSON.stringify(choice)
  const [settled, setSettled] = useState(asked)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(asked), pauseMs)
    return () => clearTimeout(timer)
  }, [asked])
  const query = useQuery({
    queryKey: ['sleep', project, 'nights', night, 'preview', settled],
    queryFn: ({ signal }) =>
      postJson<SleepPreview>(
        sleepPath(project, 'nights', night, 'preview'),
        JSON.parse(settled ?? ''),
        signal,
      ),
    enabled: settled !== undefined && settled === asked,
    placeholderData: keepPreviousData,
    // The previewed files are not watched for changes, so a cached preview is never considered fresh.
    staleTime: 0,
  })
  if (asked === undefined) return { preview: undefined, error: null, isCurrent: true }
  const isCurrent = settled === asked && !query.isFetching && !query.isPlaceholderData
  return { preview: query.data, error: query.error, isCurrent }
}
