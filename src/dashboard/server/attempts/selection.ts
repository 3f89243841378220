import {
  type AttemptOutcome,
  type AttemptSort,
  type Facet,
  type FacetValue,
  facets,
  type TaskChange,
} from '../../contract/attempts.js'
import type { AttemptRow, AttemptTable } from '../runs/types.js'
import { changesBetween } from './changes.js'
import type { AttemptFilter } from './query.js'
import type { SplitOf } from './splits.js'

/** The attempts that match a filter, and how many have each facet value. */
export interface Selection {
  readonly known: number
  /** Indices into the table, in log order. */
  readonly indices: readonly number[]
  readonly counts: ReadonlyMap<Facet, ReadonlyMap<string, number>>
  readonly changes?: Readonly<Record<TaskChange, number>>
  /** Number of matches found, if the search stopped before the end of the log. */
  readonly searchedUpTo?: number
}

/** A filter whose skill names are resolved to hashes. */
export interface ResolvedFilter extends Omit<AttemptFilter, 'skill' | 'from' | 'to'> {
  readonly skill?: string
  readonly pair?: readonly [before: string, after: string]
}

/** Maximum number of matches of a search. Nobody reads more, and a more specific query finds fewer. */
const mostMatches = 20_000

export function outcomeOf({ status, hard, soft }: AttemptRow): AttemptOutcome {
  if (status === 'failed') return 'failed'
  if (hard >= 1) return 'right'
  return hard > 0 || soft > 0 ? 'partial' : 'wrong'
}

/** Reads a facet's value from a row; undefined if the facet does not apply. */
type Read = (row: AttemptRow) => string | undefined

export async function selectAttempts(
  table: AttemptTable,
  splitOf: SplitOf,
  filter: ResolvedFilter,
  signal: AbortSignal,
): Promise<Selection> {
  const known = Math.min(filter.until ?? table.length, table.length)
  const words = filter.q?.trim() ?? ''
  const hits = words === '' ? undefined : await table.search(words, mostMatches, signal)
  const changes = filter.pair && changesBetween(table, known, ...filter.pair)
  const reads: Readonly<Record<Facet, Read>> = {
    outcome: outcomeOf,
    failure: row => row.failure,
    stop: row => row.stop,
    type: row => row.type,
    stage: row => row.stage,
    split: splitOf,
    step: row => String(row.step),
    skill: row => row.skill,
    sample: row => String(row.sample),
  }
  const wanted = facets.map(facet => ({
    facet,
    read: reads[facet],
    value: filter[facet] === undefined ? undefined : String(filter[facet]),
    counts: new Map<string, number>(),
  }))
  const indices: number[] = []
  const consider = (index: number) => {
    const row = table.row(index)
    if (filter.task !== undefined && row.task !== filter.task) return
    if (changes !== undefined && !isOfChange(row, filter, changes)) return
    const values = wanted.map(({ read }) => read(row))
    const missed = wanted.filter(({ value }, at) => value !== undefined && values[at] !== value)
    if (missed.length > 1) return
    if (missed.length === 0) indices.push(index)
    // A value is counted with all filters except its own facet's. The count thus predicts the result of
    // choosing that value.
    for (const [at, each] of wanted.entries()) {
      const value = values[at]
      if (value === undefined || (missed.length === 1 && missed[0] !== each)) continue
      each.counts.set(value, (each.counts.get(value) ?? 0) + 1)
    }
  }
  if (hits === undefined) for (let index = 0; index < known; index += 1) consider(index)
  else for (const index of hits.found) if (index < known) consider(index)
  return {
    known,
    indices,
    counts: new Map(wanted.map(({ facet, counts }) => [facet, counts])),
    ...(changes === undefined ? {} : { changes: countChanges(changes) }),
    ...(hits === undefined || hits.isWhole ? {} : { searchedUpTo: hits.found.length }),
  }
}

/** Whether an attempt used one of the compared skills, at a task whose score changed as requested. */
function isOfChange(
  { task, skill }: AttemptRow,
  { pair, change }: ResolvedFilter,
  changes: ReadonlyMap<string, TaskChange>,
): boolean {
  const became = changes.get(task)
  return became !== undefined && pair?.includes(skill) === true && (change === undefined || became === change)
}

function countChanges(changes: ReadonlyMap<string, TaskChange>): Readonly<Record<TaskChange, number>> {
  const counts = { better: 0, worse: 0, same: 0 }
  for (const change of changes.values()) counts[change] += 1
  return counts
}

const texts = new Intl.Collator('en', { numeric: true })

/** Sorts as requested; ties stay in log order. */
export function sortedIndices(
  table: AttemptTable,
  indices: readonly number[],
  sort: AttemptSort,
): readonly number[] {
  if (sort === 'time') return indices
  if (sort === '-time') return indices.toReversed()
  const sign = sort.startsWith('-') ? -1 : 1
  if (sort.endsWith('task')) {
    const names = [...new Set(indices.map(index => table.row(index).task))].toSorted(texts.compare)
    const rank = new Map(names.map((name, place) => [name, place]))
    return sortedBy(indices, index => sign * (rank.get(table.row(index).task) ?? 0))
  }
  // Attempts that failed for external reasons have no score and come last in either direction.
  return sortedBy(indices, index => {
    const { status, hard, soft } = table.row(index)
    return status === 'failed' ? Number.POSITIVE_INFINITY : sign * (hard + soft / 1000)
  })
}

function sortedBy(indices: readonly number[], rankOf: (index: number) => number): readonly number[] {
  const values = new Map(indices.map(index => [index, rankOf(index)]))
  const of = (index: number) => values.get(index) ?? 0
  return indices.toSorted((a, b) => (of(a) === of(b) ? a - b : of(a) - of(b)))
}

/** The values of a facet: numbers in ascending order, others by descending frequency. */
export function facetValues(counts: ReadonlyMap<string, number>, isNumber: boolean): readonly FacetValue[] {
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((a, b) =>
      isNumber ? Number(a.value) - Number(b.value) : b.count - a.count || texts.compare(a.value, b.value),
    )
}
