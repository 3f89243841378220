import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { chmod, type FileHandle, lchmod, lstat, open, readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { inBatches } from './batches.js'

/**
 * Access to untrusted folders. Between two accesses to a path, a file may be replaced by a link. So every
 * step starts from an open folder, follows no link, and checks the open file itself. Names are bytes, since
 * they need not be UTF-8.
 */

export interface Contents {
  readonly bytes: number
  readonly entries: number
}

export const endless: Contents = { bytes: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY }

export function isMore({ bytes, entries }: Contents, most: Contents): boolean {
  return bytes > most.bytes || entries > most.entries
}

/** Maximum depth of folders. Each level needs an open file while it is visited. */
export const mostLevels = 100
/** Maximum bytes of a path. Systems allow 4,095, but readers of a copy prepend their own folder. */
export const longestPath = 1000

/** Thrown if folders are nested deeper than any real work needs. */
export class TooDeepError extends Error {
  constructor() {
    super(`Folders are nested more than ${mostLevels} deep.`)
  }
}

export const isLinux = process.platform === 'linux'
/** Linux flag that opens a file only as a location, without read permission. Node does not define it. */
const O_PATH = 0x20_0000
export const noFollow = constants.O_NOFOLLOW ?? 0
const onlyFolder = constants.O_DIRECTORY ?? 0
export const nonBlocking = constants.O_NONBLOCK ?? 0

/** A folder held open. On Linux its path refers to the same folder even if the folder is replaced. */
export interface OpenFolder {
  readonly path: Buffer
  close(): Promise<void>
}

/** Opens a folder. Links on the way to it are followed, but not a link at its end. */
export async function openFolder(path: string | Buffer): Promise<OpenFolder> {
  if (!isLinux) {
    const found = await lstat(path)
    if (!found.isDirectory()) throw notFolder(path)
    return { path: Buffer.from(path), close: async () => {} }
  }
  return held(await open(path, O_PATH | noFollow | onlyFolder))
}

export function held(handle: FileHandle): OpenFolder {
  return { path: Buffer.from(`/proc/self/fd/${handle.fd}`), close: () => handle.close() }
}

function notFolder(path: string | Buffer): Error {
  return Object.assign(new Error(`Not a folder: ${path.toString()}`), { code: 'ENOTDIR' })
}

/** The path of an entry of an open folder. */
export function entryPath(folder: OpenFolder, name: Buffer): Buffer {
  return Buffer.concat([folder.path, Buffer.from('/'), name])
}

export function pathBelow(above: Buffer, name: Buffer): Buffer {
  return above.length === 0 ? name : Buffer.concat([above, Buffer.from('/'), name])
}

/** Whether an entry is copied: its path must be UTF-8, short enough and not too deep. */
export function isKept(path: Buffer, level: number): boolean {
  return isUtf8(path) && path.length <= longestPath && level < mostLevels
}

export const list = (folder: OpenFolder): Promise<Buffer[]> => readdir(folder.path, { encoding: 'buffer' })

export async function withFolder<T>(
  path: string | Buffer,
  work: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  const folder = await openFolder(path)
  try {
    return await work(folder)
  } finally {
    await folder.close()
  }
}

/** Measures a folder's content without following links, and stops once it exceeds `most`. */
export async function measureTree(folder: OpenFolder, most: Contents = endless): Promise<Contents> {
  const total = { bytes: 0, entries: 0 }
  const visit = async (place: OpenFolder, level: number): Promise<void> => {
    if (level > mostLevels) throw new TooDeepError()
    for (const name of await unlessGone(() => list(place), [])) {
      const path = entryPath(place, name)
      const stats = await unlessGone(() => lstat(path), undefined)
      if (stats === undefined) continue
      total.entries += 1
      if (stats.isDirectory())
        await unlessGone(() => withFolder(path, below => visit(below, level + 1)), undefined)
      else total.bytes += stats.size
      if (isMore(total, most)) return
    }
  }
  await visit(folder, 0)
  return total
}

/** Makes every folder accessible to its owner, since a program may have locked its own folders. */
export async function unlockTree(folder: OpenFolder, level = 0): Promise<void> {
  if (level > mostLevels) throw new TooDeepError()
  await chmod(folder.path, 0o700)
  for (const name of await list(folder)) {
    const path = entryPath(folder, name)
    if ((await lstat(path)).isDirectory()) await withFolder(path, below => unlockTree(below, level + 1))
  }
}

/** Calls `change` for the folder and everything in it, including links themselves. */
export async function eachEntry(folder: OpenFolder, change: (path: Buffer) => Promise<void>): Promise<void> {
  const visit = async (place: OpenFolder, level: number): Promise<void> => {
    if (level > mostLevels) throw new TooDeepError()
    for (const name of await list(place)) {
      const path = entryPath(place, name)
      await change(path)
      if ((await lstat(path)).isDirectory()) await withFolder(path, below => visit(below, level + 1))
    }
  }
  await visit(folder, 0)
}

export interface TreeEntry {
  /** Path relative to the folder, with `/` between names. */
  readonly path: string
  readonly stats: Stats
}

/**
 * Lists all entries with UTF-8 names, folders before their contents, without following links. Undefined as
 * soon as `most` is exceeded. Also opens entries that their owner has locked.
 */
export async function listTree(folder: OpenFolder, most: Contents): Promise<TreeEntry[] | undefined> {
  const entries: TreeEntry[] = []
  let bytes = 0
  const visit = async (place: OpenFolder, above: Buffer, level: number): Promise<boolean> => {
    await chmod(place.path, 0o700)
    const names = (await list(place)).filter(name => isKept(pathBelow(above, name), level))
    if (entries.length + names.length > most.entries) return false
    const found = await inBatches(names, async name => {
      const stats = await unlessGone(() => lstat(entryPath(place, name)), undefined)
      if (stats?.isFile() && (stats.mode & 0o600) !== 0o600)
        await (await openEntry(place, name, true))?.handle.close()
      return { name, path: pathBelow(above, name), stats }
    })
    for (const { name, path, stats } of found) {
      if (stats === undefined) continue
      entries.push({ path: path.toString(), stats })
      bytes += stats.isFile() ? stats.size : 0
      if (bytes > most.bytes) return false
      if (!stats.isDirectory()) continue
      const isWithin = await unlessGone(
        () => withFolder(entryPath(place, name), below => visit(below, path, level + 1)),
        true,
      )
      if (!isWithin) return false
    }
    return true
  }
  return (await visit(folder, Buffer.alloc(0), 0)) ? entries : undefined
}

/** A file or folder held open. */
export interface OpenEntry {
  readonly handle: FileHandle
  readonly stats: Stats
}

/** Opens a file or folder by its name; undefined for anything else, or if the entry is gone. */
export async function openEntry(
  folder: OpenFolder,
  name: Buffer,
  unlock: boolean,
): Promise<OpenEntry | undefined> {
  const path = entryPath(folder, name)
  const handle = await unlessGone(() => openPlace(path, unlock), undefined)
  if (handle === undefined) return undefined
  try {
    const stats = await handle.stat()
    if (stats.isFile() || stats.isDirectory()) {
      // Uses the open descriptor, so that the change affects the file that was checked.
      if (unlock && isLinux) await chmod(`/proc/self/fd/${handle.fd}`, ownersMode(stats))
      return { handle, stats }
    }
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}

/** The owner's permissions, at least read and write. No set-id bits, and nothing for others. */
function ownersMode(stats: Stats): number {
  return (stats.mode & 0o700) | 0o600 | (stats.isDirectory() ? 0o100 : 0)
}

async function openPlace(path: Buffer, unlock: boolean): Promise<FileHandle | undefined> {
  if (isLinux) return open(path, O_PATH | noFollow)
  const found = await lstat(path)
  if (!found.isFile() && !found.isDirectory()) return undefined
  if (unlock) await (process.platform === 'darwin' ? lchmod : chmod)(path, ownersMode(found))
  return open(path, constants.O_RDONLY | noFollow | nonBlocking)
}

/**
 * Removes links, pipes, sockets, devices, and entries whose names are not UTF-8. Everything else becomes
 * accessible to its owner only. Returns the paths that were removed because of their names.
 */
export async function keepPlainFiles(folder: OpenFolder): Promise<string[]> {
  const leftOut: string[] = []
  const visit = async (place: OpenFolder, above: Buffer, level: number): Promise<void> => {
    for (const name of await list(place)) {
      const path = entryPath(place, name)
      const below = pathBelow(above, name)
      const stats = await lstat(path)
      if (!isKept(below, level)) {
        leftOut.push(shownName(below))
        if (stats.isDirectory()) await withFolder(path, emptyTree)
        await (stats.isDirectory() ? rmdir(path) : unlink(path))
      } else if (stats.isDirectory()) await withFolder(path, inside => visit(inside, below, level + 1))
      else if (!stats.isFile()) await unlink(path)
      else await (await openEntry(place, name, true))?.handle.close()
    }
  }
  await visit(folder, Buffer.alloc(0), 0)
  return leftOut
}

/**
 * Removes everything in a folder, at any depth and with any names. Another process may be removing it too.
 */
export async function emptyTree(folder: OpenFolder): Promise<void> {
  const remove = async (place: OpenFolder, name: Buffer, level: number): Promise<void> => {
    const path = entryPath(place, name)
    if (!(await lstat(path)).isDirectory()) return unlink(path)
    // Each level keeps a file open, so deeper folders are moved to the top and removed from there.
    if (level >= mostLevels) return rename(path, entryPath(folder, Buffer.from(`.removed-${randomUUID()}`)))
    await withFolder(path, below => visit(below, level + 1))
    await rmdir(path)
  }
  const visit = async (place: OpenFolder, level: number): Promise<void> => {
    await chmod(place.path, 0o700)
    for (const name of await list(place)) await unlessGone(() => remove(place, name, level), undefined)
  }
  do {
    await visit(folder, 0)
  } while ((await list(folder)).length > 0)
}

/** A path for a message. Bytes that are not UTF-8 are escaped, and a long path is shortened. */
export function shownName(path: Buffer): string {
  const text = isUtf8(path) ? path.toString() : path.toString('latin1').replace(/[^ -~]/g, escaped)
  return text.length > 100 ? `${text.slice(0, 60)}…${text.slice(-30)}` : text
}

const escaped = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** Runs `look`; returns `otherwise` if the entry is gone, since a program may remove it meanwhile. */
export async function unlessGone<T, U>(look: () => Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await look()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return otherwise
    throw error
  }
}
