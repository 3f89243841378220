import type { RecordedEdit } from '../../../core/log/event.js'
import type { SkillDocument } from '../../../core/skill/document.js'
import type { Attempt } from '../../../core/task/task.js'
import type { StepRecord } from '../../stages/memory.js'
import type { ConcernedByCause } from './concern.js'
import { emptyPool, type Pool } from './pool.js'
import type { Trial } from './types.js'

/** What training by trials carries from round to round. */
export interface TrialState {
  readonly pool: Pool
  readonly trials: readonly Trial[]
  /** The seed with all accepted edits. */
  readonly current: SkillDocument
  /** Counts the skills so far; the seed is 0. */
  readonly version: number
  /** The last skill that validation did not speak against, with the edits in it. */
  readonly checkpoint: { readonly document: SkillDocument; readonly accepted: readonly string[] }
  /** Failures that no edit on trial is meant for, still to be reflected on. */
  readonly unexplained: readonly Attempt[]
  /** What was dropped, for the optimizer's memory. */
  readonly dropped: readonly StepRecord[]
  /** The optimizer's own notes, if it keeps some. */
  readonly metaSkill: string | undefined
  /** The skill that the epoch began with. */
  readonly epochStart: SkillDocument
  /** A slow update that is to join the pool with the next proposals. */
  readonly guidance: readonly RecordedEdit[]
  /** What the optimizer said about which tasks causes concern. */
  readonly classified: ConcernedByCause
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
    lastChange: 0,
  }
}
