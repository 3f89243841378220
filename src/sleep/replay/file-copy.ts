import { constants } from 'node:fs'
import { access, copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { canonicalJson, contentHash } from '../../core/text/hash.js'
import { inBatches } from '../../system/batches.js'
import { readPlainFile } from '../../system/plain-file.js'
import { changed } from '../../tasks/loading/files.js'
import { isMissing } from '../../tasks/loading/rows.js'
import { type CopyLimits, checkSize, usualLimits } from './copy-limits.js'

/** Names of folders with build output, dependencies and metadata, which are not part of the person's work. */
export const madeByTools: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  '.jj',
  '.venv',
  'venv',
  '__pycache__',
  '.tox',
  '.nox',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.gradle',
  '.cache',
  '.DS_Store',
])

/** Names of files with keys and passwords. Without git, nothing shows which files were meant to be shared. */
const secretNames = [
  /^\.env(?!\.(?:example|sample|template)$)/i,
  /^\.(?:npmrc|yarnrc|yarnrc\.yml|pypirc|netrc|pgpass|my\.cnf|git-credentials|dockercfg|htpasswd|s3cfg)$/i,
  /^\.(?:ssh|aws|azure|gcloud|gnupg|kube|docker|terraform|secrets?)$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/i,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|tfstate)$/i,
  /^(?:credentials|secrets?)(?:\.[a-z]+)?$/i,
]

/** Larger files are data or programs rather than text for an agent. */
const largestFile = 20_000_000

interface Entry {
  /** Path relative to the project. */
  readonly path: string
  readonly kind: 'file' | 'link'
}

export interface ProjectFiles {
  readonly entries: readonly Entry[]
  /** Paths that are not copied because they are too large or cannot be read. */
  readonly leftOut: readonly string[]
}

/** Lists the files to copy from a folder without git, in order. Throws `InputError` if there are too many. */
export async function listFiles(project: string, limits: CopyLimits): Promise<ProjectFiles> {
  const entries: Entry[] = []
  const leftOut: string[] = []
  const size = { bytes: 0, entries: 0 }
  const pending = ['']
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    const found = await unlessClosed(() => readdir(join(project, below), { withFileTypes: true }))
    if (found === undefined) leftOut.push(below)
    for (const entry of found?.filter(isWanted) ?? []) {
      const path = join(below, entry.name)
      size.entries += 1
      if (entry.isDirectory()) pending.push(path)
      else if (entry.isSymbolicLink()) entries.push({ path, kind: 'link' })
      else if (entry.isFile()) {
        const bytes = await unlessClosed(() => sizeOf(join(project, path)))
        if (bytes === undefined || bytes > largestFile) leftOut.push(path)
        else {
          size.bytes += bytes
          entries.push({ path, kind: 'file' })
        }
      }
    }
    checkSize(size, limits, `The project ${project}`)
  }
  return { entries: entries.toSorted((one, other) => (one.path < other.path ? -1 : 1)), leftOut }
}

const isWanted = ({ name }: { readonly name: string }): boolean =>
  !madeByTools.has(name) && !isSecretName(name)

export const isSecretName = (name: string): boolean => secretNames.some(pattern => pattern.test(name))

/**
 * Runs a file operation; undefined if the path was removed meanwhile, is not readable, or has an invalid or
 * overlong name.
 */
export async function unlessClosed<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    const closed = ['EACCES', 'EPERM', 'ENAMETOOLONG']
    if (isMissing(error) || closed.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

async function sizeOf(path: string): Promise<number> {
  await access(path, constants.R_OK)
  return (await lstat(path)).size
}

/** Hashes the names, contents and executable flags of the files. */
export async function hashFiles(folder: string, entries: readonly Entry[]): Promise<string> {
  const known: (readonly string[])[] = []
  for (const { path, kind } of entries) {
    const at = join(folder, path)
    const name = path.split(sep).join('/')
    if (kind === 'link') known.push([name, 'link', await readlink(at)])
    else {
      const mayRun = ((await lstat(at)).mode & 0o111) === 0 ? 'file' : 'program'
      known.push([name, mayRun, contentHash(await readPlainFile(at))])
    }
  }
  return contentHash(canonicalJson(known))
}

/** Copies the files into a folder. Throws `PausedError` if they no longer match the hash. */
export async function copyFiles(
  project: string,
  hash: string,
  folder: string,
  limits: CopyLimits,
): Promise<void> {
  const { entries } = await listFiles(project, limits)
  await copyEntries(project, entries, folder)
  // The copy is hashed, so that the check covers exactly the files that the attempt gets.
  if ((await hashFiles(folder, entries)) !== hash) changed(`The project ${project}`)
}

/** Copies the project into a new folder, so that replays can use this state after the project has changed. */
export async function snapshotProject(project: string, folder: string): Promise<void> {
  const { entries } = await listFiles(project, usualLimits)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await copyEntries(project, entries, folder)
}

/** Copies some files as they are now. The caller checks whether they have changed. */
export function copySome(project: string, paths: readonly string[], folder: string): Promise<void> {
  return copyEntries(
    project,
    paths.map(path => ({ path, kind: 'file' })),
    folder,
  )
}

async function copyEntries(project: string, entries: readonly Entry[], folder: string): Promise<void> {
  for (const parent of new Set(entries.map(({ path }) => dirname(path))))
    await mkdir(join(folder, parent), { recursive: true })
  await inBatches(entries, async ({ path, kind }) => {
    const [from, to] = [join(project, path), join(folder, path)]
    if (kind === 'file') await copyFile(from, to, constants.COPYFILE_FICLONE)
    else await symlink(await readlink(from), to)
  })
}
