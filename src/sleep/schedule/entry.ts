import { contentHash } from '../../core/text/hash.js'

export type SystemName = 'cron' | 'systemd' | 'launchd' | 'task-scheduler'

/** A command that runs daily at a fixed time. The key identifies the entry as ours. */
export interface Entry {
  readonly key: string
  readonly hour: number
  readonly minute: number
  readonly command: Command
}

/** A program and its arguments. */
export type Command = readonly [string, ...string[]]

/** An existing entry with one of our keys. `entry` is missing if someone changed its format. */
export interface FoundEntry {
  readonly key: string
  readonly entry: Entry | undefined
}

/** A scheduling system that can start a command every night. */
export interface NightSystem {
  readonly name: SystemName
  /** A note to the user about nights that this system starts. */
  readonly remark: string
  /** Explains as the rest of a sentence why the system cannot be used here; undefined if it can. */
  problem(): Promise<string | undefined>
  /** Adds the entry and replaces one with the same key. */
  put(entry: Entry): Promise<void>
  list(): Promise<readonly FoundEntry[]>
  /** Removes the entries with these keys. */
  remove(keys: readonly string[]): Promise<void>
}

export const keyPattern = '[0-9a-f]{16}'

export function keyOf(project: string): string {
  return contentHash(project).slice(0, 16)
}

export function clockTime({ hour, minute }: Pick<Entry, 'hour' | 'minute'>): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}

/** Returns the next start of a night in local time, which scheduling systems use too. */
export function nextNight({ hour, minute }: Pick<Entry, 'hour' | 'minute'>, now: Date): Date {
  const day = (ahead: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + ahead, hour, minute)
  const today = day(0)
  return today.getTime() > now.getTime() ? today : day(1)
}

export function isTime({ hour, minute }: Pick<Entry, 'hour' | 'minute'>): boolean {
  const within = (number: number, below: number) => Number.isInteger(number) && number >= 0 && number < below
  return within(hour, 24) && within(minute, 60)
}

/** Builds an entry; undefined if a part could not be read. */
export function entryOf(
  key: string,
  time: readonly [string | undefined, string | undefined],
  words: readonly string[] | undefined,
): Entry | undefined {
  const [program, ...rest] = words ?? []
  const [hour, minute] = time.map(Number)
  if (program === undefined || hour === undefined || minute === undefined) return undefined
  return isTime({ hour, minute }) ? { key, hour, minute, command: [program, ...rest] } : undefined
}
