import type { Interval } from '../statistics/intervals.js'
import type { Row, Scores } from '../task/task.js'

/** The skill under which an attempt was made. */
export type Side = 'current' | 'candidate'

/** A finished attempt that the gate asked for. */
export interface Seen {
  readonly side: Side
  readonly row: Row
}

/** Two attempts at the same task with the same sample number, one under each skill. */
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
  /** Number of tasks with a score under both skills, and on how many the candidate was better or worse. */
  readonly tasks?: { readonly better: number; readonly worse: number; readonly total: number }
  /** Whether the candidate ran on every task; otherwise its score is only a bound. */
  readonly complete: boolean
  readonly reason: string
}

/**
 * Decides step by step which attempts to run, so it can order and repeat tasks and stop early. `seen` is in
 * the requested order. The current skill has already run once on every task, so requesting those attempts
 * costs nothing.
 */
export interface Gate {
  readonly id: string
  /** The score by which skills are compared. */
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
  /** Whether to stop once the remaining attempts cannot change the decision. */
  readonly earlyStop: boolean
  /** Alpha: the rate at which edits that change nothing may be accepted. */
  readonly falseAccepts: number
  /** The smallest gain worth detecting, as a share of the whole score. */
  readonly smallestGain: number
}

export type GateFactory = (context: {
  readonly tasks: readonly string[]
  readonly settings: GateSettings
  score(summary: Scores): number
}) => Gate
