import type { Split } from '../task/task.js'
import type { SkillComparison } from './skill-comparison.js'
import type { SplitResult } from './split-result.js'

/** Results of an evaluation of one or more skills. */
export interface EvaluationDetails {
  readonly splits: readonly SplitResult[]
  readonly comparisons: readonly (SkillComparison & { readonly split: Split })[]
}
