import type { RecordedEdit } from '../../../core/log/event.js'
import type { SkillDocument } from '../../../core/skill/document.js'
import type { Attempt } from '../../../core/task/task.js'
import type { StepRecord } from '../../stages/memory.js'
import type { ConcernedByCause } from './concern.js'
import { emptyPool, type Pool } from './pool.js'
import type { Trial } from './types.js'

/** State carried from round to round. */
export interface TrialState {
  readonly pool: Pool
  readonly trials: readonly Trial[]
  /** The seed with all accepted edits. */
  readonly current: SkillDocument
  /** Number of skills so far; the seed is 0. */
  readonly version: number
  /** The last skill that validation did not reject, with its edits. */
  readonly checkpoint: { readonly document: SkillDocument; readonly accepted: readonly string[] }
  /** Failures that no edit on trial addresses, waiting for reflection. */
  readonly unexplained: readonly Attempt[]
  /** Dropped edits, of which the optimizer is reminded. */
  readonly dropped: readonly StepRecord[]
  /** The optimizer's own notes, if any. */
  readonly metaSkill: string | undefined
  /** The skill at the start of the epoch. */
  readonly epochStart: SkillDocument
  /** A slow update that joins the pool with the next proposals. */
  readonly guidance: readonly RecordedEdit[]
  /** The optimizer's classification of tasks by cause. */
  readonly classified: ConcernedByCause
  /** The last round after which analysts were asked, and how often they were asked in vain since. */
  readonly asked: { readonly round: number; readonly inVain: number }
  /** The last round that accepted, dropped or admitted an edit. */
  readonly lastChange: number
}

export function initialTrialState(seed: SkillDocument, metaSkill?: string): TrialState {
  return {
    pool: emptyPool,
    trials: [],
    current: seed,
    version: 0,
    checkpoint: { document: seed, accepted: [] },
    unexplained: [],
    dropped: [],
    metaSkill,
    epochStart: seed,
    guidance: [],
    classified: new Map(),
    asked: { round: 0, inVain: 0 },
    lastChange: 0,
  }
}
