import type { RunEvent } from '../log/event.js'
import type { Attempt, BlobRef } from '../task/task.js'

/**
 * A cache of scored evaluations, shared by runs. It never throws: on failure it behaves as if it were empty.
 */
export interface AttemptCache {
  /** Finds an attempt, and copies its texts into the run with `put`. An incomplete entry counts as a miss. */
  find(key: string, put: (text: string) => BlobRef): Promise<Attempt | undefined>
  keep(key: string, attempt: Attempt, get: (ref: BlobRef) => Promise<string>): Promise<void>
}

/** Receives a run's events as they are written; events replayed from the log are not delivered again. */
export interface EventReader {
  event(event: RunEvent): void
  /** Called after the last event. Must not throw: a reader must never fail a run. */
  close(): Promise<void>
}

export interface ReaderContext {
  /** The run's name. */
  readonly run: string
  get(ref: BlobRef): Promise<string>
  /** Shows a message to the user. */
  notice(text: string): void
}

/** Storage of a run's events and texts, on disk or in memory for tests. One writer at a time. */
export interface RunStore {
  /** Resolves once the event is written. Texts put before it are written first. */
  append(event: RunEvent): Promise<void>
  /** Stores a text under its hash, so the same text is stored once. */
  put(text: string): BlobRef
  get(ref: BlobRef): Promise<string>
  has(key: string): boolean
  find(key: string): Promise<RunEvent | undefined>
  /** Number of events, and so the next event's `seq`. */
  readonly length: number
  events(): AsyncIterable<RunEvent>
  /** Waits until everything is on disk, not only handed to the operating system. */
  flush(): Promise<void>
  close(): Promise<void>
}
