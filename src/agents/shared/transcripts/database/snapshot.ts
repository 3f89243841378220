import { constants, createWriteStream } from 'node:fs'
import { copyFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { makeOwnFolder } from '../../../../system/own-folder.js'
import { notRegular, openPlainFile } from '../../../../system/plain-file.js'
import { removeFolder } from '../../../../system/remove-folder.js'
import { systemCode } from '../files.js'

/** A consistent snapshot of a database. Opening it leaves the user's files untouched. */
export interface Snapshot {
  /** URL to open with SQLite. */
  readonly url: string
  /** Whether the database's files have not changed since the snapshot was taken. */
  isUnchanged(): Promise<boolean>
  remove(): Promise<void>
}

/** Suffixes of a database's files: the main file, the write-ahead log, and the rollback journal. */
const parts = ['', '-wal', '-journal']

interface Part {
  readonly suffix: string
  readonly size: bigint
  /** Inode, size and time of the last write; it changes with every write. */
  readonly state: string
}

/**
 * Takes a snapshot; undefined if the database changed meanwhile. SQLite would create or change files beside a
 * database that has a log, so such a database is copied. One without a log is read in place as an immutable
 * file.
 */
export async function takeSnapshot(path: string, signal: AbortSignal): Promise<Snapshot | undefined> {
  // SQLite looks for the log beside the file itself, not beside a link to it.
  const file = await realpath(path)
  const before = await partsOf(file)
  const isUnchanged = async () => stateOf(await partsOf(file)) === stateOf(before)
  if (before.every(({ suffix, size }) => suffix === '' || size === 0n))
    return { url: `${pathToFileURL(file)}?immutable=1`, isUnchanged, remove: async () => {} }
  const folder = await makeOwnFolder()
  const remove = () => removeFolder(folder)
  try {
    for (const { suffix } of before) await copy(`${file}${suffix}`, join(folder, `copy${suffix}`), signal)
    if (await isUnchanged())
      return { url: pathToFileURL(join(folder, 'copy')).href, isUnchanged: async () => true, remove }
  } catch (error) {
    await remove()
    // A checkpoint may have removed the log meanwhile.
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
  await remove()
  return undefined
}

async function partsOf(file: string): Promise<readonly Part[]> {
  const found = await Promise.all(parts.map(suffix => partOf(file, suffix)))
  return found.filter(part => part !== undefined)
}

async function partOf(file: string, suffix: string): Promise<Part | undefined> {
  try {
    const found = await stat(`${file}${suffix}`, { bigint: true })
    // If the path were a pipe, SQLite would wait until something writes to it.
    if (!found.isFile()) throw notRegular()
    // Virtual files of the system, such as those in /proc, report size 0; `openPlainFile` refuses them.
    if (found.size === 0n) await (await openPlainFile(`${file}${suffix}`)).close()
    const { size, mtimeNs, ino } = found
    return { suffix, size, state: `${suffix} ${ino} ${size} ${mtimeNs}` }
  } catch (error) {
    if (suffix !== '' && systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function stateOf(found: readonly Part[]): string {
  return found.map(({ state }) => state).join('\n')
}

async function copy(from: string, to: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  try {
    // A reflink, which costs nothing on file systems with copy-on-write.
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    const file = await openPlainFile(from)
    await pipeline(file.createReadStream(), createWriteStream(to, { mode: 0o600 }), { signal })
  }
}
