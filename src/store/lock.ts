import { randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, unlinkSync } from 'node:fs'
import { link, mkdir, rename, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { InputError } from '../core/errors/errors.js'
import { isOsLocked, type OsLock, takeFolderLock, takeOsLock } from '../system/os-lock.js'
import { isAlive, processSpace, startOf } from '../system/process-identity.js'
import { unreadable } from './append-log.js'

export const lockFile = 'lock.json'

const ownerSchema = z.object({
  pid: z.int().positive(),
  hostname: z.string(),
  /** Start time of the process as the system counts it; absent if the system does not report it. */
  start: z.string().optional(),
  /** The boot and the pid namespace in which the pid is valid; absent if the system does not report them. */
  boot: z.string().optional(),
  pidNamespace: z.string().optional(),
  machine: z.string().optional(),
  /** Whether the process holds an OS lock on the lock file. Other processes can query that lock. */
  isOsLocked: z.boolean().optional(),
  since: z.string(),
  token: z.string(),
})
type Owner = z.output<typeof ownerSchema>

/** Maximum size of a lock file. Larger files are not ours. */
const largestLock = 100_000
const takeoverPatienceMs = 5_000
const takeoverPollMs = 10
const folderPatienceMs = 2_000

/** Locks a run directory for one process. A lock whose process is dead is taken over at once. */
export async function lockRunDirectory(directory: string): Promise<{ release(): Promise<void> }> {
  try {
    await mkdir(directory, { recursive: true })
  } catch (error) {
    throw unreadable(directory, error)
  }
  const path = join(directory, lockFile)
  const start = await startOf(process.pid)
  const me: Owner = {
    pid: process.pid,
    hostname: hostname(),
    start,
    ...processSpace(),
    since: new Date().toISOString(),
    token: randomUUID(),
  }
  const taken = await acquire(path, me)
  if ('owner' in taken) throw refusal(directory, path, taken)

  const folderLock = await lockFolder(directory)
  if (folderLock === 'held') {
    await giveBack(path, me)
    await taken.osLock?.release()
    throw new InputError(`${directory} is in use by another process, although its ${lockFile} was removed.`, {
      hint: 'Wait until that process has ended, or stop it.',
    })
  }

  const releaseAtExit = () => {
    if (parseOwner(readOrUndefined(path))?.token === me.token) unlinkSync(path)
  }
  if (heldLocks.size === 0) process.on('exit', releaseAll)
  // Keeps a reference to the OS locks, because Node closes an unreferenced file handle and thereby releases
  // its lock.
  heldLocks.set(releaseAtExit, [taken.osLock, folderLock])
  return {
    async release() {
      heldLocks.delete(releaseAtExit)
      if (heldLocks.size === 0) process.off('exit', releaseAll)
      // The folder is released first, so that the next owner of the lock file finds it unlocked.
      await folderLock?.release()
      await giveBack(path, me)
      await taken.osLock?.release()
    },
  }
}

/**
 * Takes a second lock, an OS lock on the folder, because a lock file can be deleted while its process works,
 * and two writers would then corrupt the log. An exiting process removes its lock file a moment before the
 * system releases this lock.
 */
async function lockFolder(directory: string): Promise<OsLock | 'held' | undefined> {
  const giveUpAt = Date.now() + folderPatienceMs
  for (;;) {
    const taken = await takeFolderLock(directory)
    if (taken !== 'held' || Date.now() > giveUpAt) return taken
    await sleep(takeoverPollMs)
  }
}

export interface LockHolder {
  readonly pid: number
  readonly since: string
  /**
   * False if the lock is from another machine or container that shares the disk. The same pid is another
   * process there.
   */
  readonly isHere: boolean
}

/** The process that holds the lock, and since when; undefined if no process does. This only reads. */
export async function holderOf(directory: string): Promise<LockHolder | undefined> {
  const path = join(directory, lockFile)
  const owner = parseOwner(readOrUndefined(path))
  if (owner === undefined) return undefined
  const state = await stateOf(owner, path)
  return state === 'dead'
    ? undefined
    : { pid: owner.pid, since: owner.since, isHere: placeOf(owner) === 'here' }
}

/** Locks that this process holds. They share one exit listener, since Node limits listeners. */
const heldLocks = new Map<() => void, readonly (OsLock | undefined)[]>()

function releaseAll(): void {
  for (const release of heldLocks.keys()) release()
}

/** Where the process that owns a lock runs, relative to this one. */
type OwnerPlace =
  /** In the same place, so that its pid can be looked up. */
  | 'here'
  /** On the same kernel, but its pid means nothing here. */
  | 'other container'
  /** On this machine, before its last boot. */
  | 'earlier start'
  | 'other machine'

function placeOf(owner: Owner): OwnerPlace {
  const { boot, pidNamespace, machine } = processSpace()
  const isOtherStart = owner.boot !== undefined && boot !== undefined && owner.boot !== boot
  if (owner.hostname !== hostname() && (owner.boot === undefined || owner.boot !== boot)) {
    return 'other machine'
  }
  if (isOtherStart)
    return machine !== undefined && owner.machine === machine ? 'earlier start' : 'other machine'
  return owner.pidNamespace === pidNamespace || owner.pidNamespace === undefined ? 'here' : 'other container'
}

/** Whether a lock's owner still runs. If that is unknown, the lock is respected. */
async function stateOf(owner: Owner, path: string): Promise<'alive' | 'dead' | 'unknown'> {
  switch (placeOf(owner)) {
    case 'here':
      return (await isAlive(owner.pid, owner.start)) ? 'alive' : 'dead'
    case 'earlier start':
      return 'dead'
    case 'other machine':
      return 'unknown'
    case 'other container': {
      if (owner.isOsLocked !== true) return 'unknown'
      const isLocked = await isOsLocked(path)
      return isLocked === undefined ? 'unknown' : isLocked ? 'alive' : 'dead'
    }
  }
}

type Acquired =
  | { readonly osLock: OsLock | undefined }
  | { readonly owner: Owner; readonly state: 'alive' | 'unknown' }

/** Takes the lock, or returns its current owner. */
async function acquire(path: string, me: Owner): Promise<Acquired> {
  const draft = `${path}.${me.token}`
  // The OS lock is taken on the draft, so it is held before the file becomes visible under its final name.
  await writeFile(draft, `${JSON.stringify({ ...me, isOsLocked: true })}\n`)
  const osLock = await takeOsLock(draft)
  if (osLock === undefined) await writeFile(draft, `${JSON.stringify(me)}\n`)
  let isTaken = false
  try {
    for (;;) {
      isTaken = await createFrom(draft, path, me)
      if (isTaken) return { osLock }
      const owner = await readOwner(path)
      if (owner === undefined) continue
      const state = await stateOf(owner, path)
      if (state !== 'dead') return { owner, state }
      isTaken = await takeOver(path, draft, { dead: owner, me })
      if (isTaken) return { osLock }
    }
  } finally {
    // A takeover renames the draft. Otherwise the draft is a second link to the lock, or an unused file.
    await removeIfThere(draft)
    if (!isTaken) await osLock?.release()
  }
}

/**
 * Replaces the lock of a dead process, under an inner lock. If two processes saw the same dead owner, the
 * slower must not remove the lock of the faster. The inner lock follows the same rules, so a process that
 * dies while it holds the inner lock blocks nobody.
 */
async function takeOver(
  path: string,
  draft: string,
  { dead, me }: { readonly dead: Owner; readonly me: Owner },
): Promise<boolean> {
  const inner = `${path}.takeover`
  const deadline = Date.now() + takeoverPatienceMs
  let taken: Acquired
  for (;;) {
    taken = await acquire(inner, me)
    if (!('owner' in taken)) break
    if (Date.now() > deadline) throw refusal(path, inner, taken)
    await sleep(takeoverPollMs)
  }
  try {
    if ((await readOwner(path))?.token !== dead.token) return false
    await rename(draft, path)
    return true
  } finally {
    await giveBack(inner, me)
    await taken.osLock?.release()
  }
}

/** Creates the lock as a hard link, which appears atomically, so that nobody reads a partly written lock. */
async function createFrom(draft: string, path: string, me: Owner): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw unreadable(path, error)
  }
  // Without hard links, the lock is another file than the draft, and the OS lock does not cover it.
  try {
    await writeFile(path, `${JSON.stringify(me)}\n`, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw unreadable(path, error)
  }
}

