import { InputError } from '../core/errors/errors.js'
import type { SplitCounts } from '../core/statistics/random.js'
import type { Split } from '../core/task/task.js'
import { count, plural } from '../core/text/format.js'
import type { BenchmarkData, BenchmarkFacts, FilePlaces } from '../tasks/loading/benchmark-data.js'
import type { Finding } from './check.js'
import { type BenchmarkItem, type Copy, openCopy } from './data-copy.js'

/** Location of the user's copy of a benchmark. */
export interface CopyPlace {
  readonly from: string
  readonly shownFrom: string
  /** Folder of the benchmark's images, spreadsheets, documents or games, if they are not in the copy. */
  readonly files?: string | undefined
}

export interface DataReport {
  /** Layout of the copy. Absent if the copy cannot be read. */
  readonly form: Copy['form'] | undefined
  readonly items: number
  readonly counts: SplitCounts | undefined
  readonly findings: readonly Finding[]
}

/** Reports every problem with a copy of a benchmark, not only the first. */
export async function checkData(
  benchmark: BenchmarkData,
  { from, shownFrom, files }: CopyPlace,
): Promise<DataReport> {
  let copy: Copy
  try {
    copy = await openCopy(benchmark, from, shownFrom)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { form: undefined, items: 0, counts: undefined, findings: [unreadable(error)] }
  }
  const counts = copy.form === 'splits' ? countsOf(copy.splits) : undefined
  const items = itemsOf(copy)
  return {
    form: copy.form,
    items: items.length,
    counts,
    findings: [
      ...unusable(benchmark, await problemsOf(benchmark, items, placesOf(copy, files))),
      ...repeatedIds(items),
      ...countFindings(benchmark, items.length, counts),
    ],
  }
}

/** An item with its split, if the copy is divided. */
export interface CopyItem extends BenchmarkItem {
  readonly split?: Split
}

const splitNames: readonly Split[] = ['train', 'val', 'test']

function itemsOf(copy: Copy): readonly CopyItem[] {
  if (copy.form === 'release') return copy.items
  return splitNames.flatMap(split => copy.splits[split].map(item => ({ ...item, split })))
}

function countsOf({ train, val, test }: Readonly<Record<Split, readonly unknown[]>>): SplitCounts {
  return { train: train.length, val: val.length, test: test.length }
}

/**
 * Returns the base folders of file paths. In a published release paths start at its folder; items that are
 * already divided carry their own base folder.
 */
export function placesOf({ form, folder }: Copy, files: string | undefined): FilePlaces {
  return { folder, files: files ?? (form === 'release' ? folder : undefined) }
}

export interface ItemProblem {
  /** The problem in one sentence that includes the item's location. */
  readonly text: string
  readonly hint: string | undefined
}

/** Lists the problems with individual items. */
export async function problemsOf(
  benchmark: BenchmarkData,
  items: readonly CopyItem[],
  places: FilePlaces,
): Promise<readonly ItemProblem[]> {
  const inspect = await benchmark.inspector(places)
  const problems: ItemProblem[] = []
  for (const item of items) {
    try {
      await inspect(item)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      problems.push({ text: error.message, hint: error.hint })
    }
  }
  return problems
}

/** Groups items that share an id. */
export function sharingIds<T extends Pick<BenchmarkItem, 'id'>>(
  items: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const byId = new Map<string, T[]>()
  for (const item of items) {
    if (item.id === undefined) continue
    const same = byId.get(item.id)
    if (same === undefined) byId.set(item.id, [item])
    else same.push(item)
  }
  return new Map([...byId].filter(([, same]) => same.length > 1))
}

function repeatedIds(items: readonly CopyItem[]): Finding[] {
  const shared = [...sharingIds(items)]
  const splitsOf = (same: readonly CopyItem[]) => [...new Set(same.map(({ split }) => split))]
  const across = shared.filter(([, same]) => splitsOf(same).length > 1)
  const within = shared.filter(([, same]) => splitsOf(same).length === 1)
  const shownAcross = across.map(([id, same]) => `${id} (${splitsOf(same).join(' and ')})`)
  return [
    ...problem(
      within.map(([id]) => id),
      'ids used more than once',
      'id',
    ),
    ...problem(shownAcross, 'in more than one split', 'id'),
  ]
}

/**
 * Warns if the copy has fewer items than the published benchmark. Such a subset is usable, but the user
 * should know.
 */
function countFindings(facts: BenchmarkFacts, items: number, counts: SplitCounts | undefined): Finding[] {
  const { releases, splits } = facts
  if (counts !== undefined) {
    if (splitNames.every(split => counts[split] === splits[split])) return []
    const text = `the splits of the Python SkillOpt are ${shownCounts(splits)}; these are ${shownCounts(counts)}`
    return [{ level: 'note', text, tasks: [] }]
  }
  const sizes = releases.map(release => release.items)
  const all = sizes.reduce((sum, size) => sum + size, 0)
  if ([...sizes, all].includes(items)) return []
  const text = `published: ${shownReleases(releases)}; here: ${count(items)}`
  return [
    {
      level: 'warning',
      text,
      hint: 'If this should be the whole benchmark, something is missing.',
      tasks: [],
    },
  ]
}

export function shownCounts({ train, val, test }: SplitCounts): string {
  return `${count(train)} train, ${count(val)} validation, ${count(test)} test`
}

export function shownReleases(releases: BenchmarkFacts['releases']): string {
  return releases.map(({ name, items }) => `${name} ${count(items)}`).join(', ')
}

function unusable(benchmark: BenchmarkData, problems: readonly ItemProblem[]): Finding[] {
  const texts = problems.map(({ text }) => text)
  const elsewhere = benchmark.fileOptions === undefined ? [] : ['Pass the folder with the files as --files.']
  const hint = [...(problems[0]?.hint === undefined ? [] : [problems[0].hint]), ...elsewhere].join(' ')
  return problem(texts, 'not usable', 'item').map(found => (hint === '' ? found : { ...found, hint }))
}

function unreadable({ message, hint }: InputError): Finding {
  return { level: 'problem', text: message, hint, tasks: [] }
}

function problem(found: readonly string[], what: string, unit: string): Finding[] {
  if (found.length === 0) return []
  return [{ level: 'problem', text: `${what}: ${plural(found.length, unit)}`, tasks: found }]
}
