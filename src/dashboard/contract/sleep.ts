import type { SensitiveFinding } from '../../core/redaction/sensitive.js'
import type { NightOutcome } from '../../sleep/model/night-record.js'
import type { ProposalEdit } from '../../sleep/model/proposal.js'
import type { ScoredBy, TaskFailure, TaskSplit } from '../../sleep/model/sleep-task.js'

/**
 * Sleep in the dashboard. Texts of transcripts and models come with what one would not see in them made visible; they
 * are for reading only, and nothing of them is sent back.
 */

/** A score with its interval. */
export interface SleepScore {
  readonly mean: number
  readonly low: number
  readonly high: number
}

/** `GET /api/sleep`. */
export interface SleepProjects {
  readonly projects: readonly SleepProjectLine[]
  /** How many more projects Sleep knows that lie in none of the chosen folders. */
  readonly elsewhere: number
  /** Folders of Sleep's that do not say which project they are about. */
  readonly unknown: readonly string[]
}

export interface SleepProjectName {
  /** Stands for the project in every address; never a path. */
  readonly id: string
  /** Its folder, as a person would write it from where the dashboard was started. */
  readonly folder: string
  /** Whether the dashboard was started in it. */
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
  /** The night whose proposal waits for a review. */
  readonly waiting?: number | undefined
  readonly schedule?: SleepSchedule | undefined
  readonly problems: readonly string[]
}

export interface SleepSchedule {
  readonly system: string
  /** `03:17`; absent where the entry cannot be read. */
  readonly time?: string | undefined
  readonly next?: string | undefined
  readonly command?: string | undefined
  readonly problem?: string | undefined
}

/** `GET /api/sleep/:project`. */
export interface SleepOverview {
  readonly line: SleepProjectLine
  /** Where Sleep keeps what it knows of it, and what nights print that the system starts. */
  readonly keptIn: string
  readonly log: string
  readonly openNight?:
    | {
        readonly number: number
        readonly at: string
        readonly isAtWork: boolean
        /** What it waits for an answer to, where people or agents answer for a model. */
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
        /** What differs from what the night began from, as sentences. */
        readonly changed: readonly string[]
      }
    | undefined
  /** A change of files that another process is making, or was stopped at, as a sentence. */
  readonly unfinished?: string | undefined
  readonly tasks: {
    readonly splits: Readonly<Record<TaskSplit, number>>
    readonly dropped: number
    readonly harvestedAt?: string | undefined
  }
  /** The newest first. */
  readonly nights: readonly SleepNightLine[]
  readonly receipts: readonly SleepReceipt[]
  readonly commands: SleepCommands
}

/** For a terminal, in the words of a shell. */
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
  /** Absent while it has no end. */
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
  /** What became of its proposal; absent where it made none. */
  readonly proposal?:
    | 'waits'
    | 'adopted'
    | 'adopted in part'
    /** It can be adopted still, though a newer one waits. */
    | 'not adopted'
    /** A later one was adopted in its place. */
    | 'superseded'
    | 'not accepted'
    | 'damaged'
}

export interface SleepNightTarget {
  readonly name: string
  /** Absent while it is under way. */
  readonly status?: NightOutcome['targets'][number]['status']
  readonly reason?: string | undefined
  readonly test?:
    | { readonly before: SleepScore; readonly after: SleepScore; readonly tasks: number }
    | undefined
  /** The id of its run, where the dashboard shows it. */
  readonly run?: string | undefined
}

/** Something that was adopted, or taken back. */
export interface SleepReceipt {
  readonly number: number
  readonly kind: 'adopt' | 'undo'
  readonly at: string
  readonly label: 'measured' | 'unmeasured'
  readonly night?: number | undefined
  /** The adoption that was taken back by it. */
  readonly undoes?: number | undefined
  /** Whether it stands: an adoption that nobody took back. */
  readonly stands: boolean
  /** Whether it is the one that would be taken back next. */
  readonly isNewest: boolean
  /** The edits that were chosen; absent for all of them. */
  readonly edits?: readonly string[] | undefined
  readonly files: readonly { readonly name: string; readonly path: string; readonly how: string }[]
}

