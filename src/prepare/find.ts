import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import { extensions, type Row } from '../tasks/loading/rows.js'
import { isRecognisable } from './columns.js'
import { filesOf } from './files.js'
import { findSplits, type SplitFolder } from './read.js'
import { kindOf, readSource } from './source.js'

export interface FoundTasks {
  /** Files whose columns can be inferred. */
  readonly files: readonly string[]
  /** Files whose tasks refer to other files, which would have to be moved with them. */
  readonly withFiles: readonly string[]
  /** A folder that already has all three splits. */
  readonly splits: SplitFolder | undefined
}

/** Subfolders of a skill or project in which tasks usually are. */
const usualFolders = ['.', 'tasks', 'evals', 'data']

/** Looks for tasks in the usual folders. It reads the files found there and writes nothing. */
export async function findTasks(folder: string): Promise<FoundTasks> {
  const files: string[] = []
  const withFiles: string[] = []
  for (const name of usualFolders) {
    const place = join(folder, name)
    if ((await kindOf(place)) !== 'folder') continue
    const splits = await findSplits(place)
    if (splits !== undefined) return { files: [], withFiles: [], splits }
    for (const file of await readdir(place)) {
      const path = join(place, file)
      if (!extensions.includes(extname(file).toLowerCase())) continue
      const rows = await recognisableRows(path)
      if (rows.length === 0) continue
      files.push(path)
      if (rows.some(({ fields }) => filesOf(fields).length > 0)) withFiles.push(path)
    }
  }
  return { files, withFiles, splits: undefined }
}

async function recognisableRows(file: string): Promise<readonly Row[]> {
  try {
    const { rows } = await readSource(file, file)
    return isRecognisable(rows) ? rows : []
  } catch (error) {
    // The file holds other data, such as a package.json or an unrelated table.
    if (error instanceof InputError) return []
    throw error
  }
}
