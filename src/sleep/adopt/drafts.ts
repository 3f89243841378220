import { basename, dirname, join } from 'node:path'

/**
 * Path of a new text before it is renamed into place. It is in the same folder, because a rename is atomic
 * only within a file system.
 */
export function draftOf(path: string, number: number): string {
  return join(dirname(path), `.${basename(path)}.skillopt-${number}`)
}
