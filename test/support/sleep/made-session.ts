import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Turn } from '../../../bench/harvest-texts.js'

/** A session that nobody had, for a writer to put down as an agent would have. */
export interface MadeSession {
  readonly id: string
  /** A full path. */
  readonly project: string
  readonly branch: string
  /** When it began, in milliseconds since 1970; each record takes a second. */
  readonly at: number
  readonly turns: readonly Turn[]
  /** Each is the kind of a record that nobody knows; where there are lines, one is torn in the middle of it too. */
  readonly strange: readonly string[]
}

/** Puts down all of an agent's sessions in one of the forms that it has, below a home. */
export type WriteSessions = (home: string, sessions: readonly MadeSession[]) => Promise<void>

/** The time of the next record. */
export function createClock({ at }: MadeSession): () => Date {
  let now = at
  return () => {
    now += 1_000
    return new Date(now)
  }
}

/** As of the session's time: some agents tell it in no other way. */
export async function putFile(home: string, name: string, text: string, at?: number): Promise<void> {
  const file = join(home, name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  if (at !== undefined) await utimes(file, at / 1_000, at / 1_000)
}

/** One record per line; what is strange comes last, as written by a newer version that was then killed. */
export function linesOf(records: readonly object[], strange: readonly string[]): string {
  const unknown = strange.map(type => ({ type, of: { text: type } }))
  const torn = strange.map(text => JSON.stringify({ type: 'user', text }).slice(0, -2))
  const whole = [...records, ...unknown].map(record => JSON.stringify(record))
  return [...whole, ...torn].map(line => `${line}\n`).join('')
}

const lengthOfUuid = 36

/** An id may say anything after the one that it begins with; some files are called after all of it. */
export const fileNameOf = ({ id }: MadeSession): string => {
  const isName = /^[0-3][\w.=+@~ -]{0,200}$/.test(id)
  return isName ? id : id.slice(0, lengthOfUuid)
}
