import type { TranscriptEntry } from '../../../core/transcript/transcript.js'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
export type ToolEntry = Mutable<Extract<TranscriptEntry, { kind: 'tool' }>>
export type Entry = ToolEntry | Exclude<TranscriptEntry, { kind: 'tool' }>

/** Maximum number of characters kept of one session, so that even the longest one fits into memory. */
const maxTextLength = 16_000_000
const maxToolText = 8_000_000
const maxEntries = 50_000

interface Group {
  readonly entries: Entry[]
  /** Times of the entries that this group replaces, used when an agent rewrites records. */
  readonly times: readonly (number | undefined)[]
}

/**
 * The entries of a session, in named groups. Agents that rewrite records, go back or branch off refer to
 * earlier records by name, and each name is a group. Agents that only append have one group.
 */
export class Entries {
  readonly #groups = new Map<string, Group>()
  #name = ''
  #words = 0
  #toolText = 0
  #count = 0

  /** Starts a group for the next additions and drops the content of an earlier group of this name. */
  group(name: string): void {
    this.#name = name
    const before = this.#groups.get(name)
    if (before === undefined) return
    this.#release(before.entries)
    this.#groups.set(name, { entries: [], times: before.entries.map(({ at }) => at) })
  }

  /** Drops this group and all that began after it. */
  dropFrom(name: string): void {
    const names = [...this.#groups.keys()]
    if (names.includes(name)) this.keep(new Set(names.slice(0, names.indexOf(name))))
  }

  keep(names: ReadonlySet<string>): void {
    for (const [name, group] of this.#groups) {
      if (names.has(name)) continue
      this.#release(group.entries)
      this.#groups.delete(name)
    }
  }

  /** Adds an entry and returns it; undefined if there is no room left. */
  add<T extends Entry>(entry: T): T | undefined {
    if (this.#count >= maxEntries) return undefined
    if (entry.kind === 'tool') this.#fit(entry)
    else if (this.#words + entry.text.length > maxTextLength) return undefined
    else this.#words += entry.text.length
    this.#count += 1
    const group = this.#groups.get(this.#name) ?? { entries: [], times: [] }
    this.#groups.set(this.#name, group)
    const first = group.times[group.entries.length]
    const kept = first === undefined ? entry : { ...entry, at: first }
    group.entries.push(kept)
    return kept
  }

  finishTool(entry: ToolEntry, output: string | undefined, failed: boolean | undefined): void {
    this.#toolText -= lengthOf(entry)
    if (output !== undefined) entry.output = output
    if (failed !== undefined) entry.failed = failed
    this.#fit(entry)
  }

  all(): readonly Entry[] {
    return [...this.#groups.values()].flatMap(({ entries }) => entries)
  }

  /** Drops the input and output of a tool call if there is no room left; messages matter more. */
  #fit(entry: ToolEntry): void {
    if (this.#toolText + lengthOf(entry) > maxToolText) {
      delete entry.input
      delete entry.output
    }
    this.#toolText += lengthOf(entry)
  }

  #release(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#count -= 1
      if (entry.kind === 'tool') this.#toolText -= lengthOf(entry)
      else this.#words -= entry.text.length
    }
  }
}

function lengthOf({ input, output }: ToolEntry): number {
  return (input?.length ?? 0) + (output?.length ?? 0)
}
