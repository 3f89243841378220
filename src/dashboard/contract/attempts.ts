import type { StageName } from '../../core/log/event.js'
import type { Message, Split, StopReason } from '../../core/task/task.js'

/**
 * `right`: scored 1. `wrong`: scored 0. `partial`: scored in between. `failed`: failed for an external
 * reason, so it has no score.
 */
export const attemptOutcomes = ['right', 'partial', 'wrong', 'failed'] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

export const attemptSorts = ['-time', 'time', 'task', '-task', 'score', '-score'] as const
export type AttemptSort = (typeof attemptSorts)[number]

/** Change of a task's score from one skill to another. Counts only tasks attempted with both. */
export const taskChanges = ['better', 'worse', 'same'] as const
export type TaskChange = (typeof taskChanges)[number]

/** Attributes that the attempt list can be filtered by. Each takes one value. */
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
    /** False for a rejected slow update, whose text is not stored, and for an attempt without a skill. */
    readonly hasText: boolean
  }
  readonly task: string
  readonly type: string
  readonly sample: number
  readonly outcome: AttemptOutcome
  /** The scores `hard` and `soft` are absent if the attempt failed for external reasons. */
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

/** `GET /api/runs/:run/attempts/facets?…`: how many attempts have each value, given all other filters. */
export interface AttemptFacets {
  readonly known: number
  readonly total: number
  readonly facets: Readonly<Record<Facet, readonly FacetValue[]>>
  /** Number of tasks with each change, if two skills are compared. */
  readonly changes?: Readonly<Record<TaskChange, number>>
  /** The search stopped after this many matches. Absent if it covered the whole log. */
  readonly searchedUpTo?: number
}

/** A text that may be truncated. The client requests the rest when needed. */
export interface CutText {
  readonly text: string
  /** Length of the whole text, in UTF-16 code units. */
  readonly length: number
}

/** A file in a message. Only its name is sent, not its content. */
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
  /** Id of the tool call that this result answers. */
  readonly answers?: string
}

/** `GET /api/runs/:run/attempts/:seq` */
export interface AttemptDetail {
  readonly line: AttemptLine
  /** The first messages of the conversation; `messageCount` is the number of all. */
  readonly messages: readonly SaidMessage[]
  readonly messageCount: number
  readonly feedback?: CutText
  readonly votes: readonly { readonly score: number; readonly reason: CutText }[]
  readonly problem?: CutText
  /** Text that the optimizer sees during reflection, but the target does not. */
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
 * `GET /api/runs/:run/attempts/:seq/text?of=…&from=20000`: the continuation of a text. `of` names the text:
 * `message.3`, `call.3.0` (the arguments of the first call in message 3), `feedback`, `vote.0`, `problem` or
 * `hidden`.
 */
export interface MoreText {
  readonly from: number
  readonly text: string
  readonly length: number
}
