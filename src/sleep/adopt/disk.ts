import { constants } from 'node:fs'
import { chmod, lstat, mkdir, open, readdir, realpath, rename, rmdir, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * All that adoption does to files, so that a test can fail or stop it after each single step. Whatever is written is on
 * the disk when the promise resolves.
 */
export interface Disk {
  entry(path: string): Promise<Entry | undefined>
  /** Links resolved; undefined if nothing is there. */
  realPath(path: string): Promise<string | undefined>
  /** Never through a link. Undefined if nothing is there. */
  read(path: string, mostBytes: number): Promise<Buffer | undefined>
  names(folder: string): Promise<readonly string[]>
  /** Fails if something is there already. */
  create(path: string, content: Buffer, mode: number): Promise<void>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  makeFolder(path: string): Promise<void>
  /** Only if nothing is in it; otherwise it is left alone. */
  removeFolder(path: string): Promise<void>
}

export interface Entry {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly mode: number
  /** How many names the file has. */
  readonly names: number
  readonly bytes: number
  readonly owner: number
}

/** For the user alone. */
export const privateFolder = 0o700
export const privateFile = 0o600

/** Neither through a link, nor waiting for whoever writes into a pipe; Windows knows neither flag. */
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export class FileTooLarge extends Error {}

export const nodeDisk: Disk = {
  async entry(path) {
    const stats = await ifThere(lstat(path))
    if (stats === undefined) return undefined
    const kind = stats.isFile()
      ? 'file'
      : stats.isDirectory()
        ? 'folder'
        : stats.isSymbolicLink()
          ? 'link'
          : 'other'
    return { kind, mode: stats.mode & 0o7777, names: stats.nlink, bytes: stats.size, owner: stats.uid }
  },
  realPath: path => ifThere(realpath(path)),
  async read(path, mostBytes) {
    const handle = await ifThere(open(path, readFlags))
    if (handle === undefined) return undefined
    try {
      // One byte more than is allowed tells that there is more, whatever the file grows to meanwhile.
      const buffer = Buffer.alloc(Math.min((await handle.stat()).size, mostBytes) + 1)
      let length = 0
      for (let read = -1; read !== 0 && length < buffer.length; length += read) {
        read = (await handle.read(buffer, length, buffer.length - length)).bytesRead
      }
      if (length > mostBytes) throw new FileTooLarge(path)
      return buffer.subarray(0, length)
    } finally {
      await handle.close()
    }
  },
  names: async folder => (await ifThere(readdir(folder))) ?? [],
  async create(path, content, mode) {
    const handle = await open(path, 'wx', privateFile)
    try {
      // Not in one write: on a disk that is nearly full the system takes a part of it, and says nothing.
      await handle.writeFile(content)
      // The mode given to `open` is cut by the umask.
      await handle.chmod(mode)
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
  async rename(from, to) {
    await rename(from, to)
    await syncFolderOf(to)
  },
  async remove(path) {
    await ifThere(unlink(path))
    await syncFolderOf(path)
  },
  async makeFolder(path) {
    await mkdir(path, { mode: privateFolder })
    await chmod(path, privateFolder)
    await syncFolderOf(path)
  },
  async removeFolder(path) {
    try {
      await rmdir(path)
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error) ?? '')) throw error
    }
  },
}

/** A name is on the disk when its folder is. Windows cannot open a folder, and does it by itself. */
async function syncFolderOf(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await ifThere(open(dirname(path), constants.O_RDONLY))
  try {
    await folder?.sync()
  } finally {
    await folder?.close()
  }
}

async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
