import { plural } from '../../../core/text/format.js'
import { shorten } from '../../../core/text/shorten.js'
import { showsHandoff } from '../../../core/transcript/handoff-marks.js'
import type { HarvestQuery, SkipReason, TextPlace, Transcript } from '../../../core/transcript/transcript.js'
import { Entries, type ToolEntry } from './entries.js'
import { isAttemptFolder, projectIn } from './paths.js'
import { asRecord, asText, at } from './values.js'

/**
 * Maximum length of each kind of text, in characters. Prompts and answers are searched for tasks, so they are
 * kept longer than tool output.
 */
const maxLength = { cleanText: 20_000, addInterruption: 2_000, tool: 4_000, setId: 200, kind: 60 }

/** Maximum number of unknown record types that are reported separately. */
const maxUnknownKinds = 20

export interface Call {
  readonly id?: unknown
  readonly name: unknown
  readonly input?: unknown
  readonly setFolder?: number | undefined
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
  #excluded: { readonly reason: SkipReason; readonly detail: string } | undefined
  #records = 0
  #sideRecords = 0
  #place: TextPlace
  /** Redacts a text. Every text passes through here before it is shortened. */
  readonly #redact = (text: string): string => {
    if (showsHandoff(text)) this.exclude('own', 'prompts that SkillOpt had written down were answered in it')
    return this.query.redact(text, this.#place)
  }

  constructor(
    readonly source: string,
    readonly file: string,
    readonly query: HarvestQuery,
  ) {
    this.#place = { file, record: undefined }
  }

  /** The number, from 1, of the record that the next additions come from; undefined for no single record. */
  atRecord(record: number | undefined): void {
    this.#place = { file: this.file, record }
  }

  /** If true, the rest of the session need not be read. */
  get isExcluded(): boolean {
    return this.#excluded !== undefined
  }

  exclude(reason: SkipReason, detail: string): void {
    this.#excluded ??= { reason, detail }
  }

  /** Sets the session's id once: later ids belong to the sessions from which this one was derived. */
  name(id: unknown): void {
    this.#id ??= asText(id)
  }

