import type { Interval } from '../statistics/interval.js'
import type { Split } from '../task/task.js'

interface Scored {
  readonly scored: number
  readonly failed: number
  readonly score: number
  readonly interval: Interval
}

/** What an evaluation found about a skill on a split, in all and by type of task. */
export interface SplitResult extends Scored {
  readonly split: Split
  /** Its name; empty in logs that do not tell. */
  readonly skill: string
  readonly types: readonly (Scored & { readonly type: string })[]
}
