import { spawn } from 'node:child_process'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * A lock of the operating system on a file, which ends with the process that holds it, however that ends, and is seen by
 * every process of the machine, whichever container it runs in. Node has none of its own. The program `flock` takes it on
 * a descriptor that it shares with us, so that it stays held when that program is gone, for as long as ours is open.
 */
export interface OsLock {
  release(): Promise<void>
}

/** Undefined where it cannot be had: another system, no such program, a file system without such locks. */
export async function takeOsLock(path: string): Promise<OsLock | undefined> {
  if (process.platform !== 'linux') return undefined
  const file = await open(path, 'r+')
  if ((await flock(file, '-x')) === 0) return { release: () => file.close() }
  await file.close()
  return undefined
}

/** The same on a folder, which nobody can remove by name while it is used: `held` where another process has it. */
export async function takeFolderLock(path: string): Promise<OsLock | 'held' | undefined> {
  if (process.platform !== 'linux') return undefined
  const folder = await open(path, 'r')
  const code = await flock(folder, '-x')
  if (code === 0) return { release: () => folder.close() }
  await folder.close()
  return code === 1 ? 'held' : undefined
}

/** Whether a process holds it; undefined if that cannot be told. */
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
    // Shared, so that two who ask at the same time do not take each other for the holder.
    const code = await flock(file, '-s')
    return code === 0 ? false : code === 1 ? true : undefined
  } finally {
    await file.close()
  }
}

/** 0: taken, 1: held by another. Anything else: it could not be tried. */
function flock(file: FileHandle, how: '-x' | '-s'): Promise<number | undefined> {
  return new Promise(resolve => {
    const child = spawn('flock', [how, '-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', file.fd] })
    child.once('error', () => resolve(undefined))
    child.once('close', code => resolve(code ?? undefined))
  })
}
