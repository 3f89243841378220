import type { RunEvent } from '../log/event.js'
import type { Attempt, BlobRef } from '../task/task.js'

/** Scored evaluations that runs share. It may fail at any time, and then it is as if it were empty: it never throws. */
export interface AttemptCache {
  /** Its texts are put where the attempt is going to live. What is not whole is not found. */
  find(key: string, put: (text: string) => BlobRef): Promise<Attempt | undefined>
  keep(key: string, attempt: Attempt, get: (ref: BlobRef) => Promise<string>): Promise<void>
}

/** Reads a run's events as they are written; what is replayed from the log comes to no reader twice. */
export interface EventReader {
  event(event: RunEvent): void
  /** After the last event. Does not throw: a reader is no reason for a run to fail. */
  close(): Promise<void>
}

export interface ReaderContext {
  /** The run's name. */
  readonly run: string
  get(ref: BlobRef): Promise<string>
  /** A word to the user. */
  notice(text: string): void
}

/** Where a run's events and texts are kept: on disk, or in memory for tests. One writer at a time. */
export interface RunStore {
  /** Resolves once written. Texts put before are written before. */
  append(event: RunEvent): Promise<void>
  /** Content-addressed; the same text is kept once. */
  put(text: string): BlobRef
  get(ref: BlobRef): Promise<string>
  has(key: string): boolean
  find(key: string): Promise<RunEvent | undefined>
  /** How many events are there: the next event's `seq`. */
  readonly length: number
  events(): AsyncIterable<RunEvent>
  /** Waits until everything is on the disk, not only handed to the system. */
  flush(): Promise<void>
  close(): Promise<void>
}
