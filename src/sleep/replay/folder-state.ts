import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { contentHash } from '../../core/text/hash.js'
import { inBatches } from '../../system/batches.js'
import { openPlainFile, readPlainFile } from '../../system/plain-file.js'
import { madeByTools, unlessClosed } from './file-copy.js'

/** The state of one path. Links are recorded and never followed. */
export interface FileState {
  /** `other`: cannot be read, such as a pipe or a file without permission. */
  readonly kind: 'file' | 'link' | 'other'
  /** Hash of the content, or of a link's target. */
  readonly hash: string
  readonly bytes: number
  readonly mayRun: boolean
}

export interface FolderState {
  /** Keyed by path relative to the folder, with `/` as separator. */
  readonly files: ReadonlyMap<string, FileState>
  /** Folders of git and of tools, which are not searched. */
  readonly passedOver: readonly string[]
}

/**
 * Records the state of a folder by file contents, because an agent can forge times and sizes. Git is not
 * used, because it would obey settings and attributes that an agent may have left there.
 */
export async function stateOfFolder(folder: string): Promise<FolderState> {
  const files = new Map<string, FileState>()
  const passedOver: string[] = []
  const pending = (await isFolder(folder)) ? [''] : []
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    const at = below
    const entries = await unlessClosed(() => readdir(join(folder, at), { withFileTypes: true }))
    if (entries === undefined) files.set(at, unreadable)
    const looked: string[] = []
    for (const entry of entries ?? []) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (madeByTools.has(entry.name)) passedOver.push(path)
      else if (entry.isDirectory()) pending.push(path)
      else looked.push(path)
    }
    const states = await inBatches(looked, path => stateOfFile(join(folder, path)))
    for (const [index, path] of looked.entries()) files.set(path, states[index] ?? unreadable)
  }
  return { files, passedOver: passedOver.sort() }
}

const unreadable: FileState = { kind: 'other', hash: '', bytes: 0, mayRun: false }

/** True if the path is a folder; an agent may have removed it or replaced it by a link. */
async function isFolder(path: string): Promise<boolean> {
  return (await unlessClosed(() => lstat(path)))?.isDirectory() ?? false
}

async function stateOfFile(path: string): Promise<FileState | undefined> {
  return unlessClosed(async () => {
    const stats = await lstat(path)
    const rest = { bytes: stats.size, mayRun: stats.isFile() && (stats.mode & 0o111) !== 0 }
    return { ...(await contentOf(path, stats)), ...rest }
  })
}

/**
 * Files up to this size are read at once, which is several times as fast. Larger ones are streamed to save
 * memory.
 */
const largestAtOnce = 1_000_000

async function contentOf(path: string, stats: Stats): Promise<Pick<FileState, 'kind' | 'hash'>> {
  if (stats.isSymbolicLink()) return { kind: 'link', hash: contentHash(await readlink(path)) }
  if (!stats.isFile()) return unreadable
  if (stats.size <= largestAtOnce) return { kind: 'file', hash: contentHash(await readPlainFile(path)) }
  const hash = createHash('sha256')
  const file = await openPlainFile(path)
  await pipeline(file.createReadStream(), hash)
  return { kind: 'file', hash: hash.digest('hex') }
}
