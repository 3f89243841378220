import type { Interval } from '../statistics/interval.js'
import type { Row, Scores } from '../task/task.js'

/** Which skill an attempt was made under. */
export type Side = 'current' | 'candidate'

/** An attempt that the gate asked for. */
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
  /** Tasks that were scored under both skills, and on how many of them the candidate was better and worse. */
  readonly tasks?: { readonly better: number; readonly worse: number; readonly total: number }
  /** Whether the candidate was run on every task: only then is its score a score, otherwise a bound. */
  readonly complete: boolean
  readonly reason: string
}

/**
 * Decides what to evaluate next, so that it can order, repeat and stop. `seen` is in the order asked for. The current
 * skill has been evaluated on every task once: asking for that costs nothing.
 */
export interface Gate {
  readonly id: string
  /** The one number that "better" and "best" are measured by. */
  score(summary: Scores): number
  next(seen: readonly Seen[]): { readonly run: readonly Wanted[] } | Verdict
}

export interface Wanted {
  readonly side: Side
  readonly task: string
  readonly sample: number
}

/** What the user may set about gates; each takes what concerns it. */
export interface GateSettings {
  /** Stop where what is left cannot change the decision. */
  readonly earlyStop: boolean
  /** How often a change that is none may be accepted. */
  readonly falseAccepts: number
  /** The smallest gain worth finding, as a share of the whole score. */
  readonly smallestGain: number
}

export type GateFactory = (context: {
  readonly tasks: readonly string[]
  readonly settings: GateSettings
  score(summary: Scores): number
}) => Gate
