import type { StageName } from '../../core/log/event.js'
import type { Message, Split, StopReason } from '../../core/task/task.js'

/**
 * `right` scored 1, `wrong` scored 0, `partial` in between; `failed` attempts failed for external reasons
 * and have no score.
 */
export const attemptOutcomes = ['right', 'partial', 'wrong', 'failed'] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

export const attemptSorts = ['-time', 'time', 'task', '-task', 'score', '-score'] as const
export type AttemptSort = (typeof attemptSorts)[number]

/** How a task's score changed from one skill to another, over the tasks attempted with both. */
export const taskChanges = ['better', 'worse', 'same'] as const
export type TaskChange = (typeof taskChanges)[number]

/** Facets that attempts can be filtered by, one value each. */
export const facets = [
  ...(['outcome', 'failure', 'stop', 'type', 'stage'] as const),
  ...(['split', 'step', 'skill', 'sample'] as const),
] as const
export type Facet = (typeof facets)[number]

export interface FacetValue {
  readonly value: string
  /** Display name, if it differs from the value. */
  readonly name?: string
  readonly count: number
}

/** A row of the attempt list. */
export interface AttemptLine {
  readonly seq: number
  readonly at: number
  readonly stage: StageName
  readonly epoch: number
  readonly step: number
  readonly split?: Split
  readonly skill: {
    readonly id: string
    readonly name: string
    readonly hash: string
    /**
     * Whether the skill's text is available. A rejected slow update has none, nor does an attempt without a
     * skill.
     */
    readonly hasText: boolean
  }
  readonly task: string
  readonly type: string
  readonly sample: number
  readonly outcome: AttemptOutcome
  /** Both are absent if the attempt failed for external reasons. */
  readonly hard?: number
  readonly soft?: number
  readonly stop?: StopReason
  readonly failure?: string
  readonly isCached: boolean
}

/** `GET /api/runs/:run/attempts?…` */
export interface AttemptPage {
  /**
   * Number of attempts in the run when the list was made. Pass it as `until` to get later pages of the same
   * list.
   */
  readonly known: number
  /** Number of matching attempts. */
  readonly total: number
  readonly offset: number
  readonly lines: readonly AttemptLine[]
}

/** `GET /api/runs/:run/attempts/facets?…`: the count of each value, with all other filters applied. */
export interface AttemptFacets {
  readonly known: number
  readonly total: number
  readonly facets: Readonly<Record<Facet, readonly FacetValue[]>>
  /** Counts of the tasks attempted with both skills, when two skills are compared. */
  readonly changes?: Readonly<Record<TaskChange, number>>
  /** Number of matches after which the search stopped; absent if it covered the whole log. */
  readonly searchedUpTo?: number
}

/** A text that may be truncated; the rest is loaded on request. */
export interface CutText {
  readonly text: string
  /** Length of the whole text, in UTF-16 code units. */
  readonly length: number
}

/** A file, by name only; its content is not sent. */
export interface NamedFile {
  readonly type: 'image' | 'document'
  readonly name: string
  readonly mediaType: string
  readonly bytes: number
  readonly pages?: number
}

export interface SaidMessage {
  readonly role: Message['role']
  readonly text: CutText
  readonly files: readonly NamedFile[]
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: CutText }[]
  /** For a tool result: the id of the call it answers. */
  readonly answers?: string
}

/** `GET /api/runs/:run/attempts/:seq` */
export interface AttemptDetail {
  readonly line: AttemptLine
  /** The first of `messageCount` messages. */
  readonly messages: readonly SaidMessage[]
  readonly messageCount: number
  readonly feedback?: CutText
  readonly votes: readonly { readonly score: number; readonly reason: CutText }[]
  readonly problem?: CutText
  /** Text shown only to reflection. */
  readonly hidden?: CutText
  readonly tokens?: number
  readonly ms?: number
  readonly reward?: number
  /** Attempts at the same task, including this one, in log order. */
  readonly ofTask: readonly AttemptLine[]
  readonly ofTaskCount: number
}

/** `GET /api/runs/:run/attempts/:seq/messages?from=100` */
export interface MoreMessages {
  readonly from: number
  readonly messages: readonly SaidMessage[]
}

/**
 * `GET /api/runs/:run/attempts/:seq/text?of=…&from=20000`: the continuation of a text. `of` is `message.3`,
 * `call.3.0` for the arguments of its first call, `feedback`, `vote.0`, `problem` or `hidden`.
 */
export interface MoreText {
  readonly from: number
  readonly text: string
  readonly length: number
}
