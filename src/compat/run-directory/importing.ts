import type { EventBody, EventType } from '../../core/log/event.js'
import type { Metric } from '../../core/task/metric.js'
import type { BlobRef } from '../../core/task/task.js'
import type { RunFolder } from './folder.js'

/** An event that has not been given its number and its time yet. */
export type NewEvent = {
  [T in EventType]: {
    readonly type: T
    readonly body: EventBody<T>
    /** Milliseconds since the event before it. */
    readonly after: number
  }
}[EventType]

export function event<T extends EventType>(type: T, body: EventBody<T>, after = 0): NewEvent {
  return { type, body, after } as NewEvent
}

/** What every part of an import works with. */
export interface Importing {
  readonly folder: RunFolder
  put(text: string): BlobRef
  readonly metric: Metric
  score(means: { readonly hard: number; readonly soft: number }): number
  /** For the person: what is there and could not be taken over. */
  note(sentence: string): void
}
