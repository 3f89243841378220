import { basename, dirname, join } from 'node:path'

/** Path of the new text before its rename. It is in the same folder because a rename is atomic only there. */
export function draftOf(path: string, number: number): string {
  return join(dirname(path), `.${basename(path)}.skillopt-${number}`)
}
