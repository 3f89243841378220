import type { PairedScores } from '../../core/comparison/skill-comparison.js'
import type { EventBody } from '../../core/log/event.js'
import type { Interval } from '../../core/statistics/interval.js'
import type { GateView } from '../../core/view/run-view.js'

/**
 * What a decision of the gate is called in an address: `3` for that of step 3, `epoch-2` for the slow update of epoch 2, `last` for the word on the last skill, and `final`
 * for the final test of a training by trials.
 */
export type GateName = string

/** A task under both skills: the first attempt at it under each. */
export interface EvidenceTask {
  readonly task: string
  readonly type: string
  readonly change: EvidenceChange
  /** Absent where the world failed the attempt, or where there was none. */
  readonly current?: number
  readonly candidate?: number
  /** Further attempts that the gate asked for in doubt, as mean scores. */
  readonly again?: { readonly current?: Repeated; readonly candidate?: Repeated }
}

export interface Repeated {
  readonly mean: number
  readonly attempts: number
}

/** `failed`: the world failed one of the two attempts. `untried`: the gate had seen enough before. */
export type EvidenceChange = 'better' | 'worse' | 'same' | 'failed' | 'untried'

export interface GateDetails {
  readonly name: GateName
  readonly what: EventBody<'gate.decided'>['what']
  readonly epoch: number
  readonly step: number
  readonly gate: GateView
  /** The gate's own name, as in the settings; empty where an imported run did not record it. */
  readonly rule: string
  readonly decidedAt: number
  /** From the gate's first attempt to its decision; absent where the log does not say. */
  readonly ms?: number
  /** The hashes of the two texts. The number of the current one's version, where it is one. */
  readonly skills: { readonly current: string; readonly candidate: string; readonly version?: number }
  /** Attempts that were made for this decision, and those among them that came from other runs. */
  readonly attempts: number
  readonly cached: number
  readonly counts: Readonly<Record<EvidenceChange, number>>
  /**
   * The mean change over the tasks that were scored under both skills, with its 95% interval. The gate's own effect may
   * differ: it knows more, such as how noisy the target is.
   */
  readonly seen: Interval | undefined
  /** Tasks with a change first. At most `evidenceShown`; `more` is how many were left out. */
  readonly tasks: readonly EvidenceTask[]
  readonly more: number
  /** The sum of all changes after each task that the candidate tried, in the order in which it tried them. */
  readonly course: readonly number[]
  readonly previous?: GateName
  readonly next?: GateName
}

export const evidenceShown = 2000

/** What a mining made of what a person keeps asking for, or of tasks that it varied; the latest first. */
export interface MiningDetails {
  readonly mined: readonly EventBody<'task.mined'>[]
  readonly dreamed: readonly EventBody<'task.dreamed'>[]
  readonly more: number
}

/** What the view of a step does not keep. */
export interface StepDetails {
  readonly step: number
  /** Each analyst's reading of some attempts: what it saw, and the edits that it proposed. */
  readonly patches: readonly EventBody<'reflect.finished'>['patches'][number][]
  /** Where the optimizer decided how many edits are wise. */
  readonly rate: EventBody<'rate.decided'> | undefined
}

/** The best skill of a training against the initial one on the test split; null unless both were tested. */
export interface TestedDetails {
  readonly tested: PairedScores | null
}
