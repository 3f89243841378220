import type { StageName } from '../../core/log/event.js'
import type { Message, Split, StopReason } from '../../core/task/task.js'

/** The right ones scored 1, the wrong ones 0, the partial ones between; those that the world failed have no score. */
export const attemptOutcomes = ['right', 'partial', 'wrong', 'failed'] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

export const attemptSorts = ['-time', 'time', 'task', '-task', 'score', '-score'] as const
export type AttemptSort = (typeof attemptSorts)[number]

/** What became of a task from one skill to another, over the attempts with both. */
export const taskChanges = ['better', 'worse', 'same'] as const
export type TaskChange = (typeof taskChanges)[number]

/** By what attempts are told apart; each may be asked for by one of its values. */
export const facets = [
  ...(['outcome', 'failure', 'stop', 'type', 'stage'] as const),
  ...(['split', 'step', 'skill', 'sample'] as const),
] as const
export type Facet = (typeof facets)[number]

export interface FacetValue {
  readonly value: string
  /** Where people call it something else. */
  readonly name?: string
  readonly count: number
}

/** A line of the list. */
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
    /** Whether its text can be looked at: a slow update that was refused, and no skill at all, have none. */
    readonly hasText: boolean
  }
  readonly task: string
  readonly type: string
  readonly sample: number
  readonly outcome: AttemptOutcome
  /** Both absent if the world failed it. */
  readonly hard?: number
  readonly soft?: number
  readonly stop?: StopReason
  readonly failure?: string
  readonly isCached: boolean
}

/** `GET /api/runs/:run/attempts?…` */
export interface AttemptPage {
  /** Attempts of the run when the list was made: with `until` set to it, later pages belong to the same list. */
  readonly known: number
  /** How many match. */
  readonly total: number
  readonly offset: number
  readonly lines: readonly AttemptLine[]
}

/** `GET /api/runs/:run/attempts/facets?…`: how many there are of each value, with all the other filters. */
export interface AttemptFacets {
  readonly known: number
  readonly total: number
  readonly facets: Readonly<Record<Facet, readonly FacetValue[]>>
  /** Of the tasks tried with both skills, where two are compared. */
  readonly changes?: Readonly<Record<TaskChange, number>>
  /** The search ended here: there are more that hold the words. */
  readonly searchedUpTo?: number
}

/** A text that may be cut: the rest comes on request. */
export interface CutText {
  readonly text: string
  /** In UTF-16 units, as a whole. */
  readonly length: number
}

/** A file by its name: its content stays where it is. */
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
  /** Of a tool's answer: the call that it answers. */
  readonly answers?: string
}

/** `GET /api/runs/:run/attempts/:seq` */
export interface AttemptDetail {
  readonly line: AttemptLine
  /** The first of `messageCount`. */
  readonly messages: readonly SaidMessage[]
  readonly messageCount: number
  readonly feedback?: CutText
  readonly votes: readonly { readonly score: number; readonly reason: CutText }[]
  readonly problem?: CutText
  /** What only reflection was told. */
  readonly hidden?: CutText
  readonly tokens?: number
  readonly ms?: number
  readonly reward?: number
  /** Attempts at the same task, in the order of the log, this one among them. */
  readonly ofTask: readonly AttemptLine[]
  readonly ofTaskCount: number
}

/** `GET /api/runs/:run/attempts/:seq/messages?from=100` */
export interface MoreMessages {
  readonly from: number
  readonly messages: readonly SaidMessage[]
}

/**
 * `GET /api/runs/:run/attempts/:seq/text?of=…&from=20000`: a text goes on. `of` is `message.3`, `call.3.0` for the
 * arguments of its first call, `feedback`, `vote.0`, `problem` or `hidden`.
 */
export interface MoreText {
  readonly from: number
  readonly text: string
  readonly length: number
}
