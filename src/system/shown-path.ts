import { relative } from 'node:path'

/** A path as the user would type it in `cwd`. */
export function shownPath(path: string, cwd: string): string {
  const shown = relative(cwd, path)
  return shown === '' || shown.startsWith('..') ? path : shown
}
