import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { InputError, messageOf } from '../core/errors/errors.js'
import type { AttemptCache } from '../core/ports/store.js'
import type { Attempt, BlobRef } from '../core/task/task.js'
import { canonicalJson, contentHash } from '../core/text/hash.js'
import { readPlainFile } from '../system/plain-file.js'
import { blobRefsOfAttempt } from './blob-refs.js'
import { blobRef } from './blobs.js'

/** Version of the entries' format. Part of every key, so that entries of another format are not read. */
const formatVersion = 1
const attemptsFolder = 'attempts'
const textsFolder = 'texts'
/** Longer texts have files of their own and are stored once, since many attempts share them. */
const inlineLimit = 2000

/** Backups skip a folder with this file, by a convention (bford.info/cachedir). */
const tagFile = 'CACHEDIR.TAG'
const tagText = `Signature: 8a477f597d28d172789f06886806bc55
# Scored attempts that runs of skillopt share. It may be deleted at any time.
`

interface Entry {
  /** Identifies the attempt, so that a file copied to another name does not count as another attempt. */
  readonly key: string
  readonly attempt: Attempt
  /** Short texts of the attempt, by ref. */
  readonly texts: Readonly<Record<BlobRef, string>>
}

interface AttemptCacheOptions {
  /** Everything that determines an attempt's result and is not part of its key in the run's log. */
  readonly identity: unknown
  notice(text: string): void
}

/**
 * Opens a cache: a folder of small files, each written atomically, so that any number of runs can use it at
 * once and a killed run leaves no partial file. Each file contains a hash of its content; a damaged file
 * counts as missing.
 */
export async function openAttemptCache(
  folder: string,
  { identity, notice }: AttemptCacheOptions,
): Promise<AttemptCache> {
  await prepareFolder(folder)
  const prefix = canonicalJson([formatVersion, identity])
  const nameOf = (key: string) => contentHash(`${prefix}\n${key}`)
  const attemptPath = (name: string) => join(folder, attemptsFolder, name.slice(0, 2), `${name}.jsonl`)
  const textPath = (ref: BlobRef) => join(folder, textsFolder, ref.slice(0, 2), `${ref}.txt`)
  /** Long texts that this session has read or written. They recur in many attempts. */
  const handled = new Set<BlobRef>()
  const sayOnce = onceEach(notice)

  async function readText(ref: BlobRef): Promise<string> {
    const path = textPath(ref)
    const text = JSON.parse((await readPlainFile(path)).toString('utf8')) as unknown
    if (typeof text !== 'string' || blobRef(text) !== ref) throw new Error(`${path} has another content`)
    return text
  }

  async function putTexts({ attempt, texts }: Entry, put: (text: string) => BlobRef): Promise<void> {
    // All texts are read before the first is stored, so that an incomplete attempt leaves no trace.
    const found: string[] = []
    const long: BlobRef[] = []
    for (const ref of new Set(blobRefsOfAttempt(attempt))) {
      if (handled.has(ref)) continue
      const short = texts[ref]
      if (short !== undefined && blobRef(short) !== ref) throw new Error(`it holds another text than ${ref}`)
      if (short === undefined) long.push(ref)
      found.push(short ?? (await readText(ref)))
    }
    for (const text of found) put(text)
    for (const ref of long) handled.add(ref)
  }

  async function keepTexts(
    attempt: Attempt,
    get: (ref: BlobRef) => Promise<string>,
  ): Promise<Entry['texts']> {
    const short: Record<BlobRef, string> = {}
    for (const ref of new Set(blobRefsOfAttempt(attempt))) {
      // Another process may have emptied the cache meanwhile.
      if (handled.has(ref) && (await sizeIfThere(textPath(ref))) > 0) continue
      const text = await get(ref)
      if (text.length <= inlineLimit) {
        short[ref] = text
        continue
      }
      await writeWhole(textPath(ref), JSON.stringify(text))
      handled.add(ref)
    }
    return short
  }

  return {
    async find(key, put) {
      const name = nameOf(key)
      const path = attemptPath(name)
      try {
        const entry = parseEntry((await readPlainFile(path)).toString('utf8'), name)
        await putTexts(entry, put)
        return entry.attempt
      } catch (error) {
        if (isMissing(error, path)) return undefined
        sayOnce(
          'read',
          `An attempt in the cache could not be used and is made anew (${path}: ${messageOf(error)}). Others like it are not mentioned.`,
        )
        return undefined
      }
    },
    async keep(key, attempt, get) {
      if (attempt.outcome.status !== 'scored') return
      const name = nameOf(key)
      try {
        const texts = await keepTexts(attempt, get)
        await writeWhole(attemptPath(name), entryText({ key: name, attempt, texts }))
      } catch (error) {
        sayOnce(
          'write',
          `Can't write to the cache (${messageOf(error)}). The run continues without it; further failures are not reported.`,
        )
      }
    },
  }
}

