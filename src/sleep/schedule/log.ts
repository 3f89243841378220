import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Kept of each of the two files, so that nights that print without end fill no disk. */
const mostBytes = 1_000_000

export interface NightLog {
  add(chunk: string | Buffer): void
}

/** A log that cannot be written ends no night: that is told once, and the rest is lost. */
export function lenient(log: NightLog, complain: (error: unknown) => void): NightLog {
  let isBroken = false
  return {
    add(chunk) {
      if (isBroken) return
      try {
        log.add(chunk)
      } catch (error) {
        isBroken = true
        complain(error)
      }
    },
  }
}

/**
 * Appends to a file that only the user can read; when it is full it becomes `<file>.1`, in place of the one of before.
 * At once and not later: the last words before a crash are the ones that matter.
 */
export function openLog(file: string, limit = mostBytes): NightLog {
  let size: number | undefined
  return {
    add(chunk) {
      size ??= sizeOf(file)
      const bytes = Buffer.from(chunk).subarray(-limit)
      if (size > 0 && size + bytes.length > limit) {
        renameSync(file, `${file}.1`)
        size = 0
      }
      appendFileSync(file, bytes, { mode: 0o600 })
      size += bytes.length
    },
  }
}

function sizeOf(file: string): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
