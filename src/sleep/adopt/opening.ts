import { join } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import { contentHash } from '../../core/text/hash.js'
import { lockRunDirectory } from '../../store/lock.js'
import { type Disk, nodeDisk } from './disk.js'
import { ensureFolder } from './files.js'
import { type AdoptionState, type Receipt, readReceipt, receiptPath, stateIn } from './receipts.js'
import { removeLeftovers, settle } from './recover.js'
import { leftAlone } from './transaction.js'
import { inWords } from './words.js'

/** The project whose files change, and the folders with the adoption state. */
export interface AdoptionPlace {
  /** The project's folder, with links resolved. */
  readonly project: string
  /** Sleep's state folder for the project; never inside the project. */
  readonly folder: string
  /** The user's lock folder, shared by all projects because two projects may share a skill. */
  readonly locks: string
  /** Folders in which files may be changed, with links resolved. A proposal cannot add to this list. */
  readonly roots: readonly string[]
  readonly disk?: Disk
  readonly now?: () => Date
}

export interface Opened {
  readonly state: AdoptionState
  readonly disk: Disk
  readonly at: string
  readonly settled: Settled | undefined
  /** Runs the work while holding a lock on each of these files. */
  withFiles<T>(paths: readonly string[], work: () => Promise<T>): Promise<T>
}

/** Runs the work under the project's lock, after recovering from any interrupted adoption. */
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
      const settled = await finishEarlier(state, disk, withFiles)
      return await work({ state, disk, at: now().toISOString(), settled, withFiles })
    })
  } catch (error) {
    throw inWords(error, `${state.folder} cannot be used`)
  }
}

/** An interrupted adoption or undo, and how it was recovered. */
export interface Settled {
  /** The interrupted operation. */
  readonly receipt: Receipt
  /** True if the whole operation was kept, false if it was rolled back. */
  readonly stands: boolean
}

/**
 * Recovers from an interrupted adoption or undo, if there is one. Creates no folder if nothing was ever
 * adopted.
 */
export async function recover(place: AdoptionPlace): Promise<Settled | undefined> {
  const { folder } = stateIn(place.folder)
  if ((await (place.disk ?? nodeDisk).entry(folder)) === undefined) return undefined
  return withAdoption(place, async ({ settled }) => settled)
}

async function finishEarlier(
  state: AdoptionState,
  disk: Disk,
  withFiles: Opened['withFiles'],
): Promise<Settled | undefined> {
  const receipt = await readReceipt(state.journal, disk)
  let settled: Settled | undefined
  if (receipt !== undefined) {
    const paths = receipt.changes.map(({ realPath }) => realPath)
    const left = await withFiles(paths, () => settle(state, receipt, disk))
    if (left.length > 0) throw leftAlone(state, left)
    settled = { receipt, stands: (await readReceipt(receiptPath(state, receipt.number), disk)) !== undefined }
  }
  await removeLeftovers(state, disk)
  return settled
}

async function withLocks<T>(
  folder: string,
  paths: readonly string[],
  disk: Disk,
  work: () => Promise<T>,
): Promise<T> {
  // Locks are taken in sorted order, so that two processes cannot block each other forever.
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