export interface CacheSize {
  readonly attempts: number
  readonly bytes: number
}

/** Size of a cache; undefined if the folder is not a cache. */
export async function measureCache(folder: string): Promise<CacheSize | undefined> {
  if (!(await entriesOf(folder)).includes(tagFile)) return undefined
  let attempts = 0
  let bytes = 0
  for (const part of [attemptsFolder, textsFolder]) {
    for (const shard of await entriesOf(join(folder, part))) {
      const files = await entriesOf(join(folder, part, shard))
      if (part === attemptsFolder) attempts += files.filter(name => name.endsWith('.jsonl')).length
      const sizes = await Promise.all(files.map(name => sizeIfThere(join(folder, part, shard, name))))
      bytes += sizes.reduce((sum, size) => sum + size, 0)
    }
  }
  return { attempts, bytes }
}

/** Empties a cache. Runs that use it meanwhile are safe: they find nothing and fill it again. */
export async function emptyCache(folder: string): Promise<void> {
  for (const part of [attemptsFolder, textsFolder]) {
    await rm(join(folder, part), { recursive: true, force: true, maxRetries: 3 })
  }
}

/**
 * Prepares a folder as a cache. It must be empty, so that the user's own files are neither mixed with the
 * entries nor removed with them later.
 */
async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    const there = await readdir(folder)
    if (there.includes(tagFile)) return
    if (there.length > 0) {
      throw new InputError(`${folder} cannot be the cache: it holds other files, such as ${there[0]}.`, {
        hint: 'Name an empty folder, or one that does not exist yet, in `cache`.',
      })
    }
    // Unlike the entries, not written through a temporary file: another run that opens the folder now must
    // not find an unknown file.
    await writeFile(join(folder, tagFile), tagText)
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(`The cache cannot be opened: ${messageOf(error)}.`, {
      hint: 'Name another folder in `cache`, or leave it out.',
      cause: error,
    })
  }
}

/** Text of an entry's file: a line with the hash of the second line, then the entry. */
function entryText(entry: Entry): string {
  const json = JSON.stringify(entry)
  return `${headOf(json)}\n${json}\n`
}

const headOf = (json: string) => JSON.stringify({ hash: contentHash(json) })

function parseEntry(text: string, name: string): Entry {
  const [head = '', json = ''] = text.split('\n')
  if (head !== headOf(json)) throw new Error('its content is not what was written')
  const entry = JSON.parse(json) as Entry
  if (entry.key !== name) throw new Error('it belongs to another attempt')
  return entry
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  // Not synced: damage from a power failure is detected by the hash.
  await writeFileAtomic(path, text, { fsync: false })
}

function isMissing(error: unknown, path: string): boolean {
  const { code, path: missing } = error as NodeJS.ErrnoException
  return code === 'ENOENT' && missing === path
}

async function entriesOf(folder: string): Promise<string[]> {
  return ifThere(readdir(folder), [])
}

async function sizeIfThere(path: string): Promise<number> {
  return ifThere(
    stat(path).then(({ size }) => size),
    0,
  )
}

/** Returns `otherwise` if a file is missing, since other processes may empty the cache meanwhile. */
async function ifThere<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return otherwise
    throw error
  }
}

function onceEach(say: (text: string) => void): (kind: string, text: string) => void {
  const said = new Set<string>()
  return (kind, text) => {
    if (said.has(kind)) return
    said.add(kind)
    say(text)
  }
}
