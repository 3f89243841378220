import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve, sep } from 'node:path'
import { InputError } from '../core/errors/errors.js'

/** Whether a path, with links resolved, is inside one of the folders. */
export async function leadsInto(path: string, folders: readonly string[]): Promise<boolean> {
  const real = await realpath(path)
  const roots = await Promise.all(folders.map(folder => realpath(folder).catch(() => folder)))
  return roots.some(root => real === root || real.startsWith(root + sep))
}

/** Throws if a folder contains the user's home, which no sandbox may read. */
export function refuseHome(path: string): void {
  const folder = resolve(path)
  const home = homedir()
  if (home !== folder && !home.startsWith(folder === sep ? sep : folder + sep)) return
  throw new InputError(`A sandbox is not given ${folder}: your home folder is in it.`, {
    hint: 'Name the folder that is needed, and nothing around it.',
  })
}
