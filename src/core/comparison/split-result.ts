import type { Interval } from '../statistics/intervals.js'
import type { Split } from '../task/task.js'
import type { SkillComparison } from './skill-comparison.js'

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

/** Results of an evaluation of one or more skills. */
export interface EvaluationDetails {
  readonly splits: readonly SplitResult[]
  readonly comparisons: readonly (SkillComparison & { readonly split: Split })[]
}
