import { useEffect, useState } from 'react'
import {
  type AttemptFacets,
  attemptOutcomes,
  type Facet,
  facets,
} from '../../../../src/dashboard/contract/attempts.js'
import { useQuery } from '../../parts/address.js'
import { count, visibleLine } from '../../parts/format.js'
import { facetTitles, filterOf } from './filters.js'

/** The filters of the attempt list, each value with its count. */
export function FilterBar({
  facets: counted,
  clear,
}: {
  readonly facets: AttemptFacets['facets']
  readonly clear: () => void
}) {
  const [query, change] = useQuery()
  const task = query.get('task')
  const isFiltered = [...filterOf(query).keys()].length > 0
  return (
    <search className="attempts-filters" aria-label="Filter attempts">
      <SearchField />
      <OutcomeField counted={counted.outcome} />
      {facets
        .filter(facet => facet !== 'outcome' && isWorthAsking(counted, facet, query))
        .map(facet => (
          <FacetField key={facet} facet={facet} counted={counted[facet]} />
        ))}
      {task !== null && (
        <div className="field">
          <span>Task</span>
          <button type="button" onClick={() => change({ task: undefined })} title="Show all tasks">
            <code>{visibleLine(task).slice(0, 60)}</code> ✕
          </button>
        </div>
      )}
      {isFiltered && (
        <button type="button" className="quiet attempts-clear" onClick={clear}>
          Clear all
        </button>
      )}
    </search>
  )
}

/** A filter with only one value is hidden, unless that value is selected. */
function isWorthAsking(counted: AttemptFacets['facets'], facet: Facet, query: URLSearchParams): boolean {
  return counted[facet].length > 1 || query.get(facet) !== null
}

/** Milliseconds after the last keystroke until the search is written to the URL. */
const pauseMs = 300

function SearchField() {
  const [query, change] = useQuery()
  const asked = query.get('q') ?? ''
  const [text, setText] = useState(asked)
  useEffect(() => setText(asked), [asked])
  useEffect(() => {
    if (text === asked) return
    const timer = setTimeout(() => change({ q: text }), pauseMs)
    return () => clearTimeout(timer)
  }, [text, asked, change])
  return (
    <div className="field attempts-search">
      <label htmlFor="attempts-q">Words in task or conversation</label>
      <input
        id="attempts-q"
        type="search"
        maxLength={200}
        value={text}
        onChange={event => setText(event.target.value)}
      />
    </div>
  )
}

function OutcomeField({ counted }: { readonly counted: AttemptFacets['facets']['outcome'] }) {
  const [query, change] = useQuery()
  const chosen = query.get('outcome') ?? ''
  const countOf = (value: string) => counted.find(each => each.value === value)?.count ?? 0
  return (
    <fieldset className="field">
      <span aria-hidden="true">Outcome</span>
      <legend className="visually-hidden">Outcome</legend>
      <div className="attempts-outcomes">
        {['', ...attemptOutcomes].map(value => (
          <label key={value}>
            <input
              type="radio"
              name="outcome"
              checked={value === chosen}
              onChange={() => change({ outcome: value })}
            />
            <span className={`attempts-outcome-${value}`}>
              {value === '' ? 'any' : value}
              {value !== '' && <span className="muted figures"> {count(countOf(value))}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function FacetField({
  facet,
  counted,
}: {
  readonly facet: Facet
  readonly counted: AttemptFacets['facets'][Facet]
}) {
  const [query, change] = useQuery()
  const chosen = query.get(facet) ?? ''
  const isKnown = chosen === '' || counted.some(({ value }) => value === chosen)
  const id = `attempts-${facet}`
  return (
    <div className="field">
      <label htmlFor={id}>{facetTitles[facet]}</label>
      <select id={id} value={chosen} onChange={event => change({ [facet]: event.target.value })}>
        <option value="">any</option>
        {!isKnown && <option value={chosen}>{visibleLine(chosen)} (0)</option>}
        {counted
          .filter(({ value }) => value !== '')
          .map(({ value, name, count: number }) => (
            <option key={value} value={value}>
              {visibleLine(name ?? nameOf(facet, value)).slice(0, 60)} ({count(number)})
            </option>
          ))}
      </select>
    </div>
  )
}

function nameOf(facet: Facet, value: string): string {
  if (facet === 'step' && value === '0') return 'outside of steps'
  if (facet === 'sample') return String(Number(value) + 1)
  if (facet === 'split' && value === 'val') return 'validation'
  return facet === 'type' ? value : value.replaceAll('-', ' ')
}
