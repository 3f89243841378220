import { useEffect, useMemo, useState } from 'react'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { useQuery } from '../../parts/address.js'
import { count, visibleLine } from '../../parts/format.js'
import { type FacetName, facetValues, filterOf, isFiltered, kindWords, type RunFilter } from './filters.js'

const titles: Readonly<Record<FacetName, string>> = {
  state: 'State',
  kind: 'Kind',
  environment: 'Environment',
}
const facets: readonly FacetName[] = ['state', 'kind', 'environment']

/** The filters of the run list, each value with its count. */
export function FilterBar({
  runs,
  clear,
}: {
  readonly runs: readonly RunSummary[]
  readonly clear: () => void
}) {
  const [query] = useQuery()
  const filter = filterOf(query)
  return (
    <search className="runs-filters" aria-label="Filter runs">
      <SearchField />
      {facets.map(name => (
        <FacetField key={name} name={name} runs={runs} filter={filter} />
      ))}
      {isFiltered(filter) && (
        <button type="button" className="quiet" onClick={clear}>
          Clear all
        </button>
      )}
    </search>
  )
}

/** Milliseconds after the last keystroke until the search is written to the URL. */
const pauseMs = 200

function SearchField() {
  const [query, change] = useQuery()
  const asked = query.get('q') ?? ''
  const [text, setText] = useState(asked)
  useEffect(() => setText(asked), [asked])
  useEffect(() => {
    if (text === asked) return
    const timer = setTimeout(() => change({ q: text, shown: undefined }), pauseMs)
    return () => clearTimeout(timer)
  }, [text, asked, change])
  return (
    <div className="field runs-search">
      <label htmlFor="runs-q">Words in name, folder, model…</label>
      <input
        id="runs-q"
        type="search"
        maxLength={200}
        value={text}
        onChange={event => setText(event.target.value)}
      />
    </div>
  )
}

function FacetField({
  name,
  runs,
  filter,
}: {
  readonly name: FacetName
  readonly runs: readonly RunSummary[]
  readonly filter: RunFilter
}) {
  const [, change] = useQuery()
  const { q, state, kind, environment } = filter
  const values = useMemo(
    () => facetValues(runs, { q, state, kind, environment }, name),
    [runs, q, state, kind, environment, name],
  )
  const chosen = filter[name]
  // A filter with only one value is hidden, unless that value is selected.
  if (values.length < 2 && chosen === '') return null
  const id = `runs-${name}`
  return (
    <div className="field">
      <label htmlFor={id}>{titles[name]}</label>
      <select
        id={id}
        value={chosen}
        onChange={event => change({ [name]: event.target.value, shown: undefined })}
      >
        <option value="">any</option>
        {values.map(({ value, count: number }) => (
          <option key={value} value={value}>
            {nameOf(name, value)} ({count(number)})
          </option>
        ))}
      </select>
    </div>
  )
}

function nameOf(name: FacetName, value: string): string {
  const word = name === 'kind' ? new Map<string, string>(Object.entries(kindWords)).get(value) : undefined
  return word ?? visibleLine(value).slice(0, 60)
}
