import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import { InputError, messageOf } from '../core/errors/errors.js'
import type { Split } from '../core/task/task.js'
import { readPlainFile } from '../system/plain-file.js'
import { readSplits, type Splits } from '../tasks/loading/data.js'
import { kindOf } from './source.js'

/** One item that a manifest assigns to a split. */
export interface ManifestEntry {
  /** Key that identifies the item. */
  readonly key: string
  /** The id that the manifest gives the item, if it differs from the key. */
  readonly id?: string
}

const splitNames: readonly Split[] = ['train', 'val', 'test']

/**
 * Reads which items go to which split. A manifest is either a file with a list of ids per split, or a folder
 * with a list of items per split, as the Python SkillOpt publishes them. Throws `InputError` for duplicate
 * ids.
 */
export async function readManifest(
  path: string,
  shownAs: string,
  field = 'id',
): Promise<Splits<ManifestEntry>> {
  const kind = await kindOf(path)
  if (kind === undefined) {
    throw new InputError(`The manifest ${shownAs} does not exist.`, { hint: formHint })
  }
  const listed = kind === 'folder' ? await entriesInFolder(path) : await entriesInFile(path, shownAs)
  const read = (split: Split) =>
    listed[split].map((entry, index) => entryOf(entry, field, `${shownAs}, ${split}, entry ${index + 1}`))
  const manifest = { train: read('train'), val: read('val'), test: read('test') }
  refuseRepeats(manifest, shownAs)
  return manifest
}

const formHint =
  'A manifest is a .json or .yaml file with the lists train, val and test, or a folder with such folders.'

async function entriesInFolder(path: string): Promise<Splits<unknown>> {
  const { train, val, test } = await readSplits({ splitDir: path, ratio: '2:1:7', seed: 42 }, path)
  const fieldsOf = (items: typeof train) => items.map(({ fields }) => fields)
  return { train: fieldsOf(train), val: fieldsOf(val), test: fieldsOf(test) }
}

const listSchema = z.array(z.unknown()).min(1)
const fileSchema = z.union([
  z.object({ train: listSchema, val: listSchema, test: listSchema }),
  z
    .object({ train: listSchema, valid_seen: listSchema, valid_unseen: listSchema })
    .transform(({ train, valid_seen, valid_unseen }) => ({ train, val: valid_seen, test: valid_unseen })),
])

async function entriesInFile(path: string, shownAs: string): Promise<Splits<unknown>> {
  let content: unknown
  try {
    // The YAML parser reads JSON too, and its error messages name the line.
    content = parseYaml((await readPlainFile(path)).toString('utf8'), { logLevel: 'error' })
  } catch (error) {
    throw new InputError(`Cannot read the manifest ${shownAs}: ${messageOf(error)}`, {
      hint: formHint,
      cause: error,
    })
  }
  const parsed = fileSchema.safeParse(content)
  if (parsed.success) return parsed.data
  throw new InputError(`The manifest ${shownAs} lacks the lists train, val and test.`, {
    hint: formHint,
  })
}

const idSchema = z.union([z.string().min(1), z.number()]).transform(String)

function entryOf(entry: unknown, field: string, at: string): ManifestEntry {
  const alone = idSchema.safeParse(entry)
  if (alone.success) return { key: alone.data }
  const fields = z.record(z.string(), z.unknown()).safeParse(entry)
  const key = idSchema.safeParse(fields.data?.[field])
  if (!key.success)
    throw new InputError(`${at} has no "${field}".`, { hint: 'Each entry must be or have an id.' })
  const id = idSchema.safeParse(fields.data?.id)
  return id.success && id.data !== key.data ? { key: key.data, id: id.data } : { key: key.data }
}

function refuseRepeats(manifest: Splits<ManifestEntry>, shownAs: string): void {
  const splitOf = new Map<string, Split>()
  const twice: string[] = []
  const across: string[] = []
  for (const split of splitNames) {
    for (const { key } of manifest[split]) {
      const earlier = splitOf.get(key)
      if (earlier === undefined) splitOf.set(key, split)
      else if (earlier === split) twice.push(`${key} (${split})`)
      else across.push(`${key} (${earlier} and ${split})`)
    }
  }
  if (twice.length > 0) {
    throw new InputError(`The manifest ${shownAs} lists an id twice: ${firstOf(twice)}.`, {
      hint: 'List each id once, in one split.',
    })
  }
  if (across.length > 0) {
    throw new InputError(`The manifest ${shownAs} puts an id into two splits: ${firstOf(across)}.`, {
      hint: 'List each id once, in one split: otherwise held-out scores are measured on training tasks.',
    })
  }
}

/** Formats the first few entries of a list and the number of further ones. */
export function firstOf(list: readonly string[], atOnce = 5): string {
  const more = list.length - atOnce
  return [...list.slice(0, atOnce), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}
