import { spawn } from 'node:child_process'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * An OS lock on a file. It ends with the process that holds it, however that process ends, and every process
 * of the machine sees it, in any container.
 * Node has no such lock. The program `flock` takes it on a descriptor that it shares with us, so the lock
 * outlives that program for as long as our descriptor is open.
 */
export interface OsLock {
  release(): Promise<void>
}

/**
 * Takes a lock. Undefined if that is impossible: on another operating system, without the program `flock`, or
 * on a file system without such locks.
 */
export async function takeOsLock(path: string): Promise<OsLock | undefined> {
  if (process.platform !== 'linux') return undefined
  const file = await open(path, 'r+')
  if ((await flock(file, '-x')) === 0) return { release: () => file.close() }
  await file.close()
  return undefined
}

/** Takes a lock on a folder, which is rarely deleted in use; `held` if another process has the lock. */
export async function takeFolderLock(path: string): Promise<OsLock | 'held' | undefined> {
  if (process.platform !== 'linux') return undefined
  const folder = await open(path, 'r')
  const code = await flock(folder, '-x')
  if (code === 0) return { release: () => folder.close() }
  await folder.close()
  return code === 1 ? 'held' : undefined
}

/** Whether a process holds the lock; undefined if that cannot be determined. */
export async function isOsLocked(path: string): Promise<boolean | undefined> {
  if (process.platform !== 'linux') return undefined
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    // The query takes a shared lock, so that two simultaneous queries do not mistake each other for the
    // holder.
    const code = await flock(file, '-s')
    return code === 0 ? false : code === 1 ? true : undefined
  } finally {
    await file.close()
  }
}

/** Runs `flock`. 0 means acquired, 1 means held by another process; anything else is a failed attempt. */
function flock(file: FileHandle, how: '-x' | '-s'): Promise<number | undefined> {
  return new Promise(resolve => {
    const child = spawn('flock', [how, '-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', file.fd] })
    child.once('error', () => resolve(undefined))
    child.once('close', code => resolve(code ?? undefined))
  })
}
