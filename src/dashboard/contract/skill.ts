import type { EventBody } from '../../core/log/event.js'
import type { EditView, GateView, StepOutcome } from '../../core/view/run-view.js'

/** A text that a run has, had, or refused as its skill. */
export interface SkillVersion {
  /** In addresses: `v3`, `c3` for the candidate of step 3, or the hash of a named skill. */
  readonly id: string
  readonly name: string
  readonly kind: 'version' | 'candidate' | 'named'
  readonly skill: string
  /** The step that it came out of; 0 for the seed. */
  readonly step?: number
  readonly score?: number
  /** The evaluation was stopped early: the score is what it could have come to. */
  readonly isBound?: boolean
  readonly because: string
  /** Of a candidate, once it is known. */
  readonly outcome?: StepOutcome
  readonly isBest: boolean
  /** The version before it that has the same text. */
  readonly sameAs?: string
  /** False where the log names it and does not have its text. */
  readonly hasText: boolean
}

/** `GET /api/runs/:run/versions`: in the order in which they came about. */
export interface SkillVersions {
  readonly versions: readonly SkillVersion[]
  /** The id of the one that a person wants to see first. */
  readonly best?: string
}

/** Of an origin as much as the margin of a line says. */
export interface OriginLabel {
  readonly kind: OriginDetail['kind']
  readonly label: string
}

/** `GET /api/runs/:run/versions/:version` */
export interface SkillSource {
  readonly version: SkillVersion
  readonly text: string
  readonly lines: readonly { readonly text: string; readonly origins: readonly string[] }[]
  /** Of every origin that a line names. */
  readonly origins: Readonly<Record<string, OriginLabel>>
  /** False where the log does not say, and lines are told apart by what stood before only. */
  readonly isTraced: boolean
}

/** An attempt at one of the tasks that an edit was proposed for, under the skill that it was proposed to. */
export interface LeadingAttempt {
  readonly seq: number
  readonly task: string
  readonly sample: number
  /** Absent if the world failed it. */
  readonly hard?: number
}

export interface EditOrigin {
  readonly kind: 'edit'
  readonly edit: EditView
  readonly epoch: number
  readonly step: number
  readonly outcome?: StepOutcome
  /** The id of the text that it was proposed to, and of the candidate that it became part of. */
  readonly before?: string
  readonly candidate?: string
  readonly gate?: GateView
  /** All of them, as far as `taskCount` of the edit is no more than a few hundred. */
  readonly tasks: readonly string[]
  readonly attempts: readonly LeadingAttempt[]
  readonly attemptCount: number
  /** Those of the tasks that were tried with the candidate too: what it did to them can be looked at. */
  readonly triedAfter: readonly string[]
  /** Of a rewrite: the suggestions that it worked in. */
  readonly suggestions: readonly EditView[]
}

/** `GET /api/runs/:run/origins/:origin`: what is known of where a line came from. */
export type OriginDetail =
  | { readonly kind: 'seed'; readonly forkedFrom?: string; readonly importedFrom?: string }
  | EditOrigin
  | {
      readonly kind: 'slow-update'
      readonly epoch: number
      /** The last step of its epoch, where its attempts are found. */
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
      /** A step changed it, and which of its edits did is not known. */
      readonly kind: 'step'
      readonly epoch: number
      readonly step: number
      readonly edits: readonly EditView[]
      readonly gate?: GateView
    }
  | { readonly kind: 'unknown' }
