import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { runsFolder } from '../../store/run-directories.js'

export interface ChosenFolders {
  /** The folders as the user wrote them. */
  readonly shown: readonly string[]
  /** The same folders as absolute paths, with symlinks resolved. */
  readonly real: readonly string[]
}

/** Resolves the folders to search for runs. The default may not exist before the first training. */
export async function chooseFolders(named: readonly string[], cwd: string): Promise<ChosenFolders> {
  if (named.length === 0) {
    const usual = resolve(cwd, runsFolder)
    const isThere = await stat(usual).then(
      () => true,
      error => (error as NodeJS.ErrnoException).code !== 'ENOENT',
    )
    return {
      shown: [runsFolder],
      real: [isThere ? await folderAt(usual, runsFolder) : resolve(await realpath(cwd), runsFolder)],
    }
  }
  const real = await Promise.all(named.map(name => folderAt(resolve(cwd, name), name)))
  const isFirst = (_: unknown, index: number) => real.indexOf(real[index] ?? '') === index
  return { shown: named.filter(isFirst), real: real.filter(isFirst) }
}

async function folderAt(absolute: string, shownAs: string): Promise<string> {
  const hint = 'Name folders that hold runs; without a name it is `runs` in the current folder.'
  try {
    if ((await stat(absolute)).isDirectory()) return await realpath(absolute)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    const problem = isMissing ? 'does not exist' : `cannot be opened: ${messageOf(error)}`
    throw new InputError(`The folder ${shownAs} ${problem}.`, { hint, cause: error })
  }
  throw new InputError(`${shownAs} is not a folder.`, { hint })
}
