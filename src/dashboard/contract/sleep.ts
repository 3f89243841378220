import type { SensitiveFinding } from '../../core/redaction/sensitive.js'
import type { NightOutcome } from '../../sleep/model/night-record.js'
import type { ProposalEdit } from '../../sleep/model/proposal.js'
import type { ScoredBy, TaskFailure, TaskSplit } from '../../sleep/model/sleep-task.js'

/**
 * The API contract of Sleep. In texts from transcripts and models, invisible characters are replaced by
 * visible ones. These texts are only displayed, never sent back.
 */

/** A score with its confidence interval. */
export interface SleepScore {
  readonly mean: number
  readonly low: number
  readonly high: number
}

/** `GET /api/sleep`. */
export interface SleepProjects {
  readonly projects: readonly SleepProjectLine[]
  /** Number of Sleep's projects that lie outside the chosen folders. */
  readonly elsewhere: number
  /** Sleep data folders that do not name their project. */
  readonly unknown: readonly string[]
}

export interface SleepProjectName {
  /** Identifies the project in URLs; never a path. */
  readonly id: string
  /** Display path, relative to where the dashboard was started. */
  readonly folder: string
  /** Whether the dashboard was started in this project. */
  readonly isHere: boolean
}

export interface SleepProjectLine extends SleepProjectName {
  readonly isKnown: boolean
  readonly lastNight?:
    | {
        readonly number: number
        readonly endedAt: string
        readonly outcome: NightOutcome['outcome']
        readonly simulated: boolean
      }
    | undefined
  readonly openNight?: { readonly number: number; readonly isAtWork: boolean } | undefined
  /** Number of the night whose proposal awaits review. */
  readonly waiting?: number | undefined
  readonly schedule?: SleepSchedule | undefined
  readonly problems: readonly string[]
}

export interface SleepSchedule {
  readonly system: string
  /** `03:17`; absent if the schedule entry cannot be read. */
  readonly time?: string | undefined
  readonly next?: string | undefined
  readonly command?: string | undefined
  readonly problem?: string | undefined
}

/** `GET /api/sleep/:project`. */
export interface SleepOverview {
  readonly line: SleepProjectLine
  /** Sleep's data folder for the project, and the log of scheduled nights. */
  readonly keptIn: string
  readonly log: string
  readonly openNight?:
    | {
        readonly number: number
        readonly at: string
        readonly isAtWork: boolean
        /** Folder of pending prompts, if people or agents answer in place of a model. */
        readonly prompts?: string | undefined
      }
    | undefined
  readonly waiting?:
    | {
        readonly night: number
        readonly madeAt: string
        readonly simulated: boolean
        readonly targets: readonly string[]
        readonly edits: number
        /** Changes since the night began, one sentence each. */
        readonly changed: readonly string[]
      }
    | undefined
  /** A sentence about a change of files that another process is making or left unfinished. */
  readonly unfinished?: string | undefined
  readonly tasks: {
    readonly splits: Readonly<Record<TaskSplit, number>>
    readonly dropped: number
    readonly harvestedAt?: string | undefined
  }
  /** Newest first. */
  readonly nights: readonly SleepNightLine[]
  readonly receipts: readonly SleepReceipt[]
  readonly commands: SleepCommands
}

/** Shell commands to paste into a terminal. */
export interface SleepCommands {
  readonly run: string
  readonly harvest: string
  readonly schedule: string
  readonly unschedule: string
  readonly exportTasks: string
}

export interface SleepNightLine {
  readonly number: number
  readonly begunAt: string
  /** Absent until the night ends. */
  readonly end?:
    | {
        readonly at: string
        readonly outcome: NightOutcome['outcome']
        readonly reason: string
        readonly simulated: boolean
        readonly capped?: NightOutcome['capped']
        readonly sessions: number
        readonly tasks: number
        readonly spent: NightOutcome['spent']
      }
    | undefined
  readonly targets: readonly SleepNightTarget[]
  /** State of its proposal; absent if it made none. */
  readonly proposal?:
    | 'waits'
    | 'adopted'
    | 'adopted in part'
    /** The proposal can still be adopted, although a newer one is pending. */
    | 'not adopted'
    /** A later proposal was adopted instead. */
    | 'superseded'
    | 'not accepted'
    | 'damaged'
}

