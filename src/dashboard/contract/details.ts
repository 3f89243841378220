import type { PairedScores } from '../../core/comparison/skill-comparison.js'
import type { EventBody } from '../../core/log/event.js'
import type { Interval } from '../../core/statistics/intervals.js'
import type { GateView } from '../../core/view/run-view.js'

/**
 * Name of a gate decision in URLs: `3` for step 3, `epoch-2` for the slow update of epoch 2, `last` for the
 * verdict on the last skill, and `final` for the final test of a training by trials.
 */
export type GateName = string

/** The scores of one task with both skills, from the first attempt with each. */
export interface EvidenceTask {
  readonly task: string
  readonly type: string
  readonly change: EvidenceChange
  /** A score is absent if the task was not attempted or the attempt failed for external reasons. */
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
 * `failed`: an attempt with one of the skills failed for external reasons. `untried`: the gate stopped before
 * this task.
 */
export type EvidenceChange = 'better' | 'worse' | 'same' | 'failed' | 'untried'

export interface GateDetails {
  readonly name: GateName
  readonly what: EventBody<'gate.decided'>['what']
  readonly epoch: number
  readonly step: number
  readonly gate: GateView
  /** The gate's name as in the settings. Empty if the run was imported without it. */
  readonly rule: string
  readonly decidedAt: number
  /** Time from the start of the gate stage to the decision; absent if the log does not record the start. */
  readonly ms?: number
  /** Hashes of the two skills. `version` is the current skill's version number, if it has one. */
  readonly skills: { readonly current: string; readonly candidate: string; readonly version?: number }
  /** Number of attempts made for this decision; `cached` of them were reused from other runs. */
  readonly attempts: number
  readonly cached: number
  readonly counts: Readonly<Record<EvidenceChange, number>>
  /**
   * Mean change over the tasks scored with both skills, with its 95% confidence interval. The gate's own
   * estimate may differ, because it uses more information, such as the noise of the target model.
   */
  readonly seen: Interval | undefined
  /** At most `evidenceShown` tasks, with changed tasks first. `more` is the number of tasks left out. */
  readonly tasks: readonly EvidenceTask[]
  readonly more: number
  /** Running sum of the changes after each task, in the order in which the candidate attempted them. */
  readonly course: readonly number[]
  readonly previous?: GateName
  readonly next?: GateName
}

export const evidenceShown = 2000

/** Tasks that Sleep mined from recurring requests or made by varying other tasks; latest first. */
export interface MiningDetails {
  readonly mined: readonly EventBody<'task.mined'>[]
  readonly dreamed: readonly EventBody<'task.dreamed'>[]
  readonly more: number
}

/** Details of a step that the run view leaves out. */
export interface StepDetails {
  readonly step: number
  /** The report of each analyst: findings and proposed edits for the attempts it read. */
  readonly patches: readonly EventBody<'reflect.finished'>['patches'][number][]
  /** Present if the optimizer chose the number of edits itself. */
  readonly rate: EventBody<'rate.decided'> | undefined
}

/** Scores of the best and the initial skill on the test split. Null unless both were tested. */
export interface TestedDetails {
  readonly tested: PairedScores | null
}
