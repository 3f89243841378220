import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { z } from 'zod'
import { InputError } from '../../core/errors/errors.js'
import { ratioSplit } from '../../core/statistics/random.js'
import type { Split } from '../../core/task/task.js'
import { extensions, isMissing, type Row, readRows } from './rows.js'

/** One row of the user's data. */
export interface Item extends Pick<Row, 'fields' | 'at'> {
  /** Id for an item that has none; unique in all splits. */
  readonly fallbackId: string
}

export interface PlacedItem extends Item {
  /** Base folder of the item's paths. */
  readonly folder: string
  /** The folder that the item's paths must not leave. */
  readonly root: string
}

export type Splits<T> = Readonly<Record<Split, readonly T[]>>

const splits: readonly Split[] = ['train', 'val', 'test']

/** Options that say where the data is: one file to divide, three files, or a folder. Exactly one is used. */
export const dataOptions = {
  path: z.string().optional().describe('One file with all tasks, divided by `ratio` and `seed`.'),
  ratio: z.string().default('2:1:7').describe('Shares of train, validation and test when `path` is divided.'),
  seed: z.number().int().default(42).describe('Seed of the shuffle before `path` is divided.'),
  train: z.string().optional().describe('File with the training tasks; needs `val` and `test` beside it.'),
  val: z.string().optional().describe('File with the validation tasks.'),
  test: z.string().optional().describe('File with the test tasks.'),
  splitDir: z
    .string()
    .optional()
    .describe(
      'Folder with `train`, `val` (`valid_seen`) and `test` (`valid_unseen`), one data file in each.',
    ),
  limit: z.int().nonnegative().optional().describe('First tasks used of each split; 0 = all.'),
}

type DataOptions = z.infer<z.ZodObject<typeof dataOptions>>

/** Reads the three splits. Throws `InputError` if one of them is unreadable or empty. */
export async function readSplits(options: DataOptions, baseDir: string): Promise<Splits<PlacedItem>> {
  const { train, val, test } = await readWhole(options, baseDir)
  const limit = options.limit ?? 0
  const cut = (items: readonly PlacedItem[]) => (limit === 0 ? items : items.slice(0, limit))
  return { train: cut(train), val: cut(val), test: cut(test) }
}

async function readWhole(options: DataOptions, baseDir: string): Promise<Splits<PlacedItem>> {
  const files = [options.train, options.val, options.test].filter(file => file !== undefined)
  const ways = [options.path, options.splitDir, files[0]].filter(way => way !== undefined)
  if (ways.length !== 1) {
    throw new InputError(
      ways.length === 0
        ? 'The environment does not say where its tasks are.'
        : 'The environment says in two ways where its tasks are.',
      { hint: 'Give either `path`, or `train`, `val` and `test`, or `splitDir`.' },
    )
  }
  const { path, splitDir, train, val, test } = options
  if (path !== undefined) return divide(resolve(baseDir, path), options)
  if (splitDir !== undefined) {
    const folder = resolve(baseDir, splitDir)
    return readEach(async split => dataFileOf(await splitFolder(folder, split)), folder)
  }
  if (train === undefined || val === undefined || test === undefined) {
    const missing = splits.find(split => options[split] === undefined)
    throw new InputError(`The environment names files for some splits, but none for "${missing}".`, {
      hint: 'Give `train`, `val` and `test`, or one file as `path`, which is divided for you.',
    })
  }
  const named = { train, val, test }
  return readEach(async split => resolve(baseDir, named[split]))
}

/**
 * Throws if scores would be misleading: for an id that occurs twice, and for content that is in two splits.
 */
export function checkSplits<T extends { readonly id: string }>(
  tasks: Splits<T>,
  contentOf: (task: T) => string,
): void {
  const splitOfId = new Map<string, Split>()
  const firstWith = new Map<string, { readonly id: string; readonly split: Split }>()
  const repeated: string[] = []
  const overlapping: string[] = []
  const leaking: string[] = []
  for (const split of splits) {
    for (const task of tasks[split]) {
      const seenIn = splitOfId.get(task.id)
      if (seenIn === split) repeated.push(`${task.id} (${split})`)
      else if (seenIn !== undefined) overlapping.push(`${task.id} (${seenIn} and ${split})`)
      else splitOfId.set(task.id, split)

      const content = contentOf(task).replace(/\s+/g, ' ').trim().toLowerCase()
      const first = firstWith.get(content)
      if (first === undefined) firstWith.set(content, { id: task.id, split })
      else if (first.split !== split && first.id !== task.id) {
        leaking.push(`${first.id} (${first.split}) = ${task.id} (${split})`)
      }
    }
  }
  refuseIds(repeated, 'Two tasks have the same id', 'Give every task an id of its own.')
  refuseIds(
    overlapping,
    'The splits overlap',
    'A task may stand in one split only: remove it from the others.',
  )
  refuseIds(
    leaking,
    'The same task stands in two splits under different ids',
    'Held-out scores would be measured on training tasks: remove the duplicates.',
  )
}