  /** Sets the project folder once: the first one is where the session began. It may exclude the session. */
  at(folder: unknown): void {
    if (this.#project !== undefined) return
    const project = projectIn(folder)
    if (project === undefined) return
    this.#project = project
    if (isAttemptFolder(project)) this.exclude('own', 'it ran in a folder that SkillOpt made')
    else if (!this.query.isWanted(project)) this.exclude('other-project', `it was at ${project}`)
  }

  setBranch(branch: unknown): void {
    const name = asText(branch)
    // Agents write `HEAD` when no branch is checked out.
    if (name !== '' && name !== 'HEAD') this.#branch ??= name
  }

  addTime(time: number | undefined): void {
    if (time === undefined) return
    this.#startedAt = Math.min(this.#startedAt ?? time, time)
    this.#endedAt = Math.max(this.#endedAt ?? time, time)
  }

  addSkill(skill: unknown): void {
    const name = asText(skill)
    if (name !== undefined && name !== '') this.#skills.add(this.#clean(name, maxLength.setId))
  }

  /** Counts a record of a sub-agent that is stored in this session. */
  addSideRecord(): void {
    this.#sideRecords += 1
  }

  addPrompt(text: string, at: number | undefined): void {
    this.#addText('prompt', text, { at, most: maxLength.cleanText })
  }

  addAnswer(text: string, at: number | undefined): void {
    this.#addText('answer', text, { at, most: maxLength.cleanText })
  }

  brokenOff(text: string, at: number | undefined): void {
    this.#addText('broken-off', text, { at, most: maxLength.addInterruption })
  }

  /** Redacts and shortens a text that the caller buffers, so that nothing unredacted is buffered. */
  words(text: string): string {
    return this.#clean(text, maxLength.cleanText)
  }

  cleanToolText(value: unknown): string {
    return redactInput(value, maxLength.tool, this.#redact)
  }

  addCall({ id, name, input, setFolder: at }: Call): void {
    const tool = asText(name)
    if (tool === undefined) return
    for (const skill of skillsUsed(tool, input)) this.addSkill(skill)
    const kept = this.#entries.add<ToolEntry>({
      kind: 'tool',
      name: this.#clean(tool, maxLength.setId),
      ...(at === undefined ? {} : { at }),
      ...(input === undefined ? {} : { input: redactInput(input, maxLength.tool, this.#redact) }),
    })
    if (kept === undefined) this.countLost('records that there was no room for')
    else if (typeof id === 'string') this.#calls.set(id, kept)
  }

  /** Adds the result of a tool call; it is ignored if the call is unknown. */
  addResult(id: unknown, { output, failed }: Result): void {
    const call = typeof id === 'string' ? this.#calls.get(id) : undefined
    if (call === undefined) return
    const text = output === undefined ? undefined : this.#clean(output, maxLength.tool)
    this.#entries.finishTool(call, text, failed)
  }

  /** Starts a group of entries, for agents that rewrite earlier records or go back; see `Entries`. */
  startGroup(name: string): void {
    this.#entries.group(name)
  }

  dropFrom(name: string): void {
    this.#entries.dropFrom(name)
  }

  keepGroups(names: ReadonlySet<string>): void {
    this.#entries.keep(names)
  }

  countRecord(): void {
    this.#records += 1
  }

  countLost(what: string, times = 1): void {
    const isNew = !this.#lost.has(what)
    const known = isNew && this.#lost.size >= maxUnknownKinds ? 'records of further unknown kinds' : what
    this.#lost.set(known, (this.#lost.get(known) ?? 0) + times)
  }

  countUnknown(kind: string): void {
    this.countLost(`records of the unknown kind ${JSON.stringify(this.#clean(kind, maxLength.kind))}`)
  }

  /** The finished transcript; undefined, with the reason reported, if the query excludes the session. */
  finish(changedAt: number): Transcript | undefined {
    this.atRecord(undefined)
    const entries = this.#entries.all()
    const hasRequest = entries.some(({ kind }) => kind === 'prompt')
    const excluded = this.#excluded ?? this.#exclusionReason(changedAt, hasRequest)
    if (excluded !== undefined) {
      this.#skip(excluded.reason, 1, excluded.detail)
      return undefined
    }
    for (const [what, times] of this.#lost) this.#skip('record', times, what)
    return {
      source: this.source,
      id: this.#clean(this.#id ?? '', maxLength.setId),
      file: this.file,
      project: this.#project === undefined ? undefined : this.#redact(this.#project),
      branch: this.#branch === undefined ? undefined : this.#clean(this.#branch, maxLength.setId),
      startedAt: this.#startedAt,
      endedAt: this.#endedAt,
      entries,
      skills: [...this.#skills],
    }
  }

  #exclusionReason(
    changedAt: number,
    hasRequest: boolean,
  ): { reason: SkipReason; detail: string } | undefined {
    const { after, isWanted } = this.query
    const torn = [...this.#lost.values()].reduce((sum, times) => sum + times, 0)
    if (this.#records === 0 && torn > 0)
      return { reason: 'unreadable', detail: `none of ${plural(torn, 'line')} is a record` }
    if (this.#project === undefined && !isWanted(undefined))
      return { reason: 'other-project', detail: 'its folder is unknown' }
    if (after !== undefined && (this.#endedAt ?? changedAt) <= after)
      return { reason: 'too-old', detail: 'nothing happened in it since' }
    if (hasRequest) return undefined
    return this.#sideRecords > 0
      ? {
          reason: 'sub-agent',
          detail: `only ${plural(this.#sideRecords, 'record')} of sub-agents or of the program itself`,
        }
      : { reason: 'no-request', detail: 'it contains no request' }
  }

  #addText(
    kind: 'prompt' | 'answer' | 'broken-off',
    text: string,
    { at, most }: { at: number | undefined; most: number },
  ): void {
    const clean = this.#clean(text, most).trim()
    if (clean === '') return
    const kept = this.#entries.add({ kind, text: clean, ...(at === undefined ? {} : { at }) })
    if (kept === undefined) this.countLost('records that there was no room for')
  }

  #clean(text: string, most: number): string {
    return redactAndShorten(text, most, this.#redact)
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

/** Tool input nested deeper than this is ignored. */
const maxDepth = 24

/** Redacts a text before shortening it: half a secret would not be recognised. */
function redactAndShorten(text: string, longest: number, redact: (text: string) => string): string {
  const redacted = redact(text)
  // A substring would keep the whole long text in memory, so it is copied.
  return redacted.length <= longest ? redacted : copyOf(shorten(redacted, longest))
}

/**
 * Tool input as redacted text. Each string is redacted before its line breaks are escaped; then the whole
 * JSON is redacted again, because a field's name can show that its value is a secret.
 */
function redactInput(value: unknown, longest: number, redact: (text: string) => string): string {
  return typeof value === 'string'
    ? redactAndShorten(value, longest, redact)
    : redactAndShorten(JSON.stringify(redactStrings(value, redact, 0)) ?? '', longest, redact)
}

function redactStrings(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return redact(value)
  if (depth > maxDepth) return '(nested too deeply)'
  if (Array.isArray(value)) return value.map(item => redactStrings(item, redact, depth + 1))
  const record = asRecord(value)
  if (record === undefined) return value
  return Object.fromEntries(
    Object.entries(record).map(([name, inner]) => [name, redactStrings(inner, redact, depth + 1)]),
  )
}

function copyOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}

const skillTools = new Set(['Skill', 'skill', 'activate_skill'])
const writingTools = /write|edit|patch|replace|create/i
const skillFile = /[\\/]skills[\\/]+([^\\/\s"']+)[\\/]+SKILL\.md/g

/** The skills that a tool call loads, through the agent's skill tool or by reading their file. */
export function skillsUsed(tool: string, input: unknown): readonly string[] {
  if (skillTools.has(tool)) {
    const name = asText(at(input, 'skill')) ?? asText(at(input, 'name'))
    return name === undefined ? [] : [name]
  }
  if (writingTools.test(tool)) return []
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? '')
  return [...text.matchAll(skillFile)].map(([, name]) => name ?? '')
}
