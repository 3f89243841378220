import { constants } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import {
  type Contents,
  endless,
  entryPath,
  held,
  isKept,
  isLinux,
  isMore,
  list,
  noFollow,
  nonBlocking,
  type OpenEntry,
  type OpenFolder,
  openEntry,
  openFolder,
  pathBelow,
  shownName,
  unlessGone,
  withFolder,
} from './tree.js'

export interface CopyOptions {
  /** Maximum to copy. The copy stops before exceeding it, since a file may have grown meanwhile. */
  readonly most?: Contents
  /** Whether to also open files that their owner has locked. */
  readonly unlock?: boolean
}

/**
 * Copies only files and folders, because a link or a pipe could mislead a reader. Modes lose the set-id bits
 * and write access for others. Returns the paths that were skipped because they are not UTF-8, too long or
 * too deep.
 */
export async function copyTree(
  from: OpenFolder,
  to: OpenFolder,
  options: CopyOptions = {},
): Promise<string[]> {
  const { most = endless, unlock = false } = options
  const leftOut: string[] = []
  const total = { bytes: 0, entries: 0 }
  const visit = async (
    source: OpenFolder,
    target: OpenFolder,
    above: Buffer,
    level: number,
  ): Promise<void> => {
    for (const name of await list(source)) {
      const path = pathBelow(above, name)
      if (!isKept(path, level)) {
        leftOut.push(shownName(path))
        continue
      }
      const entry = await openEntry(source, name, unlock)
      if (entry === undefined) continue
      try {
        total.entries += 1
        if (entry.stats.isDirectory()) {
          await mkdir(entryPath(target, name), 0o755)
          const inside = isLinux ? held(entry.handle) : await openFolder(entryPath(source, name))
          await withFolder(entryPath(target, name), copy => visit(inside, copy, path, level + 1))
        } else {
          total.bytes += entry.stats.size
          if (isMore(total, most)) throw new TooLargeError()
          await copyContent(entry, entryPath(target, name))
        }
      } finally {
        await entry.handle.close()
      }
    }
  }
  await visit(from, to, Buffer.alloc(0), 0)
  return leftOut
}

/** Thrown if a copy would exceed `most`. */
export class TooLargeError extends Error {}

/**
 * Copies one file below an open folder to a new file, without following links on the way. Returns false if
 * there is no such file.
 */
export async function copyFileBelow(folder: OpenFolder, path: string, target: string): Promise<boolean> {
  const [first = '', ...rest] = path.split('/')
  const name = Buffer.from(first)
  if (rest.length > 0) {
    const copyWithin = (below: OpenFolder) => copyFileBelow(below, rest.join('/'), target)
    return unlessGone(() => withFolder(entryPath(folder, name), copyWithin), false)
  }
  const entry = await openEntry(folder, name, false)
  if (entry === undefined) return false
  try {
    if (entry.stats.isFile()) await copyContent(entry, Buffer.from(target))
    return entry.stats.isFile()
  } finally {
    await entry.handle.close()
  }
}

async function copyContent({ handle, stats }: OpenEntry, target: Buffer): Promise<void> {
  const source = isLinux ? await open(`/proc/self/fd/${handle.fd}`, constants.O_RDONLY | nonBlocking) : handle
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow
    const copy = await open(target, flags, (stats.mode & 0o755) | 0o600)
    try {
      const chunk = Buffer.allocUnsafe(Math.min(Math.max(stats.size, 1), 256 * 1024))
      for (let left = stats.size; left > 0; ) {
        const { bytesRead } = await source.read(chunk, 0, Math.min(chunk.length, left))
        if (bytesRead === 0) break
        await copy.writeFile(chunk.subarray(0, bytesRead))
        left -= bytesRead
      }
    } finally {
      await copy.close()
    }
  } finally {
    if (source !== handle) await source.close()
  }
}
