import type { PairedScores, SkillComparison } from '../core/comparison/skill-comparison.js'
import type { SplitResult } from '../core/comparison/split-result.js'
import type { LineOrigins } from '../core/skill/document.js'
import type { Split } from '../core/task/task.js'
import type { RunView } from '../core/view/fold.js'
import type { Setting } from '../core/view/settings-list.js'

/** All that a report is made of: the view that every reader has, and the texts that it names. */
export interface ReportSource {
  readonly view: RunView
  /** `running`, `killed`, `finished`, `paused`, `cap reached`, …: the log alone cannot tell the first two apart. */
  readonly state: string
  readonly seed: string
  readonly best: { readonly text: string; readonly lines: readonly LineOrigins[] } | undefined
  readonly oneShot: string | undefined
  readonly settings: readonly Setting[]
  /** Of an evaluation, by split; within a split by skill, if there are several. */
  readonly splits: readonly SplitResult[]
  /** Of a training: the best skill against the initial one on the test split, if both were tested. */
  readonly tested?: PairedScores | undefined
  /** Of an evaluation of several skills: how they differ, by split. */
  readonly comparisons: readonly (SkillComparison & { readonly split: Split })[]
}