export interface SleepNightTarget {
  readonly name: string
  /** Absent while the night is in progress. */
  readonly status?: NightOutcome['targets'][number]['status']
  readonly reason?: string | undefined
  readonly test?:
    | { readonly before: SleepScore; readonly after: SleepScore; readonly tasks: number }
    | undefined
  /** Id of the training run, if the dashboard shows it. */
  readonly run?: string | undefined
}

/** Record of an adoption or an undo. */
export interface SleepReceipt {
  readonly number: number
  readonly kind: 'adopt' | 'undo'
  readonly at: string
  readonly label: 'measured' | 'unmeasured'
  readonly night?: number | undefined
  /** Number of the adoption that this undo reverts. */
  readonly undoes?: number | undefined
  /** True for an adoption that is in effect, that is, not undone. */
  readonly stands: boolean
  /** Whether this adoption is the one that an undo would revert. */
  readonly isNewest: boolean
  /** Ids of the adopted edits. Absent if the proposal was adopted as a whole. */
  readonly edits?: readonly string[] | undefined
  readonly files: readonly { readonly name: string; readonly path: string; readonly how: string }[]
}

/** `GET /api/sleep/:project/nights/:night`. */
export interface SleepNight {
  readonly project: SleepProjectName
  readonly night: SleepNightLine
  /** The night's plan; absent if the night ended before planning. */
  readonly plan?:
    | {
        readonly sessions: number
        readonly models: readonly { readonly role: string; readonly model: string }[]
        readonly tasks: { readonly real: number; readonly dream: number; readonly recalled: number }
        readonly targets: readonly { readonly name: string; readonly path: string; readonly tasks: number }[]
        readonly skipped: readonly { readonly name: string; readonly reason: string }[]
      }
    | undefined
  /** Id of the run that mined tasks from sessions, if the dashboard shows it. */
  readonly mining?: string | undefined
  readonly proposal?: SleepProposal | undefined
  /** Why the proposal cannot be used. */
  readonly problem?: string | undefined
  readonly receipts: readonly SleepReceipt[]
}

export interface SleepProposal {
  readonly id: string
  readonly madeAt: string
  readonly folder: string
  readonly verdict: { readonly accepted: boolean; readonly reason: string }
  /** Names of the targets that can still be adopted. */
  readonly open: readonly string[]
  readonly changed: readonly string[]
  readonly targets: readonly SleepTarget[]
  readonly edits: readonly SleepEdit[]
}

export interface SleepTarget {
  /** Name of the target in a `SleepChoice`. */
  readonly name: string
  readonly path: string
  readonly isNew: boolean
  readonly diff: SleepDiff
  /** Why the target cannot be adopted as proposed. */
  readonly problem?: string | undefined
  readonly measures: readonly SleepMeasure[]
}

export interface SleepDiff {
  readonly before: string
  readonly after: string
  /** Set if the new text contains invisible characters. */
  readonly warning?: string | undefined
}

export interface SleepMeasure {
  /** Beginning of a sentence that names the tasks used for the measurement. */
  readonly on: string
  /** True if the score comes from held-out tasks, which no edit was made from. */
  readonly measured: boolean
  readonly tasks: number
  readonly together: readonly string[]
  readonly before: SleepScore
  readonly after: SleepScore
  readonly difference?: SleepScore | undefined
}

export interface SleepEdit {
  /** Id of the edit in a `SleepChoice`. */
  readonly id: string
  readonly target: string
  readonly op: ProposalEdit['op']
  readonly status: ProposalEdit['status']
  readonly anchor?: string | undefined
  readonly content: string
  readonly why: string
  readonly warning?: string | undefined
  /** Sensitive text that the edit adds: addresses, shell commands, credential paths and secrets. */
  readonly additions: readonly SensitiveFinding[]
  readonly tasks: readonly {
    readonly id: string
    readonly intent?: string | undefined
    /** Whether the task is still in the list of recurring tasks. */
    readonly isKept: boolean
  }[]
  readonly sessions: number
  readonly period?: string | undefined
  readonly gate?: ProposalEdit['gate']
}

