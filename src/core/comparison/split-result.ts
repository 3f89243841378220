import type { Interval } from '../statistics/interval.js'
import type { Split } from '../task/task.js'

interface Scored {
  readonly scored: number
  readonly failed: number
  readonly score: number
  readonly interval: Interval
}

/** Result of one skill on one split, overall and by task type. */
export interface SplitResult extends Scored {
  readonly split: Split
  /** The skill's name; empty in logs that do not record it. */
  readonly skill: string
  readonly types: readonly (Scored & { readonly type: string })[]
}
