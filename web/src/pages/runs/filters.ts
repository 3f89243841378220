import type { RunState } from '../../../../src/core/view/run-state.js'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { type Sort, sorted, sortFromText } from '../../parts/table.js'
import { costIn, isRead, isTimed, modelsIn, tokensIn } from './figures.js'

/** Query parameters that filter the run list. */
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

/** The runs that match every selected value and every search word. */
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

/**
 * The value of a facet, empty while unknown. Most values come from the log, but `state` is known even if the
 * log cannot be read.
 */
function facetOf(run: RunSummary, name: FacetName): string {
  const isKnown = name === 'state' ? run.reading === undefined : isRead(run)
  return isKnown ? run[name] : ''
}

/** The searchable text of a run. */
function textOf(run: RunSummary): string {
  return [
    run.name,
    run.directory,
    run.environment,
    facetOf(run, 'state'),
    ...modelsIn(run),
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

/** Order of the states. Those that may need attention come first. */
const states: readonly RunState[] = [
  ...(['running', 'failed', 'killed', 'unreadable', 'paused', 'cap reached', 'interrupted'] as const),
  'finished',
]

export interface FacetValue {
  readonly value: string
  /** Number of runs that match the other filters. */
  readonly count: number
}

/** The values of a facet in a stable order. A value that other filters exclude has a count of 0. */
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

/** The value by which each column is sorted. Runs without a value come last. */
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

/** The time a run started. A run that was not read yet is most likely new, so it counts as the latest. */
function startOf({ startedAt, reading }: RunSummary): number | undefined {
  if (startedAt > 0) return startedAt
  return reading === undefined ? undefined : Number.MAX_SAFE_INTEGER
}

export type SortKey = keyof typeof sortValues

/** Columns that sort in descending order at first, because readers look for large values. */
const largestFirst: readonly SortKey[] = ['validation', 'test', 'cost', 'tokens', 'time', 'started']
/** Columns whose values are known even for runs that were not read. */
const alwaysKnown: readonly SortKey[] = ['name', 'state', 'started']

const usual: Sort = { key: 'started', descending: true }

function isSortKey(key: string): key is SortKey {
  return Object.hasOwn(sortValues, key)
}

export function isLargestFirst(key: string): boolean {
  return isSortKey(key) && largestFirst.includes(key)
}

/** The sort order in the URL; latest first if it is missing or invalid. */
export function sortOf(query: URLSearchParams): Sort {
  const sort = sortFromText(query.get('sort'))
  return sort !== undefined && isSortKey(sort.key) ? sort : usual
}

/** Sorts the runs. Among equal values, the latest run comes first. */
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
