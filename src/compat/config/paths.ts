import { stat } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import type { Given } from './mapping.js'

export interface Places {
  /** Path of the config file. */
  readonly file: string
  /** Working directory of the program. */
  readonly cwd: string
}

/**
 * Resolves a path of the config. The reference resolves it against its working directory, but a config that
 * was copied with its data has the data beside it. The first path that exists wins, and the result is
 * relative to the config's folder.
 */
export async function located(given: Given, { cwd, file }: Places): Promise<Given> {
  const path = String(given.value)
  if (isAbsolute(path)) return given
  const home = dirname(file)
  const fromShell = resolve(cwd, path)
  const beside = !(await exists(fromShell)) && (await exists(resolve(home, path)))
  return { ...given, value: beside ? path : fromHome(fromShell, home) }
}

/** Converts a path to one relative to the config file's folder. */
export function fromHome(path: string, home: string): string {
  const shown = relative(home, path).split(sep).join('/')
  return shown === '' ? '.' : shown
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
