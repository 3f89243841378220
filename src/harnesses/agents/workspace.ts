import { constants } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, readdir, realpath, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { InputError } from '../../core/errors.js'
import { bytes, count } from '../../core/format.js'

export interface WorkspaceLimits {
  readonly bytes: number
  /** Files and folders. */
  readonly entries: number
}

export const usualWorkspaceLimits: WorkspaceLimits = { bytes: 1024 ** 3, entries: 50_000 }

interface Entry {
  /** Below the folder. */
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/**
 * Copies what the session gives the agent to work on, so that the session's own folder stays as it is until the agent
 * has ended well. Links within the folder stay links; one that leads out of it is refused, for the agent could write
 * through it.
 */
export async function copyWorkspace(
  source: string,
  target: string,
  limits: WorkspaceLimits = usualWorkspaceLimits,
): Promise<void> {
  const root = await realpath(source)
  const entries = await entriesOf(root, limits)
  if (entries === undefined) {
    throw new InputError(
      `The workspace ${source} is too large to be copied for an agent: ${bytes(limits.bytes)} and ${count(limits.entries)} files are allowed.`,
      { hint: 'Leave out what the task does not need.' },
    )
  }
  for (const { path, kind } of entries) {
    const [from, to] = [join(root, path), join(target, path)]
    if (kind === 'folder') await mkdir(to)
    else if (kind === 'file') await copyFile(from, to, constants.COPYFILE_FICLONE)
    else if (kind === 'link') await symlink(await linkWithin(root, path), to)
    else throw notCopied(path, 'is neither a file nor a folder')
  }
}

/** Where a link leads, from where it stands. */
async function linkWithin(root: string, path: string): Promise<string> {
  const from = join(root, path)
  const leadsTo = await realpath(from).catch(() => undefined)
  if (leadsTo === undefined) throw notCopied(path, 'is a link that leads nowhere')
  if (leadsTo !== root && !leadsTo.startsWith(root + sep))
    throw notCopied(path, 'is a link that leads out of it')
  return relative(dirname(from), leadsTo)
}

function notCopied(path: string, problem: string): InputError {
  return new InputError(`In the workspace of the task, ${path} ${problem}.`, {
    hint: 'Put the file itself there: an agent works on a copy, which holds only files, folders and links among them.',
  })
}

/**
 * Puts what the agent made in place of what the session gave it, for the scorer to find. Only files and folders: a link
 * could lead whoever reads there astray. `without` are paths that the harness had put there: neither do they come back,
 * nor is touched what the session has in their place. False if it is too large; then nothing has changed.
 */
export async function bringBack(
  from: string,
  to: string,
  without: readonly string[],
  limits: WorkspaceLimits = usualWorkspaceLimits,
): Promise<boolean> {
  const entries = (await isFolder(from)) ? await entriesOf(from, limits, { unlock: true }) : []
  if (entries === undefined) return false
  const isKept = ({ path }: Entry) => without.some(ours => isAtOrBelow(path, ours) || isAtOrBelow(ours, path))
  const before = await entriesOf(to, { bytes: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY })
  for (const entry of before ?? []) {
    if (!isKept(entry)) await rm(join(to, entry.path), { recursive: true, force: true })
  }
  for (const entry of entries) {
    if (isKept(entry)) continue
    const target = join(to, entry.path)
    if (entry.kind === 'folder') await mkdir(target, { recursive: true })
    if (entry.kind !== 'file') continue
    // Its folder may be one that is passed over because something of the harness was in it as well.
    await mkdir(dirname(target), { recursive: true })
    await copyFile(join(from, entry.path), target, constants.COPYFILE_FICLONE)
  }
  return true
}

/** An agent can take its own workspace away, or put a link in its place, which is not followed. */
async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep)
}

/** Folders before what is in them, links not followed; undefined as soon as it is more than allowed. */
async function entriesOf(
  folder: string,
  limits: WorkspaceLimits,
  { unlock = false } = {},
): Promise<Entry[] | undefined> {
  const found: Entry[] = []
  let size = 0
  const pending = ['']
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    // What ran there may have locked its own files, which are its owner's to open.
    if (unlock) await chmod(resolve(folder, below), 0o700)
    for (const entry of await readdir(resolve(folder, below), { withFileTypes: true })) {
      const path = join(below, entry.name)
      const kind = kindOf(entry)
      found.push({ path, kind })
      if (kind === 'folder') pending.push(path)
      if (kind === 'file') {
        const stats = await lstat(join(folder, path))
        size += stats.size
        if (unlock) await chmod(join(folder, path), stats.mode | 0o600)
      }
      if (size > limits.bytes || found.length > limits.entries) return undefined
    }
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
