import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { parse as parseCsv } from 'csv-parse/sync'
import { z } from 'zod'
import { InputError, messageOf } from '../core/errors.js'
import { ratioSplit } from '../core/random.js'
import type { Split } from '../core/task.js'

/** One row of the user's data, with enough to say where it stands. */
export interface Item {
  readonly fields: Readonly<Record<string, unknown>>
  /** For messages: `questions.jsonl, line 3`. */
  readonly at: string
  /** For items that have no id of their own; unique across the splits. */
  readonly fallbackId: string
}

export type Splits<T> = Readonly<Record<Split, readonly T[]>>

const splits: readonly Split[] = ['train', 'val', 'test']

/** The options with which every environment says where its data is. Exactly one of the three ways is used. */
export const dataOptions = {
  path: z
    .string()
    .optional()
    .describe('One file with all tasks (.jsonl, .json or .csv), divided by `ratio` and `seed`.'),
  ratio: z.string().default('2:1:7').describe('Shares of train, validation and test when `path` is divided.'),
  seed: z.number().int().default(42).describe('Seed of the shuffle before `path` is divided.'),
  train: z.string().optional().describe('File with the training tasks; needs `val` and `test` beside it.'),
  val: z.string().optional().describe('File with the validation tasks.'),
  test: z.string().optional().describe('File with the test tasks.'),
  splitDir: z
    .string()
    .optional()
    .describe(
      'Folder with the folders train, val (or valid_seen) and test (or valid_unseen), one data file in each.',
    ),
}

type DataOptions = z.infer<z.ZodObject<typeof dataOptions>>

/** Reads the three splits. Throws `InputError` for anything that cannot be read or is empty. */
export async function readSplits(options: DataOptions, baseDir: string): Promise<Splits<Item>> {
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
    return readEach(async split => dataFileOf(await splitFolder(folder, split)))
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
 * Refuses splits that would make a score mean less than it says: ids that repeat, and content that stands in two
 * splits, under whatever id.
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

/** Text of an item's field, or an error that says which fields there are. */
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

type Row = Pick<Item, 'fields' | 'at'> & { readonly number: number }

async function divide(file: string, { ratio, seed }: DataOptions): Promise<Splits<Item>> {
  const stem = basename(file, extname(file))
  const items = (await readRows(file)).map(row => withId(row, stem))
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

async function readEach(fileOf: (split: Split) => Promise<string>): Promise<Splits<Item>> {
  const read = async (split: Split) => {
    const file = await fileOf(split)
    const rows = await readRows(file)
    if (rows.length === 0) {
      throw new InputError(`The split "${split}" is empty: ${file} has no tasks.`, {
        hint: 'Every split needs at least one task.',
      })
    }
    // Not the file's stem: in a split folder all files are called the same.
    return rows.map(row => withId(row, split))
  }
  return { train: await read('train'), val: await read('val'), test: await read('test') }
}

function withId({ fields, at, number }: Row, prefix: string): Item {
  return { fields, at, fallbackId: `${prefix}-${number}` }
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

const extensions = ['.json', '.jsonl', '.ndjson', '.csv']

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

async function readRows(file: string): Promise<readonly Row[]> {
  const text = await readText(file)
  const name = basename(file)
  const extension = extname(file).toLowerCase()
  if (extension === '.csv') return csvRows(text, file)
  if (extension === '.json' && text.trimStart().startsWith('[')) return arrayRows(text, file)
  if (extensions.includes(extension)) return lineRows(text, file, name)
  throw new InputError(`${file}: cannot tell the format from the extension "${extension}".`, {
    hint: `Use one of ${extensions.join(', ')}.`,
  })
}

async function readText(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    const problem = isMissing(error) ? 'does not exist' : `cannot be read: ${messageOf(error)}`
    throw new InputError(`The data file ${file} ${problem}.`, {
      hint: 'Paths are relative to the folder of the configuration file.',
      cause: error,
    })
  }
}

function lineRows(text: string, file: string, name: string): Row[] {
  const rows: Row[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const at = `${name}, line ${index + 1}`
    rows.push({ fields: objectOf(parseJson(line, at, file), at, file), at, number: index + 1 })
  }
  return rows
}

function arrayRows(text: string, file: string): Row[] {
  const parsed = z.array(z.unknown()).safeParse(parseJson(text, basename(file), file))
  if (!parsed.success) {
    throw new InputError(`${file} is not a JSON array of tasks.`, {
      hint: 'Write a list of objects, or JSONL.',
    })
  }
  return parsed.data.map((value, index) => {
    const at = `${basename(file)}, item ${index + 1}`
    return { fields: objectOf(value, at, file), at, number: index + 1 }
  })
}

const csvRecords = z.array(
  z.object({ record: z.record(z.string(), z.string()), info: z.object({ lines: z.number() }) }),
)

function csvRows(text: string, file: string): Row[] {
  let records: z.infer<typeof csvRecords>
  try {
    records = csvRecords.parse(parseCsv(text, { columns: true, info: true, skip_empty_lines: true }))
  } catch (error) {
    throw new InputError(`${file} is not valid CSV: ${messageOf(error)}.`, {
      hint: 'The first line names the columns; fields with commas, quotes or line ends are quoted.',
      cause: error,
    })
  }
  return records.map(({ record, info }) => ({
    fields: record,
    at: `${basename(file)}, line ${info.lines}`,
    number: info.lines,
  }))
}

function parseJson(text: string, at: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InputError(`${at} is not valid JSON: ${messageOf(error)}.`, {
      hint: `Correct ${file}.`,
      cause: error,
    })
  }
}

function objectOf(value: unknown, at: string, file: string): Readonly<Record<string, unknown>> {
  const parsed = z.record(z.string(), z.unknown()).safeParse(value)
  if (parsed.success) return parsed.data
  throw new InputError(`${at} is not an object with named fields.`, {
    hint: `Correct ${file}: each task is an object.`,
  })
}

function refuseIds(ids: readonly string[], problem: string, hint: string): void {
  if (ids.length === 0) return
  const shown = ids.slice(0, 10).join(', ')
  throw new InputError(`${problem}: ${shown}${ids.length > 10 ? ` and ${ids.length - 10} more` : ''}.`, {
    hint,
  })
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