/** The owner of a lock; undefined if the lock has just been released. */
async function readOwner(path: string): Promise<Owner | undefined> {
  const giveUpAt = Date.now() + 1_000
  for (;;) {
    const text = readOrUndefined(path)
    if (text === undefined) return undefined
    const owner = parseOwner(text)
    if (owner !== undefined) return owner
    if (Date.now() > giveUpAt) {
      throw new InputError(`${path} is in the way: it does not say which process holds the run directory.`, {
        hint: 'If no skillopt is working on this run, delete the file.',
      })
    }
    await sleep(takeoverPollMs)
  }
}

function readOrUndefined(path: string): string | undefined {
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer, and only a kill could end that.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const { size } = fstatSync(file)
      // Only a regular file has a size. A file of 0 bytes may be generated by the system and have no end.
      return size > 0 && size <= largestLock ? readFileSync(file, 'utf8') : ''
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unreadable(path, error)
  }
}

function parseOwner(text: string | undefined): Owner | undefined {
  if (text === undefined) return undefined
  try {
    return ownerSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

async function giveBack(path: string, me: Owner): Promise<void> {
  if (parseOwner(readOrUndefined(path))?.token === me.token) await removeIfThere(path)
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function refusal(
  directory: string,
  path: string,
  { owner, state }: { readonly owner: Owner; readonly state: 'alive' | 'unknown' },
): InputError {
  const where = {
    here: '',
    'earlier start': '',
    'other container': ' in another container of this machine',
    'other machine': ` on another machine (${owner.hostname})`,
  }[placeOf(owner)]
  return new InputError(`${directory} is in use by process ${owner.pid}${where} since ${owner.since}.`, {
    hint:
      state === 'alive'
        ? 'Wait for it or stop it, or work in another directory.'
        : `If that process is gone, delete ${path} and run the same command again.`,
  })
}
