import { InputError } from '../../core/errors/errors.js'
import { bytes, count } from '../../core/text/format.js'

/** Limits on one project copy. Every attempt gets a copy. */
export interface CopyLimits {
  readonly bytes: number
  /** Number of files and folders. */
  readonly entries: number
}

export const usualLimits: CopyLimits = { bytes: 500_000_000, entries: 40_000 }

/** Throws `InputError` if the limits are exceeded. */
export function checkSize(size: CopyLimits, limits: CopyLimits, what: string): void {
  if (size.bytes <= limits.bytes && size.entries <= limits.entries) return
  throw new InputError(
    `${what} is too large to be copied for each attempt: more than ${bytes(limits.bytes)} or ${count(limits.entries)} files and folders.`,
    { hint: 'Set `sleep.copies` to false: tasks are then tried without the files of the project.' },
  )
}
