import { join } from 'node:path'
import { InputError } from '../core/errors.js'
import { contentHash } from '../core/hash.js'
import { lockRunDirectory } from '../store/lock.js'
import { type Disk, nodeDisk } from './disk.js'
import { ensureFolder } from './files.js'
import { type AdoptionState, readReceipt, stateIn } from './receipts.js'
import { removeLeftovers, settle } from './recover.js'
import { leftAlone } from './transaction.js'
import { inWords } from './words.js'

/** Whose files are changed, and where it is remembered. */
export interface AdoptionPlace {
  /** The project's folder, links resolved. */
  readonly project: string
  /** Where Sleep keeps what it knows of the project; never in the project itself. */
  readonly folder: string
  /** A folder of the user's for locks, the same for all projects: two of them may share a skill. */
  readonly locks: string
  /** Folders in which files may be changed, links resolved. A proposal cannot widen them. */
  readonly roots: readonly string[]
  readonly disk?: Disk
  readonly now?: () => Date
}

export interface Opened {
  readonly state: AdoptionState
  readonly disk: Disk
  readonly at: string
  /** One process at a time works on these files. */
  withFiles<T>(paths: readonly string[], work: () => Promise<T>): Promise<T>
}

/** One process at a time; what an earlier one left unfinished is settled first. */
export async function withAdoption<T>(
  place: AdoptionPlace,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const { disk = nodeDisk, now = () => new Date() } = place
  const state = stateIn(place.folder)
  const withFiles: Opened['withFiles'] = (paths, inner) => withLocks(place.locks, paths, disk, inner)
  try {
    await ensureFolder(state.folder, disk)
    return await withLock(state.folder, 'This project', async () => {
      await finishEarlier(state, disk, withFiles)
      return await work({ state, disk, at: now().toISOString(), withFiles })
    })
  } catch (error) {
    throw inWords(error, `${state.folder} cannot be used`)
  }
}

/** Settles what a stopped process left, and does nothing else. */
export async function recover(place: AdoptionPlace): Promise<void> {
  await withAdoption(place, async () => undefined)
}

async function finishEarlier(
  state: AdoptionState,
  disk: Disk,
  withFiles: Opened['withFiles'],
): Promise<void> {
  const journal = await readReceipt(state.journal, disk)
  if (journal !== undefined) {
    const paths = journal.changes.map(({ realPath }) => realPath)
    const left = await withFiles(paths, () => settle(state, journal, disk))
    if (left.length > 0) throw leftAlone(state, left)
  }
  await removeLeftovers(state, disk)
}

async function withLocks<T>(
  folder: string,
  paths: readonly string[],
  disk: Disk,
  work: () => Promise<T>,
): Promise<T> {
  // Always in the same order, so that two processes never wait for each other.
  const [path, ...rest] = [...new Set(paths)].sort()
  if (path === undefined) return work()
  await ensureFolder(folder, disk)
  const lock = join(folder, contentHash(path.normalize('NFC').toLowerCase()))
  return withLock(lock, path, () => withLocks(folder, rest, disk, work))
}

async function withLock<T>(folder: string, what: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockRunDirectory(folder).catch((error: unknown) => {
    if (!(error instanceof InputError)) throw error
    throw new InputError(`${what} cannot be changed now: ${error.message}`, {
      hint: `Nothing was changed. ${error.hint ?? ''}`.trim(),
      cause: error,
    })
  })
  try {
    return await work()
  } finally {
    await lock.release()
  }
}
