import type { RunState } from '../../../../src/core/view/run-state.js'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { type Sort, sorted, sortFromText } from '../../parts/table.js'
import { costIn, isRead, isTimed, modelsIn, tokensIn } from './figures.js'

/** What of the address says which runs are shown. */
export const filterNames = ['q', 'state', 'kind', 'environment'] as const
export type FacetName = Exclude<(typeof filterNames)[number], 'q'>
export type RunFilter = Readonly<Record<(typeof filterNames)[number], string>>

export function filterOf(query: URLSearchParams): RunFilter {
  const asked = (name: string) => query.get(name) ?? ''
  return {
    q: asked('q'),
    state: asked('state'),
    kind: asked('kind'),
    environment: asked('environment'),
  }
}

export function isFiltered(filter: RunFilter): boolean {
  return filterNames.some(name => filter[name].trim() !== '')
}

/** The runs that have every chosen value, and every word somewhere. */
export function matching(runs: readonly RunSummary[], filter: RunFilter): readonly RunSummary[] {
  const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean)
  const { state, kind, environment } = filter
  return runs.filter(run => {
    if (state !== '' && facetOf(run, 'state') !== state) return false
    if (kind !== '' && facetOf(run, 'kind') !== kind) return false
    if (environment !== '' && facetOf(run, 'environment') !== environment) return false
    if (words.length === 0) return true
    const text = textOf(run)
    return words.every(word => text.includes(word))
  })
}

/** Empty as long as it is not known: what a run is, is in its log; that a log cannot be read, is not. */
function facetOf(run: RunSummary, name: FacetName): string {
  const isKnown = name === 'state' ? run.reading === undefined : isRead(run)
  return isKnown ? run[name] : ''
}

/** All that a person may remember of a run. */
function textOf(run: RunSummary): string {
  return [
    ...[run.name, run.directory, run.environment, facetOf(run, 'state'), ...modelsIn(run)],
    ...(isRead(run) ? [kindWords[run.kind]] : []),
    ...(run.simulated ? ['simulated'] : []),
    ...(run.sleep === undefined ? [] : [`sleep night ${run.sleep.night} ${run.sleep.project}`]),
    ...(run.forkedFrom === undefined ? [] : [`forked from ${run.forkedFrom}`]),
    ...(run.importedFrom === undefined ? [] : [`imported from ${run.importedFrom}`]),
    run.problem ?? '',
  ]
    .join('\n')
    .toLowerCase()
}

export const kindWords: Readonly<Record<RunSummary['kind'], string>> = {
  train: 'training',
  eval: 'evaluation',
  baseline: 'baseline',
  'judge-check': 'check of a judge',
  'gate-check': 'check of a gate',
  probe: 'probe',
  mine: 'mining of tasks',
}

const kinds = Object.keys(kindWords)

/** Those that somebody may have to do something about come first. */
const states: readonly RunState[] = [
  ...(['running', 'failed', 'killed', 'unreadable', 'paused', 'cap reached', 'interrupted'] as const),
  'finished',
]

export interface FacetValue {
  readonly value: string
  /** Of the runs that the other filters leave. */
  readonly count: number
}

/** What can be chosen, in a lasting order. Values that only the other filters hide stay, with a count of 0. */
export function facetValues(
  runs: readonly RunSummary[],
  filter: RunFilter,
  name: FacetName,
): readonly FacetValue[] {
  const counts = new Map(runs.map(run => [facetOf(run, name), 0]))
  if (filter[name] !== '') counts.set(filter[name], 0)
  for (const run of matching(runs, { ...filter, [name]: '' })) {
    const value = facetOf(run, name)
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  counts.delete('')
  const order: readonly string[] = { state: states, kind: kinds, environment: [] }[name]
  const rank = (value: string) => (order.includes(value) ? order.indexOf(value) : order.length)
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => rank(one.value) - rank(other.value) || (one.value < other.value ? -1 : 1))
}

/** What each column is sorted by. What is not known yet, or cannot be, has no place: it comes last. */
const sortValues = {
  name: run => run.name,
  state: run => (run.reading === undefined ? states.indexOf(run.state) : undefined),
  environment: run => textOrNothing(run.environment),
  models: run => textOrNothing(modelsIn(run).join(' ')),
  validation: run => run.best ?? run.initial,
  test: run => run.test?.best ?? run.test?.initial,
  cost: costIn,
  tokens: tokensIn,
  time: run => (isTimed(run) ? run.activeMs : undefined),
  started: startOf,
} satisfies Record<string, (run: RunSummary) => string | number | undefined>

/** A run that nobody has read before is most likely a new one. */
function startOf({ startedAt, reading }: RunSummary): number | undefined {
  if (startedAt > 0) return startedAt
  return reading === undefined ? undefined : Number.MAX_SAFE_INTEGER
}

export type SortKey = keyof typeof sortValues

/** Of figures, people look for the largest first. */
const largestFirst: readonly SortKey[] = ['validation', 'test', 'cost', 'tokens', 'time', 'started']
/** What is known even of a run that nobody could read yet. */
const alwaysKnown: readonly SortKey[] = ['name', 'state', 'started']

const usual: Sort = { key: 'started', descending: true }

function isSortKey(key: string): key is SortKey {
  return Object.hasOwn(sortValues, key)
}

export function isLargestFirst(key: string): boolean {
  return isSortKey(key) && largestFirst.includes(key)
}

/** As the address has it; the latest first if it says nothing that there is. */
export function sortOf(query: URLSearchParams): Sort {
  const sort = sortFromText(query.get('sort'))
  return sort !== undefined && isSortKey(sort.key) ? sort : usual
}

/** Where two runs have the same value, the latest comes first. */
export function sortRuns(runs: readonly RunSummary[], { key, descending }: Sort): readonly RunSummary[] {
  const latestFirst = sorted(runs, sortValues.started, true)
  if (!isSortKey(key)) return latestFirst
  const valueIn: (run: RunSummary) => string | number | undefined = sortValues[key]
  return sorted(
    latestFirst,
    run => (alwaysKnown.includes(key) || isRead(run) ? valueIn(run) : undefined),
    descending,
  )
}

function textOrNothing(text: string): string | undefined {
  return text === '' ? undefined : text
}
