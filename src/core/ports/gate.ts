import type { Interval } from '../statistics/intervals.js'
import type { Row, Scores } from '../task/task.js'

/** The skill under which an attempt was made. */
export type Side = 'current' | 'candidate'

/** A finished attempt that the gate asked for. */
export interface Seen {
  readonly side: Side
  readonly row: Row
}

/** The same task and sample under both skills. */
export interface Pair {
  readonly task: string
  readonly sample: number
  readonly current: Row
  readonly candidate: Row
}

export type Decision = 'accept' | 'reject' | 'underpowered' | 'abstain'

export interface Verdict {
  readonly decision: Decision
  readonly effect?: Interval
  /** Tasks scored under both skills, and on how many of them the candidate was better or worse. */
  readonly tasks?: { readonly better: number; readonly worse: number; readonly total: number }
  /** Whether the candidate was run on every task; otherwise its score is only a bound. */
  readonly complete: boolean
  readonly reason: string
}

/**
 * Decides what to evaluate next, so that it can order, repeat and stop. `seen` is in the requested order.
 * The current skill has already been evaluated once on every task: requesting those attempts costs nothing.
 */
export interface Gate {
  readonly id: string
  /** The number by which "better" and "best" are decided. */
  score(summary: Scores): number
  next(seen: readonly Seen[]): { readonly run: readonly Wanted[] } | Verdict
}

export interface Wanted {
  readonly side: Side
  readonly task: string
  readonly sample: number
}

/** User settings for all gates; each gate uses the ones it needs. */
export interface GateSettings {
  /** Stop once the remaining attempts cannot change the decision. */
  readonly earlyStop: boolean
  /** Alpha: how often an edit that changes nothing may be accepted. */
  readonly falseAccepts: number
  /** The smallest gain worth detecting, as a share of the whole score. */
  readonly smallestGain: number
}

export type GateFactory = (context: {
  readonly tasks: readonly string[]
  readonly settings: GateSettings
  score(summary: Scores): number
}) => Gate