/** The part of a proposal to adopt: whole targets, or single edits applied to the current files. */
export interface SleepChoice {
  readonly targets: readonly string[]
  /** Ids of the edits to adopt. Absent to adopt the targets as proposed and measured. */
  readonly edits?: readonly string[] | undefined
}

/** `POST /api/sleep/:project/nights/:night/preview`, with a `SleepChoice`. The request changes nothing. */
export interface SleepPreview {
  readonly changes: readonly (SleepDiff & {
    readonly name: string
    readonly path: string
    readonly isNew: boolean
  })[]
  /** Why this choice was not measured as it is. Absent if it was. */
  readonly unmeasured?: string | undefined
  /** Identifies the previewed content. The adoption request repeats it, so that nothing else is adopted. */
  readonly seen: string
  /** Command that measures the choice first. It may cost money, so the page does not run it. */
  readonly measureCommand: string
}

/** `POST /api/sleep/:project/nights/:night/adopt`. */
export interface SleepAdoption {
  readonly choice: SleepChoice
  readonly seen: string
}

/** `POST /api/sleep/:project/undo`. */
export interface SleepUndo {
  readonly receipt: number
  /** Undoes the adoption even if the user has since edited the part that Sleep wrote. */
  readonly force: boolean
}

/** Result of an adoption or an undo. */
export interface SleepChanged {
  readonly receipt: SleepReceipt
  /** Result of completing or reverting an earlier change that was interrupted. */
  readonly settled?: string | undefined
}

/** `GET /api/sleep/:project/tasks`. */
export interface SleepTasks {
  readonly project: SleepProjectName
  readonly harvestedAt?: string | undefined
  readonly sessions: readonly { readonly source: string; readonly sessions: number }[]
  readonly tasks: readonly SleepTaskLine[]
  /** Recurring requests that a model found unsuitable as tasks. */
  readonly passedOver: readonly { readonly text: string; readonly reason: string; readonly at: string }[]
  readonly commands: SleepCommands
}

export interface SleepTaskLine {
  readonly id: string
  readonly intent: string
  readonly split: TaskSplit
  readonly origin: 'real' | 'dream' | 'recalled'
  readonly scoredBy: ScoredBy
  readonly writtenBy: string
  readonly reviewed: boolean
  readonly skill?: string | undefined
  /** When the user dropped the task. */
  readonly droppedAt?: string | undefined
  readonly occasions: number
  readonly requests: number
  readonly sessions: number
  readonly days: number
  readonly reworked: number
  readonly lastAt?: string | undefined
  readonly score: number
}

/** `GET /api/sleep/:project/tasks/:task`. */
export interface SleepTaskDetail {
  readonly project: SleepProjectName
  readonly line: SleepTaskLine
  /** Why the task's scores may carry little information. */
  readonly weakness?: string | undefined
  readonly rubric: readonly string[]
  readonly checks: readonly string[]
  readonly tools: readonly string[]
  readonly family?: string | undefined
  readonly derivedFrom?: string | undefined
  readonly wordings: number
  readonly projects: number
  readonly period?: string | undefined
  readonly usedTools: readonly string[]
  readonly sessionNames: readonly string[]
  readonly examples: readonly SleepExample[]
  readonly failures: readonly {
    readonly kind: TaskFailure['kind']
    readonly text: string
    readonly session: string
    readonly at?: string | undefined
  }[]
  /** Number of edits that each night proposed because of this task. */
  readonly taught: readonly { readonly night: number; readonly edits: number }[]
  readonly commands: { readonly edit: string; readonly drop: string; readonly restore: string }
}

export interface SleepExample {
  readonly request: string
  readonly session: string
  readonly at?: string | undefined
  readonly branch?: string | undefined
  readonly text: string
  readonly before: readonly string[]
  readonly answer?: string | undefined
}

/** `GET /api/sleep/:project/log`: the tail of the scheduled nights' output. */
export interface SleepLog {
  readonly path: string
  /** Absent if the file does not exist. */
  readonly text?: string | undefined
  readonly isWhole: boolean
}

/**
 * `GET /api/sleep/live`, as server-sent events: `changed` when anything on the pages may be out of date,
 * `unwatched` with the reason if the file system does not report changes.
 */
export interface SleepLiveMessages {
  readonly changed: Record<string, never>
  readonly unwatched: { readonly reason: string }
}
