import { InputError } from '../../core/errors/errors.js'
import { bytes, count } from '../../core/text/format.js'

/** Of one copy of a project. Each attempt gets one, and the agent works on a copy of that. */
export interface CopyLimits {
  readonly bytes: number
  /** Files and folders. */
  readonly entries: number
}

export const usualLimits: CopyLimits = { bytes: 500_000_000, entries: 40_000 }

/** Throws `InputError` for what is more than that. */
export function checkSize(size: CopyLimits, limits: CopyLimits, what: string): void {
  if (size.bytes <= limits.bytes && size.entries <= limits.entries) return
  throw new InputError(
    `${what} is too large to be copied for each attempt: more than ${bytes(limits.bytes)} or ${count(limits.entries)} files and folders.`,
    { hint: 'Set `sleep.copies` to false: tasks are then tried without the files of the project.' },
  )
}
