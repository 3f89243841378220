import { join } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import { ratioSplit } from '../core/statistics/random.js'
import type { Split } from '../core/task/task.js'
import { plural } from '../core/text/format.js'
import type { BenchmarkData, FilePlaces } from '../tasks/loading/benchmark-data.js'
import type { Splits } from '../tasks/loading/data.js'
import { type CopyPlace, placesOf, problemsOf, sharingIds } from './data-check.js'
import { type BenchmarkItem, openCopy } from './data-copy.js'
import { firstOf, type ManifestEntry, readManifest } from './data-manifest.js'
import { wantedCounts } from './divide.js'
import { type SplitFile, serialiseTasks } from './output.js'

export interface DataSplitOptions extends CopyPlace {
  readonly to: string
  readonly ratio: string
  readonly seed: number
  readonly manifest?: { readonly path: string; readonly shownAs: string } | undefined
}

export interface DataSplit {
  readonly files: readonly SplitFile[]
  /** Environment options that say where the items' files are. */
  readonly options: Readonly<Record<string, string>>
}

/** Builds the three split files. Throws `InputError` for items that training would refuse. */
export async function splitData(benchmark: BenchmarkData, options: DataSplitOptions): Promise<DataSplit> {
  const { from, shownFrom, to, manifest } = options
  const copy = await openCopy(benchmark, from, shownFrom)
  if (copy.form === 'splits') {
    throw new InputError(`${shownFrom} is already split.`, {
      hint: 'Set it as `splitDir` in skillopt.yaml, or pass the published copy.',
    })
  }
  const entries =
    manifest === undefined
      ? undefined
      : await readManifest(manifest.path, manifest.shownAs, benchmark.manifestField)
  const divided =
    entries === undefined ? byRatio(copy.items, options) : byManifest(copy.items, entries, options)
  const places = placesOf(copy, options.files)
  await refuseUnusable(benchmark, [...divided.train, ...divided.val, ...divided.test], places)
  return {
    files: (['train', 'val', 'test'] as const).map(split => splitFile(split, divided[split], to)),
    options: (await benchmark.fileOptions?.(places)) ?? {},
  }
}

function byRatio(
  items: readonly BenchmarkItem[],
  { ratio, seed, shownFrom }: DataSplitOptions,
): Splits<BenchmarkItem> {
  refuseSharedIds(items, shownFrom)
  wantedCounts(items.length, { ratio })
  return ratioSplit(items, ratio, seed)
}

function byManifest(
  items: readonly BenchmarkItem[],
  entries: Splits<ManifestEntry>,
  { manifest, shownFrom }: DataSplitOptions,
): Splits<BenchmarkItem> {
  const keys = new Set([...entries.train, ...entries.val, ...entries.test].map(({ key }) => key))
  const named = items.filter(({ id }) => id !== undefined && keys.has(id))
  refuseSharedIds(named, shownFrom)
  const byId = new Map(named.map(item => [item.id, item]))
  const unknown = [...keys].filter(key => !byId.has(key))
  if (unknown.length > 0) {
    throw new InputError(
      `The manifest ${manifest?.shownAs} names ${plural(unknown.length, 'id')} that ${shownFrom} does not have: ${firstOf(unknown)}.`,
      { hint: `Its ids look like ${firstOf(items.map(({ id, at }) => id ?? at))}.` },
    )
  }
  const pick = (split: Split) =>
    entries[split].flatMap(({ key, id }) => {
      const item = byId.get(key)
      if (item === undefined || id === undefined) return item ?? []
      return { ...item, id, fields: { ...item.fields, id } }
    })
  return { train: pick('train'), val: pick('val'), test: pick('test') }
}

function refuseSharedIds(items: readonly BenchmarkItem[], shownFrom: string): void {
  const shared = [...sharingIds(items).keys()]
  if (shared.length === 0) return
  throw new InputError(`${shownFrom} has several items with the id ${firstOf(shared)}.`, {
    hint: 'Give every item its own id.',
  })
}

async function refuseUnusable(
  benchmark: BenchmarkData,
  items: readonly BenchmarkItem[],
  places: FilePlaces,
): Promise<void> {
  const problems = await problemsOf(benchmark, items, places)
  const [first] = problems
  if (first === undefined) return
  throw new InputError(
    `${plural(problems.length, 'item')} cannot be used; nothing was written. ${first.text}`,
    { hint: `${first.hint ?? ''} \`skillopt data check\` lists them all.`.trim() },
  )
}

/** Builds a split file. The name is that of the Python SkillOpt, so that either program can read the file. */
function splitFile(split: Split, items: readonly BenchmarkItem[], to: string): SplitFile {
  const file = join(to, split, 'items.json')
  const content = serialiseTasks(
    items.map(({ fields }) => fields),
    file,
  )
  return { split, file, count: items.length, content }
}
