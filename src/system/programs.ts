import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, isAbsolute, join, sep } from 'node:path'

/**
 * The path of a program: the given absolute path, or the first folder that contains the program. A relative
 * path is returned as it is.
 */
export async function findProgram(program: string, folders: readonly string[]): Promise<string | undefined> {
  if (isAbsolute(program)) return (await isExecutable(program)) ? program : undefined
  if (program.includes(sep)) return program
  for (const folder of folders) {
    const path = join(folder, program)
    if (await isExecutable(path)) return path
  }
  return undefined
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
