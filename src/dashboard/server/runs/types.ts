import type { EventOf, EventType, RunEvent, StageName } from '../../../core/log/event.js'
import type { BlobRef, StopReason } from '../../../core/task/task.js'
import type { RunState } from '../../../core/view/run-state.js'
import type { RunView } from '../../../core/view/run-view.js'
import type { ReadingProgress, RunSummary } from '../../contract/runs.js'

/** The runs in the chosen folders. */
export interface RunLibrary {
  list(): Promise<readonly RunSummary[]>
  /** Told when the list may be another one; returns how to stop that. */
  watch(listener: () => void): () => void
  /** By the id that the list gave it; one that it did not give is not found. */
  open(id: string): Promise<LiveRun>
  close(): Promise<void>
}

/** One run and its log, which may still be growing. Each answer is as of now. */
export interface LiveRun {
  readonly id: string
  readonly directory: string
  summary(): Promise<RunSummary>
  state(): Promise<RunState>
  /** `onProgress` is told how far a log has been read that was not read before. */
  view(onProgress?: (progress: ReadingProgress) => void): Promise<RunView>
  attempts(): Promise<AttemptTable>
  /** The event with this `seq`, whole. */
  event(seq: number): Promise<RunEvent>
  /** All events of a type, in order; not for those that come by the thousand. */
  eventsOf<Type extends EventType>(type: Type): Promise<readonly EventOf<Type>[]>
  text(ref: BlobRef): Promise<string>
  /** Events from `from` on, as the fold wants them, in batches; ends with the signal, or when the log is another one. */
  follow(from: number, signal: AbortSignal): AsyncIterable<readonly RunEvent[]>
}

/** Of every attempt as much as lists and filters need. */
export interface AttemptRow {
  readonly seq: number
  readonly at: number
  readonly stage: StageName
  readonly epoch: number
  readonly step: number
  /** The hash of the skill it was made with. */
  readonly skill: string
  readonly task: string
  readonly type: string
  readonly sample: number
  readonly status: 'scored' | 'failed'
  /** Both 0 if the world failed it. */
  readonly hard: number
  readonly soft: number
  readonly stop: StopReason | undefined
  /** The kind of failure. */
  readonly failure: string | undefined
  /** Taken over from another run. */
  readonly cached: boolean
}

/** In the order of the log. */
export interface AttemptTable {
  readonly length: number
  row(index: number): AttemptRow
  /** Attempts in which all of the words were said, by anybody: at most so many, the first ones. */
  search(words: string, most: number, signal: AbortSignal): Promise<SearchHits>
}

export interface SearchHits {
  readonly found: readonly number[]
  /** False if there may be more. */
  readonly isWhole: boolean
}
