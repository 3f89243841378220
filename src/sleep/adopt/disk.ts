import { constants } from 'node:fs'
import { chmod, lstat, mkdir, open, readdir, realpath, rename, rmdir, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * All file operations of adoption, behind an interface so that a test can fail or stop after any single
 * step. Writes are durable on disk when the promise resolves.
 */
export interface Disk {
  entry(path: string): Promise<Entry | undefined>
  /** Resolves all links of a path; undefined if it does not exist. */
  realPath(path: string): Promise<string | undefined>
  /** Reads a file without following a link; undefined if it does not exist. */
  read(path: string, mostBytes: number): Promise<Buffer | undefined>
  names(folder: string): Promise<readonly string[]>
  /** Creates a file; fails if the path already exists. */
  create(path: string, content: Buffer, mode: number): Promise<void>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  makeFolder(path: string): Promise<void>
  /** Removes a folder, but only if it is empty. */
  removeFolder(path: string): Promise<void>
}

export interface Entry {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly mode: number
  /** Number of hard links to the file. */
  readonly names: number
  readonly bytes: number
  readonly owner: number
}

/** Permissions for the user only. */
export const privateFolder = 0o700
export const privateFile = 0o600

/** Flags that prevent following links and blocking on a pipe. Windows has neither. */
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
      // One byte more than allowed is read, so that an oversized file is noticed even if it grows meanwhile.
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
      // When the disk is nearly full, a single write() may write a part without an error; `writeFile` repeats
      // it.
      await handle.writeFile(content)
      // The umask would reduce a mode given to `open`, so it is set here.
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

/**
 * Syncs a file's folder, because a new name is durable only after that. Windows cannot open folders and needs
 * no sync.
 */
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
