import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import type { BenchmarkData, BenchmarkFacts } from '../tasks/loading/benchmark-data.js'
import { type PlacedItem, readSplits, type Splits } from '../tasks/loading/data.js'
import { extensions } from '../tasks/loading/rows.js'
import { findSplits, type SplitFolder } from './read.js'
import { kindOf } from './source.js'

/** A benchmark item in the environment's format. */
export interface BenchmarkItem extends PlacedItem {
  readonly id: string | undefined
}

/** A user's copy of a benchmark: either as published or already divided into splits. */
export type Copy = {
  /** Base folder of the copy's file paths, unless the user names another. */
  readonly folder: string
} & (
  | { readonly form: 'release'; readonly items: readonly BenchmarkItem[] }
  | { readonly form: 'splits'; readonly splits: Splits<BenchmarkItem> }
)

/** Opens a copy. Throws `InputError` if it is missing, unreadable or empty. */
export async function openCopy(benchmark: BenchmarkData, path: string, shownAs: string): Promise<Copy> {
  const kind = await kindOf(path)
  if (kind === undefined) {
    throw new InputError(`${shownAs} does not exist.`, { hint: `${whereToGet(benchmark)}.` })
  }
  const withId = (item: PlacedItem) => ({ ...item, id: idIn(benchmark.toItem(item)) })
  const splits = kind === 'folder' ? await dividedIn(path) : undefined
  if (splits !== undefined) {
    const { train, val, test } = await readSplits({ ...splits, ratio: '2:1:7', seed: 42 }, path)
    // Items that are already divided are not converted, because training reads split files as they are.
    const divided = { train: train.map(withId), val: val.map(withId), test: test.map(withId) }
    return { form: 'splits', folder: path, splits: divided }
  }
  const items = (await benchmark.readRelease(path)).map(item => ({
    ...withId(item),
    fields: benchmark.toItem(item),
  }))
  const [first] = items
  if (first !== undefined) return { form: 'release', folder: first.root, items }
  throw new InputError(`${shownAs} has no items.`, { hint: `${whereToGet(benchmark)}.` })
}

export function whereToGet({ name, published }: BenchmarkFacts): string {
  return `${name} is published at ${published[0]?.address}; skillopt downloads nothing`
}

/**
 * Finds split folders. They count only if they contain a data file, because benchmarks use the same names for
 * other files.
 */
async function dividedIn(folder: string): Promise<SplitFolder | undefined> {
  const splits = await findSplits(folder)
  if (splits === undefined || !('splitDir' in splits)) return splits
  const names = await readdir(join(folder, 'train'))
  return names.some(name => extensions.includes(extname(name).toLowerCase())) ? splits : undefined
}

function idIn({ id }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof id === 'number') return String(id)
  return typeof id === 'string' && id !== '' ? id : undefined
}
