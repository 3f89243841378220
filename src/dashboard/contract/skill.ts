import type { EventBody } from '../../core/log/event.js'
import type { EditView, GateView, StepOutcome } from '../../core/view/run-view.js'

/** A text that is or was the run's skill, or a candidate that was rejected. */
export interface SkillVersion {
  /** Id in URLs: `v3`, `c3` for the candidate of step 3, or the hash of a named skill. */
  readonly id: string
  readonly name: string
  readonly kind: 'version' | 'candidate' | 'named'
  readonly skill: string
  /** The step that produced the version; 0 for the seed. */
  readonly step?: number
  readonly score?: number
  /** True if the evaluation stopped early; the score is then an upper bound. */
  readonly isEstimate?: boolean
  readonly because: string
  /** For a candidate: the gate's decision, once made. */
  readonly outcome?: StepOutcome
  readonly isBest: boolean
  /** Id of an earlier version with the same text. */
  readonly sameAs?: string
  /** False if the log names the version but does not contain its text. */
  readonly hasText: boolean
}

/** `GET /api/runs/:run/versions`, in order of creation. */
export interface SkillVersions {
  readonly versions: readonly SkillVersion[]
  /** Id of the version to show first. */
  readonly best?: string
}

/** Short description of where a line comes from, shown in its margin. */
export interface OriginLabel {
  readonly kind: OriginDetail['kind']
  readonly label: string
}

/** `GET /api/runs/:run/versions/:version` */
export interface SkillSource {
  readonly version: SkillVersion
  readonly text: string
  readonly lines: readonly { readonly text: string; readonly origins: readonly string[] }[]
  /** Labels of all origins that the lines refer to, by origin id. */
  readonly origins: Readonly<Record<string, OriginLabel>>
  /** False if the log does not record the origins. Lines are then only marked as new or unchanged. */
  readonly isTraced: boolean
}

/** An attempt at one of the tasks that led to an edit, made with the skill that the edit changes. */
export interface LeadingAttempt {
  readonly seq: number
  readonly task: string
  readonly sample: number
  /** Absent if the attempt failed for external reasons. */
  readonly hard?: number
}

export interface EditOrigin {
  readonly kind: 'edit'
  readonly edit: EditView
  readonly epoch: number
  readonly step: number
  readonly outcome?: StepOutcome
  /** Ids of the skill that the edit changes, and of the candidate that contains the edit. */
  readonly before?: string
  readonly candidate?: string
  readonly gate?: GateView
  /** All tasks, unless `taskCount` exceeds a few hundred. */
  readonly tasks: readonly string[]
  readonly attempts: readonly LeadingAttempt[]
  readonly attemptCount: number
  /** The tasks that were also attempted with the candidate. They allow a comparison before and after. */
  readonly triedAfter: readonly string[]
  /** The suggestions that a rewrite incorporated. */
  readonly suggestions: readonly EditView[]
}

/** `GET /api/runs/:run/origins/:origin`: the recorded origin of a line. */
export type OriginDetail =
  | { readonly kind: 'seed'; readonly forkedFrom?: string; readonly importedFrom?: string }
  | EditOrigin
  | {
      readonly kind: 'slow-update'
      readonly epoch: number
      /** Last step of the epoch. Its attempts are the epoch's attempts. */
      readonly step?: number
      readonly update?: EventBody<'slow-update.finished'>
      readonly gate?: GateView
    }
  | {
      readonly kind: 'consolidation'
      readonly step: number
      readonly before?: number
      readonly notes: readonly string[]
      readonly reasoning: string
    }
  | {
      /** A step changed the line, but the log does not tell which of its edits did. */
      readonly kind: 'step'
      readonly epoch: number
      readonly step: number
      readonly edits: readonly EditView[]
      readonly gate?: GateView
    }
  | { readonly kind: 'unknown' }
