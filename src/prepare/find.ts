import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import { extensions, type Row } from '../tasks/loading/rows.js'
import { isRecognisable } from './columns.js'
import { filesOf } from './files.js'
import { findSplits, type SplitFolder } from './read.js'
import { kindOf, readSource } from './source.js'

export interface FoundTasks {
  /** Files with fields that can be recognised. */
  readonly files: readonly string[]
  /** Those whose tasks name files, which would have to move with them. */
  readonly withFiles: readonly string[]
  /** Three splits that lie there already. */
  readonly splits: SplitFolder | undefined
}

/** Below a skill or a project, where people put tasks. */
const usualFolders = ['.', 'tasks', 'evals', 'data']

/** Looks for tasks where they usually are; reads what might be some, and writes nothing. */
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
    // Other people's data: a package.json, a table of something else.
    if (error instanceof InputError) return []
    throw error
  }
}
