import type { EventBody } from '../../core/log/event.js'
import type { EditView, GateView, StepOutcome } from '../../core/view/run-view.js'

/** A text that is or was the run's skill, or was rejected as one. */
export interface SkillVersion {
  /** Id in URLs: `v3`, `c3` for the candidate of step 3, or the hash of a named skill. */
  readonly id: string
  readonly name: string
  readonly kind: 'version' | 'candidate' | 'named'
  readonly skill: string
  /** The step that produced it; 0 for the seed. */
  readonly step?: number
  readonly score?: number
  /** True if the evaluation stopped early; the score is then an upper bound. */
  readonly isEstimate?: boolean
  readonly because: string
  /** For a candidate, once decided. */
  readonly outcome?: StepOutcome
  readonly isBest: boolean
  /** An earlier version with the same text. */
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

/** Summary of an origin, shown in the margin of a line. */
export interface OriginLabel {
  readonly kind: OriginDetail['kind']
  readonly label: string
}

/** `GET /api/runs/:run/versions/:version` */
export interface SkillSource {
  readonly version: SkillVersion
  readonly text: string
  readonly lines: readonly { readonly text: string; readonly origins: readonly string[] }[]
  /** Labels of all origins that the lines refer to. */
  readonly origins: Readonly<Record<string, OriginLabel>>
  /** False if the log does not record the origins; lines are then only compared with the previous text. */
  readonly isTraced: boolean
}

/** An attempt at one of the tasks behind an edit, under the skill that the edit was proposed for. */
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
  /** Ids of the text that the edit was proposed for, and of the candidate that contains it. */
  readonly before?: string
  readonly candidate?: string
  readonly gate?: GateView
  /** Complete unless the edit's `taskCount` exceeds a few hundred. */
  readonly tasks: readonly string[]
  readonly attempts: readonly LeadingAttempt[]
  readonly attemptCount: number
  /** Those tasks that were also attempted with the candidate, so before and after can be compared. */
  readonly triedAfter: readonly string[]
  /** For a rewrite: the suggestions it incorporated. */
  readonly suggestions: readonly EditView[]
}

/** `GET /api/runs/:run/origins/:origin`: the recorded origin of a line. */
export type OriginDetail =
  | { readonly kind: 'seed'; readonly forkedFrom?: string; readonly importedFrom?: string }
  | EditOrigin
  | {
      readonly kind: 'slow-update'
      readonly epoch: number
      /** Last step of the epoch, which holds its attempts. */
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
      /** A step changed the line, but it is unknown which of its edits did. */
      readonly kind: 'step'
      readonly epoch: number
      readonly step: number
      readonly edits: readonly EditView[]
      readonly gate?: GateView
    }
  | { readonly kind: 'unknown' }
