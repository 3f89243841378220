import { realpath, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import { contentHash } from '../../core/text/hash.js'
import { skilloptHome } from '../../system/home.js'

export interface SleepProject {
  /** Real path of the folder in which the sessions took place. */
  readonly root: string
  /** Sleep's state folder for the project. It may not exist yet. */
  readonly folder: string
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/**
 * Returns Sleep's folder. It is in the user's home, because a person's requests to agents do not belong in a
 * project's repository.
 */
export function sleepHome(surroundings: Surroundings): string {
  return join(skilloptHome(surroundings), 'sleep')
}

export async function openProject(path: string, surroundings: Surroundings): Promise<SleepProject> {
  const root = await folderAt(resolve(surroundings.cwd, path), path)
  return { root, folder: join(sleepHome(surroundings), 'projects', nameOf(root)) }
}

async function folderAt(absolute: string, shownAs: string): Promise<string> {
  try {
    if ((await stat(absolute)).isDirectory()) return await realpath(absolute)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const problem = code === 'ENOENT' ? 'does not exist' : 'cannot be opened'
    throw new InputError(`The project ${shownAs} ${problem}.`, { hint: projectHint, cause: error })
  }
  throw new InputError(`The project ${shownAs} is a file, not a folder.`, { hint: projectHint })
}

const projectHint = 'Name the folder in which you worked with your agents.'

/** Maximum characters of the folder's name in ours. It fits every file system, whatever the characters. */
const longestName = 60

function nameOf(root: string): string {
  const name = [...basename(root)].slice(0, longestName).join('')
  return `${name === '' ? 'root' : name}-${contentHash(root).slice(0, 8)}`
}
