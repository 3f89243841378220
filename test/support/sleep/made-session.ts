import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Turn } from '../../../bench/harvest-texts.js'

/** A synthetic session, written in the format of an agent. */
export interface MadeSession {
  readonly id: string
  /** Absolute path. */
  readonly project: string
  readonly branch: string
  /** Start time, in milliseconds since 1970; each record takes a second. */
  readonly at: number
  readonly turns: readonly Turn[]
  /** Unknown record kinds, one record each; in line-based formats, one is also truncated. */
  readonly strange: readonly string[]
}

/** Writes all sessions of an agent in one of its formats, below a home. */
export type WriteSessions = (home: string, sessions: readonly MadeSession[]) => Promise<void>

/** Timestamps of successive records. */
export function createClock({ at }: MadeSession): () => Date {
  let now = at
  return () => {
    now += 1_000
    return new Date(now)
  }
}

/** Sets the modification time to the session's time: for some agents it is the only timestamp. */
export async function putFile(home: string, name: string, text: string, at?: number): Promise<void> {
  const file = join(home, name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  if (at !== undefined) await utimes(file, at / 1_000, at / 1_000)
}

/** One record per line; unknown records come last, as if a newer version was killed while writing. */
export function linesOf(records: readonly object[], strange: readonly string[]): string {
  const unknown = strange.map(type => ({ type, of: { text: type } }))
  const torn = strange.map(text => JSON.stringify({ type: 'user', text }).slice(0, -2))
  const whole = [...records, ...unknown].map(record => JSON.stringify(record))
  return [...whole, ...torn].map(line => `${line}\n`).join('')
}

const lengthOfUuid = 36

/** An id may contain anything after its first part; some files are named after the whole id. */
export const fileNameOf = ({ id }: MadeSession): string => {
  const isName = /^[0-3][\w.=+@~ -]{0,200}$/.test(id)
  return isName ? id : id.slice(0, lengthOfUuid)
}
