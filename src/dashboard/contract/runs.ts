import type { RunState } from '../../core/view/run-state.js'
import type { RunVerdict } from '../../core/view/run-verdict.js'
import type { Point, RunView } from '../../core/view/run-view.js'

/** A row of the run list. */
export interface RunSummary {
  /** Identifies the run in URLs; never a path. */
  readonly id: string
  readonly name: string
  /** Display path of the run directory, relative to where the dashboard was started. */
  readonly directory: string
  readonly state: RunState
  readonly kind: RunView['kind']
  readonly simulated: boolean
  readonly environment: string
  readonly models: { readonly target?: string; readonly optimizer?: string; readonly judge?: string }
  readonly startedAt: number
  readonly lastAt: number
  readonly activeMs: number
  readonly epoch: number
  readonly epochs: number
  readonly step: number
  readonly steps: number
  /**
   * Validation scores of the seed and of the best skill so far. `test` holds their scores on the test split,
   * if it was used.
   */
  readonly initial?: number
  readonly best?: number
  readonly test?: { readonly initial?: number; readonly best?: number }
  /** Present once the training has ended. */
  readonly verdict?: Pick<RunVerdict, 'answer' | 'sentence' | 'gain'>
  readonly calls: number
  readonly tokens: number
  readonly unknownUsage: number
  readonly cost: number
  readonly unknownCost: number
  /** Best validation score after each step. */
  readonly spark: readonly Point[]
  readonly forkedFrom?: string
  readonly importedFrom?: string
  /** The Sleep night that the run belongs to. */
  readonly sleep?: { readonly project: string; readonly night: number }
  readonly problem?: string
  /** Present while the log is read for the first time. Until then the figures are incomplete. */
  readonly reading?: ReadingProgress
}

/** The current state of a run, from its log up to event `view.events`. The stream continues from there. */
export interface RunSnapshot {
  readonly summary: RunSummary
  readonly view: RunView
}

/** Progress of the first read of a log. */
export interface ReadingProgress {
  readonly bytes: number
  readonly of: number
}

/**
 * `GET /api/runs/:id/live`, as server-sent events. The stream sends `reading` while a large log is read for
 * the first time, then one `snapshot`, then `events`: arrays of consecutive events, without the texts of
 * calls and attempts. Each message id encodes a position in the log. A client that reconnects with this id as
 * `Last-Event-ID` gets the events it missed, or a new `snapshot` if that is shorter or the log was replaced.
 * `state` is sent when the process starts or exits. When the log is gone, the stream sends the state
 * `unreadable` and ends.
 */
export interface LiveMessages {
  readonly reading: ReadingProgress
  readonly snapshot: RunSnapshot
  readonly events: readonly unknown[]
  readonly state: { readonly state: RunState }
}
