import type { EventOf, EventType, RunEvent, StageName } from '../../../core/log/event.js'
import type { BlobRef, StopReason } from '../../../core/task/task.js'
import type { RunState } from '../../../core/view/run-state.js'
import type { RunView } from '../../../core/view/run-view.js'
import type { ReadingProgress, RunSummary } from '../../contract/runs.js'

/** The runs in the chosen folders and of Sleep's nights. */
export interface RunLibrary {
  list(): Promise<readonly RunSummary[]>
  /** Calls the listener when the list may have changed. Returns an unsubscribe function. */
  watch(listener: () => void): () => void
  /** Opens a run by its id in the list. Throws `NotFoundError` for any other id. */
  open(id: string): Promise<LiveRun>
  close(): Promise<void>
}

/** One run and its log, which may still grow. Every method returns the current state. */
export interface LiveRun {
  readonly id: string
  readonly directory: string
  summary(): Promise<RunSummary>
  state(): Promise<RunState>
  /** `onProgress` reports the progress of the first read of a log. */
  view(onProgress?: (progress: ReadingProgress) => void): Promise<RunView>
  attempts(): Promise<AttemptTable>
  /** The complete event with this `seq`. */
  event(seq: number): Promise<RunEvent>
  /** Returns all events of a type in order. Not meant for types with thousands of events. */
  eventsOf<Type extends EventType>(type: Type): Promise<readonly EventOf<Type>[]>
  text(ref: BlobRef): Promise<string>
  /**
   * Yields batches of events from `from` on, in the form that the fold takes. Ends when the signal aborts or
   * the log is replaced.
   */
  follow(from: number, signal: AbortSignal): AsyncIterable<readonly RunEvent[]>
}

/** The fields of an attempt that lists and filters need. */
export interface AttemptRow {
  readonly seq: number
  readonly at: number
  readonly stage: StageName
  readonly epoch: number
  readonly step: number
  /** Hash of the skill used. */
  readonly skill: string
  readonly task: string
  readonly type: string
  readonly sample: number
  readonly status: 'scored' | 'failed'
  /** The scores `hard` and `soft` are 0 if the attempt failed for external reasons. */
  readonly hard: number
  readonly soft: number
  readonly stop: StopReason | undefined
  readonly failure: string | undefined
  /** True if the attempt was reused from another run. */
  readonly cached: boolean
}

/** The attempts of a run, in log order. */
export interface AttemptTable {
  readonly length: number
  row(index: number): AttemptRow
  /** Finds the first `most` attempts whose texts contain all the words. */
  search(words: string, most: number, signal: AbortSignal): Promise<SearchHits>
}

export interface SearchHits {
  readonly found: readonly number[]
  /** False if there may be more matches. */
  readonly isWhole: boolean
}
