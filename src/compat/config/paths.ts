import { stat } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import type { Given } from './mapping.js'

export interface Places {
  /** The config file. */
  readonly file: string
  /** Where the program was started. */
  readonly cwd: string
}

/**
 * The reference starts paths from where it is run; a config that was copied together with its data has them beside
 * itself. What exists decides, the former first. Our config then has them relative to its own folder.
 */
export async function located(given: Given, { cwd, file }: Places): Promise<Given> {
  const path = String(given.value)
  if (isAbsolute(path)) return given
  const home = dirname(file)
  const fromShell = resolve(cwd, path)
  const beside = !(await exists(fromShell)) && (await exists(resolve(home, path)))
  return { ...given, value: beside ? path : fromHome(fromShell, home) }
}

/** A place as the config file would name it. */
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
