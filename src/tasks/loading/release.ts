import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import type { PlacedItem } from './data.js'
import { extensions, readRows } from './rows.js'

interface ReleaseFiles {
  /** Matches the paths of data files, relative to the folder. */
  readonly matches: RegExp
  /** Names the missing files in the message "the folder has no …". */
  readonly expected: string
  readonly hint: string
}

/** Reads the items of a published copy, which is one data file or a folder with several. */
export async function readReleaseFiles(
  path: string,
  { matches, expected, hint }: ReleaseFiles,
): Promise<readonly PlacedItem[]> {
  if (!(await stat(path)).isDirectory()) return readReleaseFile(path)
  const files = (await filesBelow(path)).filter(
    file => matches.test(file) && extensions.includes(extname(file).toLowerCase()),
  )
  if (files.length === 0) throw new InputError(`${path} has no ${expected}.`, { hint })
  return (await Promise.all(files.map(file => readReleaseFile(join(path, file), path)))).flat()
}

export async function readReleaseFile(file: string, root = dirname(file)): Promise<readonly PlacedItem[]> {
  const stem = basename(file, extname(file))
  const name = relative(root, file)
  return (await readRows(file)).map(({ fields, at, number }) => ({
    fields,
    at: at.replace(basename(file), name),
    fallbackId: `${stem}-${number}`,
    folder: dirname(file),
    root,
  }))
}

/** Relative paths of all files below a folder, sorted. */
export async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => !entry.isDirectory())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
}
