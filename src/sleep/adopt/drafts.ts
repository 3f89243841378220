import { basename, dirname, join } from 'node:path'

/** Where the new text of a file waits to be renamed: in the same folder, since only there a rename is one step. */
export function draftOf(path: string, number: number): string {
  return join(dirname(path), `.${basename(path)}.skillopt-${number}`)
}
