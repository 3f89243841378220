import type { PairedScores } from '../../core/comparison/skill-comparison.js'
import type { EventBody } from '../../core/log/event.js'
import type { Interval } from '../../core/statistics/intervals.js'
import type { GateView } from '../../core/view/run-view.js'

/**
 * Name of a gate decision in URLs: `3` for step 3, `epoch-2` for the slow update of epoch 2, `last` for the
 * verdict on the last skill, and `final` for the final test of a training by trials.
 */
export type GateName = string

/** A task under both skills, by the first attempt under each. */
export interface EvidenceTask {
  readonly task: string
  readonly type: string
  readonly change: EvidenceChange
  /** Absent if there was no attempt, or it failed for external reasons. */
  readonly current?: number
  readonly candidate?: number
  /** Mean scores of the repeat attempts that the gate requested when in doubt. */
  readonly again?: { readonly current?: Repeated; readonly candidate?: Repeated }
}

export interface Repeated {
  readonly mean: number
  readonly attempts: number
}

/**
 * `failed`: one of the two attempts failed for external reasons. `untried`: the gate stopped before this
 * task.
 */
export type EvidenceChange = 'better' | 'worse' | 'same' | 'failed' | 'untried'

export interface GateDetails {
  readonly name: GateName
  readonly what: EventBody<'gate.decided'>['what']
  readonly epoch: number
  readonly step: number
  readonly gate: GateView
  /** The gate's name, as in the settings; empty if an imported run did not record it. */
  readonly rule: string
  readonly decidedAt: number
  /** Time from the start of the gate stage to the decision; absent if the log does not record the start. */
  readonly ms?: number
  /** Hashes of the two texts, and the version number of the current one if it is a version. */
  readonly skills: { readonly current: string; readonly candidate: string; readonly version?: number }
  /** Attempts made for this decision, and how many of them were reused from other runs. */
  readonly attempts: number
  readonly cached: number
  readonly counts: Readonly<Record<EvidenceChange, number>>
  /**
   * Mean change over the tasks scored under both skills, with its 95% confidence interval. The gate's own
   * effect may differ because it uses more information, such as how noisy the target is.
   */
  readonly seen: Interval | undefined
  /** Changed tasks first. At most `evidenceShown`; `more` counts those left out. */
  readonly tasks: readonly EvidenceTask[]
  readonly more: number
  /** Running sum of the changes after each task, in the order in which the candidate attempted them. */
  readonly course: readonly number[]
  readonly previous?: GateName
  readonly next?: GateName
}

export const evidenceShown = 2000

/** Tasks mined from recurring requests, or from variations of tasks; latest first. */
export interface MiningDetails {
  readonly mined: readonly EventBody<'task.mined'>[]
  readonly dreamed: readonly EventBody<'task.dreamed'>[]
  readonly more: number
}

/** Details of a step that the run view leaves out. */
export interface StepDetails {
  readonly step: number
  /** Each analyst's reading of some attempts: its findings and proposed edits. */
  readonly patches: readonly EventBody<'reflect.finished'>['patches'][number][]
  /** Present if the optimizer chose the number of edits itself. */
  readonly rate: EventBody<'rate.decided'> | undefined
}

/** The best skill of a training against the initial one on the test split; null unless both were tested. */
export interface TestedDetails {
  readonly tested: PairedScores | null
}
