import { randomUUID } from 'node:crypto'
import { readFileSync, unlinkSync } from 'node:fs'
import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { InputError } from '../core/errors.js'
import { isAlive, startOf } from '../system/process-identity.js'
import { unreadable } from './append-log.js'

export const lockFile = 'lock.json'

const ownerSchema = z.object({
  pid: z.int().positive(),
  hostname: z.string(),
  /** When the process began, as the system counts; absent where the system does not say. */
  start: z.string().optional(),
  since: z.string(),
  token: z.string(),
})
type Owner = z.output<typeof ownerSchema>

const takeoverPatienceMs = 5_000
const takeoverPollMs = 10

/** One process at a time works on a run directory. A lock whose process is gone is taken over at once. */
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
    ...(start === undefined ? {} : { start }),
    since: new Date().toISOString(),
    token: randomUUID(),
  }
  const owner = await acquire(path, me)
  if (owner !== undefined) throw refusal(directory, path, owner)

  const releaseAtExit = () => {
    if (parseOwner(readOrUndefined(path))?.token === me.token) unlinkSync(path)
  }
  if (heldLocks.size === 0) process.on('exit', releaseAll)
  heldLocks.add(releaseAtExit)
  return {
    async release() {
      heldLocks.delete(releaseAtExit)
      if (heldLocks.size === 0) process.off('exit', releaseAll)
      await giveBack(path, me)
    },
  }
}

export interface LockHolder {
  readonly pid: number
  readonly since: string
  /** On another machine, such as one that shares the disk, the same pid is somebody else. */
  readonly isHere: boolean
}

/** Which process works there now, and since when; undefined where none does. Nothing is changed. */
export async function holderOf(directory: string): Promise<LockHolder | undefined> {
  const owner = parseOwner(readOrUndefined(join(directory, lockFile)))
  if (owner === undefined) return undefined
  const isHere = owner.hostname === hostname()
  const isHeld = !isHere || (await isAlive(owner.pid, owner.start))
  return isHeld ? { pid: owner.pid, since: owner.since, isHere } : undefined
}

/** One listener for all of them: a process may hold more locks than Node allows listeners. */
const heldLocks = new Set<() => void>()

function releaseAll(): void {
  for (const release of heldLocks) release()
}

/** Undefined once it is ours, otherwise who has it. */
async function acquire(path: string, me: Owner): Promise<Owner | undefined> {
  const draft = `${path}.${me.token}`
  await writeFile(draft, `${JSON.stringify(me)}\n`)
  try {
    for (;;) {
      if (await createFrom(draft, path)) return undefined
      const owner = await readOwner(path)
      if (owner === undefined) continue
      if (owner.hostname !== me.hostname || (await isAlive(owner.pid, owner.start))) return owner
      if (await takeOver(path, draft, owner, me)) return undefined
    }
  } finally {
    // A takeover renames the draft; otherwise it is a second name of the lock, or of nothing that matters.
    await removeIfThere(draft)
  }
}

/**
 * Replacing a dead lock is done under a lock of its own: of two takers that saw the same dead owner, the slower must
 * not remove the faster one's lock. That inner lock is taken by these same rules, so a taker that dies while it
 * holds it blocks nobody either.
 */
async function takeOver(path: string, draft: string, dead: Owner, me: Owner): Promise<boolean> {
  const inner = `${path}.takeover`
  const deadline = Date.now() + takeoverPatienceMs
  for (;;) {
    const busy = await acquire(inner, me)
    if (busy === undefined) break
    if (Date.now() > deadline) throw refusal(path, inner, busy)
    await sleep(takeoverPollMs)
  }
  try {
    if ((await readOwner(path))?.token !== dead.token) return false
    await rename(draft, path)
    return true
  } finally {
    await giveBack(inner, me)
  }
}

/** A link appears whole or not at all: nobody ever reads a lock that is still being written. */
async function createFrom(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw unreadable(path, error)
  }
  // A file system without links.
  try {
    await writeFile(path, await readFile(draft), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw unreadable(path, error)
  }
}

/** Undefined if the lock has just been given back. */
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
    return readFileSync(path, 'utf8')
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

function refusal(directory: string, path: string, owner: Owner): InputError {
  if (owner.hostname !== hostname()) {
    return new InputError(
      `${directory} is in use by process ${owner.pid} on another machine (${owner.hostname}) since ${owner.since}.`,
      { hint: `If that process is gone, delete ${path} and run the same command again.` },
    )
  }
  return new InputError(`${directory} is in use by process ${owner.pid} since ${owner.since}.`, {
    hint: 'Wait for it or stop it, or work in another directory.',
  })
}