/** `GET /api/sleep/:project/nights/:night`. */
export interface SleepNight {
  readonly project: SleepProjectName
  readonly night: SleepNightLine
  /** What it worked on; absent where it did not come so far. */
  readonly plan?:
    | {
        readonly sessions: number
        readonly models: readonly { readonly role: string; readonly model: string }[]
        readonly tasks: { readonly real: number; readonly dream: number; readonly recalled: number }
        readonly targets: readonly { readonly name: string; readonly path: string; readonly tasks: number }[]
        readonly skipped: readonly { readonly name: string; readonly reason: string }[]
      }
    | undefined
  /** The id of the run that made tasks of sessions, where the dashboard shows it. */
  readonly mining?: string | undefined
  readonly proposal?: SleepProposal | undefined
  /** Why its proposal cannot be used. */
  readonly problem?: string | undefined
  readonly receipts: readonly SleepReceipt[]
}

export interface SleepProposal {
  readonly id: string
  readonly madeAt: string
  readonly folder: string
  readonly verdict: { readonly accepted: boolean; readonly reason: string }
  /** Names of targets that can still be adopted from it. */
  readonly open: readonly string[]
  readonly changed: readonly string[]
  readonly targets: readonly SleepTarget[]
  readonly edits: readonly SleepEdit[]
}

export interface SleepTarget {
  /** As it is named in a choice. */
  readonly name: string
  readonly path: string
  readonly isNew: boolean
  readonly diff: SleepDiff
  /** Why it cannot be adopted as it is. */
  readonly problem?: string | undefined
  readonly measures: readonly SleepMeasure[]
}

export interface SleepDiff {
  readonly before: string
  readonly after: string
  /** Said where something is in what is new that one would not see. */
  readonly warning?: string | undefined
}

export interface SleepMeasure {
  /** On what, as the beginning of a sentence. */
  readonly on: string
  /** Whether it was measured on tasks that no edit was made from. */
  readonly measured: boolean
  readonly tasks: number
  readonly together: readonly string[]
  readonly before: SleepScore
  readonly after: SleepScore
  readonly difference?: SleepScore | undefined
}

export interface SleepEdit {
  /** As it is named in a choice. */
  readonly id: string
  readonly target: string
  readonly op: ProposalEdit['op']
  readonly status: ProposalEdit['status']
  readonly anchor?: string | undefined
  readonly content: string
  readonly why: string
  readonly warning?: string | undefined
  /** New addresses, shell commands, credential paths and secrets. */
  readonly additions: readonly SensitiveFinding[]
  readonly tasks: readonly {
    readonly id: string
    readonly intent?: string | undefined
    /** Whether the book of tasks still has it. */
    readonly isKept: boolean
  }[]
  readonly sessions: number
  readonly period?: string | undefined
  readonly gate?: ProposalEdit['gate']
}

/** What of a proposal is meant: whole targets, or single edits in what the files say now. */
export interface SleepChoice {
  readonly targets: readonly string[]
  /** Absent for the targets as they were proposed, which is what was measured. */
  readonly edits?: readonly string[] | undefined
}

/** `POST /api/sleep/:project/nights/:night/preview`, with a `SleepChoice`. Nothing is changed. */
export interface SleepPreview {
  readonly changes: readonly (SleepDiff & {
    readonly name: string
    readonly path: string
    readonly isNew: boolean
  })[]
  /** Why nobody has measured exactly this; absent where somebody has. */
  readonly unmeasured?: string | undefined
  /** Goes with the adoption, so that nothing else is adopted than what was shown. */
  readonly seen: string
  /** Tries it first, which may cost something: left to the command line. */
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
  /** Also where the person changed the learned part since. */
  readonly force: boolean
}

/** What an adoption or an undo did. */
export interface SleepChanged {
  readonly receipt: SleepReceipt
  /** What an earlier one had left, and what became of it. */
  readonly settled?: string | undefined
}

/** `GET /api/sleep/:project/tasks`. */
export interface SleepTasks {
  readonly project: SleepProjectName
  readonly harvestedAt?: string | undefined
  readonly sessions: readonly { readonly source: string; readonly sessions: number }[]
  readonly tasks: readonly SleepTaskLine[]
  /** What recurs, and of which a model said that no task can be made. */
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
  /** When a person dropped it. */
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
  /** What would make its scores say little. */
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
  /** Edits of proposals that were made from it. */
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

/** `GET /api/sleep/:project/log`: the end of what nights printed that the system started. */
export interface SleepLog {
  readonly path: string
  /** Absent where there is no such file. */
  readonly text?: string | undefined
  readonly isWhole: boolean
}

/**
 * `GET /api/sleep/live`, as server-sent events: `changed` when something of what the pages show may be different now,
 * `unwatched` with the reason where the system does not tell.
 */
export interface SleepLiveMessages {
  readonly changed: Record<string, never>
  readonly unwatched: { readonly reason: string }
}
