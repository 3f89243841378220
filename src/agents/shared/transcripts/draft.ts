import { plural } from '../../../core/text/format.js'
import { showsHandoff } from '../../../core/transcript/handoff-marks.js'
import type { HarvestQuery, SkipReason, TextPlace, Transcript } from '../../../core/transcript/transcript.js'
import { cleaned, cleanedInput } from './cleaning.js'
import { Entries, type ToolEntry } from './entries.js'
import { isOwn, projectIn } from './paths.js'
import { skillsUsed } from './skills.js'
import { asText } from './values.js'

/**
 * Maximum length of each kind of text, in characters. Prompts and answers are mined; for tools, only what
 * happened matters.
 */
const longest = { words: 20_000, brokenOff: 2_000, tool: 4_000, name: 200, kind: 60 }

/** Maximum number of unknown record types that are reported separately. */
const mostKinds = 20

export interface Call {
  readonly id?: unknown
  readonly name: unknown
  readonly input?: unknown
  readonly at?: number | undefined
}

export interface Result {
  readonly output?: string | undefined
  readonly failed?: boolean | undefined
}

/** A transcript under construction. Everything added to it is redacted here, whatever the source. */
export class Draft {
  readonly #entries = new Entries()
  readonly #calls = new Map<string, ToolEntry>()
  readonly #skills = new Set<string>()
  readonly #lost = new Map<string, number>()
  #id: string | undefined
  #project: string | undefined
  #branch: string | undefined
  #startedAt: number | undefined
  #endedAt: number | undefined
  #leftOut: { readonly reason: SkipReason; readonly detail: string } | undefined
  #records = 0
  #sideRecords = 0
  #place: TextPlace
  /** Every text passes through here before it is shortened. */
  readonly #redact = (text: string): string => {
    if (showsHandoff(text)) this.leaveOut('own', 'prompts that SkillOpt had written down were answered in it')
    return this.query.redact(text, this.#place)
  }

  constructor(
    readonly source: string,
    readonly file: string,
    readonly query: HarvestQuery,
  ) {
    this.#place = { file, record: undefined }
  }

  /** Sets the record, counted from 1, to which the next additions belong; undefined for no single record. */
  stands(record: number | undefined): void {
    this.#place = { file: this.file, record }
  }

  /** If true, the rest of the session need not be read. */
  get isLeftOut(): boolean {
    return this.#leftOut !== undefined
  }

  leaveOut(reason: SkipReason, detail: string): void {
    this.#leftOut ??= { reason, detail }
  }

  /** The first id counts: later ones belong to sessions that this one was derived from. */
  name(id: unknown): void {
    this.#id ??= asText(id)
  }

