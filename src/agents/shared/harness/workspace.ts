import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, realpath, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { InputError } from '../../../core/errors/errors.js'
import { bytes, count } from '../../../core/text/format.js'
import { inBatches } from '../../../system/batches.js'
import { listTree, type OpenFolder, openFolder, type TreeEntry } from '../../../system/tree.js'
import { copyFileBelow } from '../../../system/tree-copy.js'

export interface WorkspaceLimits {
  readonly bytes: number
  /** Number of files and folders. */
  readonly entries: number
}

export const defaultWorkspaceLimits: WorkspaceLimits = { bytes: 1024 ** 3, entries: 50_000 }

interface Entry {
  /** Path relative to the copied folder. */
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  /** Changes whenever the content changes; programs cannot set it freely. */
  readonly stamp: string
}

/** The files and folders that the agent was given, by relative path; used to detect its changes. */
export type WorkspaceSnapshot = ReadonlyMap<string, Pick<Entry, 'kind' | 'stamp'>>

/**
 * Copies the session's files for the agent, so that the session's own folder stays unchanged until the agent
 * has succeeded. Links within the folder are copied as links. A link that leads out of the folder is refused,
 * because the agent could write through it.
 */
export async function copyWorkspace(
  source: string,
  target: string,
  limits: WorkspaceLimits = defaultWorkspaceLimits,
): Promise<WorkspaceSnapshot> {
  const root = await realpath(source)
  const entries = await entriesOf(root, limits)
  if (entries === undefined) {
    throw new InputError(
      `The workspace ${source} is too large to copy for an agent: the limit is ${bytes(limits.bytes)} and ${count(limits.entries)} files.`,
      { hint: 'Remove files that the task does not need.' },
    )
  }
  for (const { path, kind } of entries) if (kind === 'folder') await mkdir(join(target, path))
  await inBatches(
    entries.filter(({ kind }) => kind !== 'folder'),
    async ({ path, kind }) => {
      const [from, to] = [join(root, path), join(target, path)]
      if (kind === 'file') await copyFile(from, to, constants.COPYFILE_FICLONE)
      else if (kind === 'link') await symlink(await relativeLinkTarget(root, path), to)
      else throw copyError(path, 'is neither a file nor a folder')
    },
  )
  const copied = (await entriesOf(target, unlimited)) ?? []
  return new Map(copied.map(entry => [entry.path, entry]))
}

const unlimited: WorkspaceLimits = { bytes: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY }

/** A link's target, relative to the link. Throws if the link is broken or leads out of the folder. */
async function relativeLinkTarget(root: string, path: string): Promise<string> {
  const from = join(root, path)
  const target = await realpath(from).catch(() => undefined)
  if (target === undefined) throw copyError(path, 'is a broken link')
  if (target !== root && !target.startsWith(root + sep)) throw copyError(path, 'is a link to a file outside')
  return relative(dirname(from), target)
}

function copyError(path: string, problem: string): InputError {
  return new InputError(`In the workspace of the task, ${path} ${problem}.`, {
    hint: 'Replace it by the file itself: an agent works on a copy, which may contain only files, folders and links between them.',
  })
}

/** What the agent changed: relative paths, folders before their contents. */
export interface Changes {
  readonly removed: readonly string[]
  readonly folders: readonly string[]
  readonly files: readonly string[]
}

/**
 * Copies the agent's changes to the session's own folder, where the scorer reads them. Changes that the
 * session's tools made there meanwhile stay. Only files and folders are copied, because a link could mislead
 * a reader. `without` lists the harness's own files, which are not copied.
 * Returns undefined, and changes nothing, if the changes are too large.
 */
export async function applyChanges(
  from: string,
  to: string,
  {
    given,
    without,
    limits = defaultWorkspaceLimits,
  }: { given: WorkspaceSnapshot; without: readonly string[]; limits?: WorkspaceLimits },
): Promise<Changes | undefined> {
  const folder = await openIfPresent(from)
  try {
    const listed = folder === undefined ? [] : await listTree(folder, limits)
    if (listed === undefined) return undefined
    const changes = changesOf(listed.map(entryOf), given, without)
    for (const path of changes.removed) await rm(join(to, path), { recursive: true, force: true })
    for (const path of changes.folders) await mkdir(join(to, path), { recursive: true })
    await inBatches(changes.files, async path => {
      // The parent folder is missing if it was skipped because it also held files of the harness.
      await mkdir(dirname(join(to, path)), { recursive: true })
      await rm(join(to, path), { force: true })
      if (folder !== undefined) await copyFileBelow(folder, path.replaceAll(sep, '/'), join(to, path))
    })
    return changes
  } finally {
    await folder?.close()
  }
}

function changesOf(entries: readonly Entry[], given: WorkspaceSnapshot, without: readonly string[]): Changes {
  const isOurs = (path: string) => without.some(ours => isAtOrBelow(path, ours) || isAtOrBelow(ours, path))
  const now = new Map(entries.map(entry => [entry.path, entry]))
  const removed = [...given].filter(([path, { kind }]) => now.get(path)?.kind !== kind && !isOurs(path))
  const changed = entries.filter(
    ({ path, kind, stamp }) =>
      !isOurs(path) && (given.get(path)?.kind !== kind || given.get(path)?.stamp !== stamp),
  )
  const isNew = ({ path, kind }: Entry) => given.get(path)?.kind !== kind
  return {
    removed: removed.map(([path]) => path),
    folders: changed.filter(entry => entry.kind === 'folder' && isNew(entry)).map(({ path }) => path),
    files: changed.filter(({ kind }) => kind === 'file').map(({ path }) => path),
  }
}

/** Undefined if the agent has deleted its workspace or replaced it with a link; links are not followed. */
async function openIfPresent(path: string): Promise<OpenFolder | undefined> {
  try {
    return await openFolder(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

function entryOf({ path, stats }: TreeEntry): Entry {
  return { path: path.replaceAll('/', sep), kind: kindOf(stats), stamp: stampOf(stats) }
}

function stampOf({ ino, size, ctimeMs }: TreeEntry['stats']): string {
  return `${ino} ${size} ${ctimeMs}`
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep)
}

/**
 * Lists a folder recursively, folders before their contents, without following links. Undefined as soon as a
 * limit is exceeded.
 */
async function entriesOf(folder: string, limits: WorkspaceLimits): Promise<Entry[] | undefined> {
  const found: Entry[] = []
  let size = 0
  const pending = ['']
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    const listed = await readdir(resolve(folder, below), { withFileTypes: true })
    if (found.length + listed.length > limits.entries) return undefined
    const looked = await inBatches(listed, async entry => {
      const path = join(below, entry.name)
      const kind = kindOf(entry)
      const stats = await lstat(join(folder, path))
      return { path, kind, size: stats.size, stamp: stampOf(stats) }
    })
    for (const { path, kind, size: ofEntry, stamp } of looked) {
      found.push({ path, kind, stamp })
      if (kind === 'folder') pending.push(path)
      if (kind === 'file') size += ofEntry
    }
    if (size > limits.bytes) return undefined
  }
  return found
}

function kindOf(entry: {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}): Entry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
