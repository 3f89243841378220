import { contentHash } from '../../core/text/hash.js'

export type SystemName = 'cron' | 'systemd' | 'launchd' | 'task-scheduler'

/** A daily command at a fixed time, with a key that identifies it as ours. */
export interface Entry {
  readonly key: string
  readonly hour: number
  readonly minute: number
  readonly command: Command
}

/** A program and its arguments. */
export type Command = readonly [string, ...string[]]

/** An existing entry with one of our keys; `entry` is missing if it does not have our format. */
export interface FoundEntry {
  readonly key: string
  readonly entry: Entry | undefined
}

/** A scheduling system that can start a command every night. */
export interface NightSystem {
  readonly name: SystemName
  /** A note to the user about nights that this system starts. */
  readonly remark: string
  /** The reason why the system cannot be used here, as the rest of a sentence, or undefined. */
  problem(): Promise<string | undefined>
  /** Replaces an entry with the same key. */
  put(entry: Entry): Promise<void>
  list(): Promise<readonly FoundEntry[]>
  /** Removes existing entries. */
  remove(keys: readonly string[]): Promise<void>
}

export const keyPattern = '[0-9a-f]{16}'

export function keyOf(project: string): string {
  return contentHash(project).slice(0, 16)
}

export function clockTime({ hour, minute }: Pick<Entry, 'hour' | 'minute'>): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}

/** In local time, like the scheduling systems. */
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

/** Builds an entry if all parts were read. */
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
