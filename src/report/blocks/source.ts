import type { Failures } from '../../core/comparison/failures.js'
import type { PairedScores, SkillComparison } from '../../core/comparison/skill-comparison.js'
import type { SplitResult } from '../../core/comparison/split-result.js'
import type { LineOrigins } from '../../core/skill/document.js'
import type { Split } from '../../core/task/task.js'
import type { RunView } from '../../core/view/fold.js'
import type { Setting } from '../../core/view/settings-list.js'

/** All inputs of a report: the run view that all readers share, and the texts that it refers to. */
export interface ReportSource {
  readonly view: RunView
  /**
   * `running`, `killed`, `finished`, `paused`, `cap reached`, …. The log alone cannot tell a running run from
   * a killed one.
   */
  readonly state: string
  readonly seed: string
  readonly best: { readonly text: string; readonly lines: readonly LineOrigins[] } | undefined
  readonly oneShot: string | undefined
  readonly settings: readonly Setting[]
  /** For an evaluation: results by split and, if there are several skills, by skill. */
  readonly splits: readonly SplitResult[]
  /** For training: the best skill compared with the initial one on the test split, if both were tested. */
  readonly tested?: PairedScores | undefined
  /** For training: the tasks that still fail with the shipped skill. */
  readonly failures?: Failures | undefined
  /** For an evaluation of several skills: their differences, by split. */
  readonly comparisons: readonly (SkillComparison & { readonly split: Split })[]
}
