import type { RunState } from '../../core/view/run-state.js'
import type { Point, RunView } from '../../core/view/run-view.js'

/** A line of the list of runs. */
export interface RunSummary {
  /** Stands for the run in every address; never a path. */
  readonly id: string
  readonly name: string
  /** Its directory as a person would write it, from where the dashboard was started. */
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
  /** Validation score of the seed, and of the best skill so far; of the test split where there is one. */
  readonly initial?: number
  readonly best?: number
  readonly test?: { readonly initial?: number; readonly best?: number }
  readonly calls: number
  readonly tokens: number
  readonly unknownUsage: number
  readonly cost: number
  readonly unknownCost: number
  /** The best validation score after each step. */
  readonly spark: readonly Point[]
  readonly forkedFrom?: string
  readonly importedFrom?: string
  /** The night of Sleep that it is part of. */
  readonly sleep?: { readonly project: string; readonly night: number }
  readonly problem?: string
  /** Its log is still being read for the first time: the figures are not all there. */
  readonly reading?: ReadingProgress
}

/** A run as it is now: the fold of its log up to `view.events`; the stream goes on from there. */
export interface RunSnapshot {
  readonly summary: RunSummary
  readonly view: RunView
}

/** How far a log has been read that nobody has read before. */
export interface ReadingProgress {
  readonly bytes: number
  readonly of: number
}

/**
 * `GET /api/runs/:id/live`, as server-sent events. First `reading` while a large log is read for the first time, then
 * one `snapshot`, then `events`: arrays of events in order, without gaps, as the fold wants them (what was said in
 * calls and attempts is left out). The id of each message says what was sent so far; whoever comes back with it as
 * `Last-Event-ID` gets what was missed, or a new `snapshot` if that is shorter or the log is another one by now. `state`
 * when the process comes or goes; `unreadable`, and the end, when the log is gone.
 */
export interface LiveMessages {
  readonly reading: ReadingProgress
  readonly snapshot: RunSnapshot
  readonly events: readonly unknown[]
  readonly state: { readonly state: RunState }
}
