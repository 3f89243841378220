import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Size limit of the log and of its previous part, so that a runaway night does not fill the disk. */
const mostBytes = 1_000_000

export interface NightLog {
  add(chunk: string | Buffer): void
}

/**
 * Wraps a log so that a failure to write does not end the night. The failure is reported once, and further
 * output is lost.
 */
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
 * Opens a log that only the user can read. A full file is renamed to `<file>.1`, replacing the previous one.
 * Writes are synchronous, because the last output before a crash matters most.
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