  /** The folder in which the session began counts. It decides at once whether the rest must be read. */
  at(folder: unknown): void {
    if (this.#project !== undefined) return
    const project = projectIn(folder)
    if (project === undefined) return
    this.#project = project
    if (isOwn(project)) this.leaveOut('own', 'it ran in a folder that SkillOpt made')
    else if (!this.query.isWanted(project)) this.leaveOut('other-project', `it was at ${project}`)
  }

  onBranch(branch: unknown): void {
    const name = asText(branch)
    // Agents write `HEAD` when no branch is checked out.
    if (name !== '' && name !== 'HEAD') this.#branch ??= name
  }

  happened(time: number | undefined): void {
    if (time === undefined) return
    this.#startedAt = Math.min(this.#startedAt ?? time, time)
    this.#endedAt = Math.max(this.#endedAt ?? time, time)
  }

  used(skill: unknown): void {
    const name = asText(skill)
    if (name !== undefined && name !== '') this.#skills.add(this.#clean(name, longest.name))
  }

  /** Counts a sub-agent's record among those of the session. */
  aside(): void {
    this.#sideRecords += 1
  }

  prompt(text: string, at: number | undefined): void {
    this.#say('prompt', text, at, longest.words)
  }

  answer(text: string, at: number | undefined): void {
    this.#say('answer', text, at, longest.words)
  }

  brokenOff(text: string, at: number | undefined): void {
    this.#say('broken-off', text, at, longest.brokenOff)
  }

  /**
   * Redacts and shortens a text that is buffered until it is known to stay, so that nothing unredacted is
   * buffered.
   */
  words(text: string): string {
    return this.#clean(text, longest.words)
  }

  toolText(value: unknown): string {
    return cleanedInput(value, longest.tool, this.#redact)
  }

  call({ id, name, input, at }: Call): void {
    const tool = asText(name)
    if (tool === undefined) return
    for (const skill of skillsUsed(tool, input)) this.used(skill)
    const kept = this.#entries.add<ToolEntry>({
      kind: 'tool',
      name: this.#clean(tool, longest.name),
      ...(at === undefined ? {} : { at }),
      ...(input === undefined ? {} : { input: cleanedInput(input, longest.tool, this.#redact) }),
    })
    if (kept === undefined) this.lost('records that there was no room for')
    else if (typeof id === 'string') this.#calls.set(id, kept)
  }

  /** A result without its call is ignored. */
  result(id: unknown, { output, failed }: Result): void {
    const call = typeof id === 'string' ? this.#calls.get(id) : undefined
    if (call === undefined) return
    const text = output === undefined ? undefined : this.#clean(output, longest.tool)
    this.#entries.finishTool(call, text, failed)
  }

  /** See `Entries`: for agents that rewrite earlier records or go back. */
  group(name: string): void {
    this.#entries.group(name)
  }

  dropFrom(name: string): void {
    this.#entries.dropFrom(name)
  }

  keep(names: ReadonlySet<string>): void {
    this.#entries.keep(names)
  }

  counted(): void {
    this.#records += 1
  }

  lost(what: string, times = 1): void {
    const isNew = !this.#lost.has(what)
    const known = isNew && this.#lost.size >= mostKinds ? 'records of further unknown kinds' : what
    this.#lost.set(known, (this.#lost.get(known) ?? 0) + times)
  }

  unknown(kind: string): void {
    this.lost(`records of the unknown kind ${JSON.stringify(this.#clean(kind, longest.kind))}`)
  }

  /** Undefined if the session was not asked for, which is reported. */
  finish(changedAt: number): Transcript | undefined {
    this.stands(undefined)
    const entries = this.#entries.all()
    const hasRequest = entries.some(({ kind }) => kind === 'prompt')
    const leftOut = this.#leftOut ?? this.#unfit(changedAt, hasRequest)
    if (leftOut !== undefined) {
      this.#skip(leftOut.reason, 1, leftOut.detail)
      return undefined
    }
    for (const [what, times] of this.#lost) this.#skip('record', times, what)
    return {
      source: this.source,
      id: this.#clean(this.#id ?? '', longest.name),
      file: this.file,
      project: this.#project === undefined ? undefined : this.#redact(this.#project),
      branch: this.#branch === undefined ? undefined : this.#clean(this.#branch, longest.name),
      startedAt: this.#startedAt,
      endedAt: this.#endedAt,
      entries,
      skills: [...this.#skills],
    }
  }

  #unfit(changedAt: number, hasRequest: boolean): { reason: SkipReason; detail: string } | undefined {
    const { after, isWanted } = this.query
    const torn = [...this.#lost.values()].reduce((sum, times) => sum + times, 0)
    if (this.#records === 0 && torn > 0)
      return { reason: 'unreadable', detail: `none of ${plural(torn, 'line')} is a record` }
    if (this.#project === undefined && !isWanted(undefined))
      return { reason: 'other-project', detail: 'it does not say which folder it was at' }
    if (after !== undefined && (this.#endedAt ?? changedAt) <= after)
      return { reason: 'too-old', detail: 'nothing happened in it since' }
    if (hasRequest) return undefined
    return this.#sideRecords > 0
      ? {
          reason: 'sub-agent',
          detail: `only ${plural(this.#sideRecords, 'record')} of sub-agents or of the program itself`,
        }
      : { reason: 'no-request', detail: 'nobody asked for anything in it' }
  }

  #say(kind: 'prompt' | 'answer' | 'broken-off', text: string, at: number | undefined, most: number): void {
    const clean = this.#clean(text, most).trim()
    if (clean === '') return
    const kept = this.#entries.add({ kind, text: clean, ...(at === undefined ? {} : { at }) })
    if (kept === undefined) this.lost('records that there was no room for')
  }

  #clean(text: string, most: number): string {
    return cleaned(text, most, this.#redact)
  }

  #skip(reason: SkipReason, times: number, detail: string): void {
    this.query.skip({
      source: this.source,
      file: this.file,
      reason,
      count: times,
      detail: this.#redact(detail),
    })
  }
}
