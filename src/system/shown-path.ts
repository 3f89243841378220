import { relative } from 'node:path'

/** A path as a person would type it here. */
export function shownPath(path: string, cwd: string): string {
  const shown = relative(cwd, path)
  return shown === '' || shown.startsWith('..') ? path : shown
}
