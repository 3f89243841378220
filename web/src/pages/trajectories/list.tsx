import { useQuery as useFetched } from '@tanstack/react-query'
import type { AttemptFacets } from '../../../../src/dashboard/contract/attempts.js'
import { getJson } from '../../api/client.js'
import { useQuery } from '../../parts/address.js'
import { count, plural } from '../../parts/format.js'
import { Empty, Failed, Loading } from '../../parts/states.js'
import { AttemptTable } from './attempt-table.js'
import { ChangeFilter } from './change-filter.js'
import { FilterBar } from './filter-bar.js'
import { attemptsPath, filterNames, filterOf } from './filters.js'

/** All attempts of a run that match the filters in the URL. */
export function ListPage({ run, made }: { readonly run: string; readonly made: number | undefined }) {
  const [query, change] = useQuery()
  const filter = filterOf(query)
  const { data, error, refetch, isFetching } = useFetched({
    queryKey: ['attempt facets', run, filter.toString()],
    queryFn: ({ signal }) => getJson<AttemptFacets>(`${attemptsPath(run)}/facets?${filter}`, signal),
    placeholderData: before => before,
  })
  const clear = () => change(Object.fromEntries(filterNames.map(name => [name, undefined])))
  if (error !== null) {
    return (
      <div className="stack">
        <Failed error={error} retry={() => void refetch()} />
        <p>
          <button type="button" onClick={clear}>
            Show all attempts
          </button>
        </p>
      </div>
    )
  }
  if (data === undefined) return <Loading what="the attempts" />
  if (data.known === 0) {
    return (
      <Empty title="Nothing was tried yet.">
        <p>Attempts appear here as the run makes them. A run that mines tasks makes none.</p>
      </Empty>
    )
  }
  const fresh = (made ?? data.known) - data.known
  return (
    <section className="stack" aria-label="Attempts">
      <FilterBar facets={data.facets} clear={clear} />
      <ChangeFilter run={run} changes={data.changes} />
      <div className="spread">
        <p role="status" className="figures">
          <strong>{count(data.total)}</strong> of {plural(data.known, 'attempt')}
          {data.searchedUpTo !== undefined &&
            ` (the search ended after ${count(data.searchedUpTo)} finds: more words find fewer)`}
          {isFetching && ' …'}
        </p>
        {fresh > 0 && (
          <button type="button" onClick={() => void refetch()}>
            Show {plural(fresh, 'new attempt')}
          </button>
        )}
      </div>
      {data.total === 0 ? (
        <Empty title="No attempt matches.">
          <p>
            <button type="button" onClick={clear}>
              Take the filters away
            </button>
          </p>
        </Empty>
      ) : (
        <AttemptTable run={run} filter={filter} known={data.known} total={data.total} />
      )}
    </section>
  )
}
