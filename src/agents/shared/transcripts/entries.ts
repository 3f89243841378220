import type { TranscriptEntry } from '../../../core/transcript/transcript.js'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
export type ToolEntry = Mutable<Extract<TranscriptEntry, { kind: 'tool' }>>
export type Entry = ToolEntry | Exclude<TranscriptEntry, { kind: 'tool' }>

/** So much of one session is kept, in characters, so that the longest one fits into memory. */
const mostWords = 16_000_000
const mostToolText = 8_000_000
const mostEntries = 50_000

interface Group {
  readonly entries: Entry[]
  /** When the entries were written first, if they are written anew. */
  readonly times: readonly (number | undefined)[]
}

/**
 * What happened in a session, in groups: agents that write something again, go back, or branch off do so by the name of
 * what they wrote. An agent that only ever goes on has one group.
 */
export class Entries {
  readonly #groups = new Map<string, Group>()
  #name = ''
  #words = 0
  #toolText = 0
  #count = 0

  /** What is added from now on belongs to this group, in place of what was in it. */
  group(name: string): void {
    this.#name = name
    const before = this.#groups.get(name)
    if (before === undefined) return
    this.#release(before.entries)
    this.#groups.set(name, { entries: [], times: before.entries.map(({ at }) => at) })
  }

  /** Leaves this group out, and all that began after it. */
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

  /** The entry as it is kept, or undefined where there is no more room. */
  add<T extends Entry>(entry: T): T | undefined {
    if (this.#count >= mostEntries) return undefined
    if (entry.kind === 'tool') this.#fit(entry)
    else if (this.#words + entry.text.length > mostWords) return undefined
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

  /** What a tool was given and gave gives way first: the words say more, in less room. */
  #fit(entry: ToolEntry): void {
    if (this.#toolText + lengthOf(entry) > mostToolText) {
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
