import { contentHash } from '../../core/text/hash.js'

export type SystemName = 'cron' | 'systemd' | 'launchd' | 'task-scheduler'

/** What a system is told: to start a command every day at a time, under a key that tells ours apart. */
export interface Entry {
  readonly key: string
  readonly hour: number
  readonly minute: number
  readonly command: Command
}

/** A program and its arguments. */
export type Command = readonly [string, ...string[]]

/** An entry that is there under a key of ours; without `entry` where it does not read as we write them. */
export interface FoundEntry {
  readonly key: string
  readonly entry: Entry | undefined
}

/** One way to have something started every night. */
export interface NightSystem {
  readonly name: SystemName
  /** What a person should know about nights that this system starts. */
  readonly remark: string
  /** Why it cannot be used here, as the rest of a sentence; undefined where it can. */
  problem(): Promise<string | undefined>
  /** Takes the place of an entry with the same key. */
  put(entry: Entry): Promise<void>
  list(): Promise<readonly FoundEntry[]>
  /** Of entries that are there. */
  remove(keys: readonly string[]): Promise<void>
}

export const keyPattern = '[0-9a-f]{16}'

export function keyOf(project: string): string {
  return contentHash(project).slice(0, 16)
}

export function clockTime({ hour, minute }: Pick<Entry, 'hour' | 'minute'>): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}

/** In local time, as the systems count. */
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

/** An entry of what was read, if all of it was there. */
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