/** The text in an item's field. Throws an error that lists the available fields. */
export function textField(item: Item, name: string): string {
  const value = item.fields[name]
  if (value === undefined || value === null) {
    throw new InputError(`${item.at}: there is no field "${name}".`, {
      hint: `The fields are: ${Object.keys(item.fields).join(', ')}.`,
    })
  }
  return typeof value === 'string' ? value : JSON.stringify(value)
}

// ── Files ───────────────────────────────────────────────────────────────────

async function divide(file: string, { ratio, seed }: DataOptions): Promise<Splits<PlacedItem>> {
  const stem = basename(file, extname(file))
  const items = (await readRows(file)).map(row => toItem(row, { prefix: stem, file }))
  const divided = ratioSplit(items, ratio, seed)
  const empty = splits.find(split => divided[split].length === 0)
  if (empty !== undefined) {
    throw new InputError(
      `${file} has ${items.length} tasks: divided ${ratio}, none are left for "${empty}".`,
      {
        hint: 'Add tasks, or choose another `ratio`.',
      },
    )
  }
  return divided
}

async function readEach(
  fileOf: (split: Split) => Promise<string>,
  root?: string,
): Promise<Splits<PlacedItem>> {
  const read = async (split: Split) => {
    const file = await fileOf(split)
    const rows = await readRows(file)
    if (rows.length === 0) {
      throw new InputError(`The split "${split}" is empty: ${file} has no tasks.`, {
        hint: 'Every split needs at least one task.',
      })
    }
    // The prefix is the split's name, because files in a split folder may all have the same name.
    return rows.map(row => toItem(row, { prefix: split, file, root }))
  }
  return { train: await read('train'), val: await read('val'), test: await read('test') }
}

function toItem(
  { fields, at, number }: Row,
  {
    prefix,
    file,
    root = dirname(file),
  }: { readonly prefix: string; readonly file: string; readonly root?: string },
): PlacedItem {
  // Files in a split folder may all have the same name, so the message includes the folder.
  const where = at.replace(basename(file), () => relative(root, file))
  return { fields, at: where, fallbackId: `${prefix}-${number}`, folder: dirname(file), root }
}

const folderNames: Readonly<Record<Split, readonly string[]>> = {
  train: ['train'],
  val: ['val', 'valid_seen'],
  test: ['test', 'valid_unseen'],
}

async function splitFolder(root: string, split: Split): Promise<string> {
  for (const name of folderNames[split]) {
    const folder = join(root, name)
    if (await isFolder(folder)) return folder
  }
  throw new InputError(`${root} has no folder ${folderNames[split].map(name => `"${name}"`).join(' or ')}.`, {
    hint: 'A split folder has the folders train, val and test, with one data file in each.',
  })
}

async function dataFileOf(folder: string): Promise<string> {
  const names = (await readdir(folder))
    .filter(name => extensions.includes(extname(name).toLowerCase()))
    .sort()
  const items = names.filter(name => basename(name, extname(name)) === 'items')
  const [only, ...others] = items.length > 0 ? items : names
  if (only === undefined || others.length > 0) {
    throw new InputError(
      only === undefined
        ? `${folder} has no data file.`
        : `${folder} has several data files: ${[only, ...others].join(', ')}.`,
      { hint: `Put one file there, such as items.json or items.jsonl (${extensions.join(', ')}).` },
    )
  }
  return join(folder, only)
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

function refuseIds(ids: readonly string[], problem: string, hint: string): void {
  if (ids.length === 0) return
  const shown = ids.slice(0, 10).join(', ')
  throw new InputError(`${problem}: ${shown}${ids.length > 10 ? ` and ${ids.length - 10} more` : ''}.`, {
    hint,
  })
}
