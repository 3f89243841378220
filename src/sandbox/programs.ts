import { constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path'
import { InputError } from '../core/errors.js'

/** Where a program stands: the path itself, or the first folder that has it. A relative path is somebody else's to know. */
export async function findProgram(program: string, folders: readonly string[]): Promise<string | undefined> {
  if (isAbsolute(program)) return (await isExecutable(program)) ? program : undefined
  if (program.includes(sep)) return program
  for (const folder of folders) {
    const path = join(folder, program)
    if (await isExecutable(path)) return path
  }
  return undefined
}

/** Whether a path, links followed, leads into one of the folders. */
export async function leadsInto(path: string, folders: readonly string[]): Promise<boolean> {
  const real = await realpath(path)
  const roots = await Promise.all(folders.map(folder => realpath(folder).catch(() => folder)))
  return roots.some(root => real === root || real.startsWith(root + sep))
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export function pathFolders(path: string | undefined): string[] {
  return (path ?? '').split(delimiter).filter(folder => folder !== '')
}

/** What holds the user's own files is shown to nothing that runs in a sandbox. */
export function refuseHome(path: string): void {
  const folder = resolve(path)
  const home = homedir()
  if (home !== folder && !home.startsWith(folder === sep ? sep : folder + sep)) return
  throw new InputError(`A sandbox is not given ${folder}: your home folder is in it.`, {
    hint: 'Name the folder that is needed, and nothing around it.',
  })
}
