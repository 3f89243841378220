import type { EventBody, EventType } from '../../core/log/event.js'
import type { Metric } from '../../core/task/metric.js'
import type { BlobRef } from '../../core/task/task.js'
import type { RunFolder } from './folder.js'

/** An event without its sequence number and time. */
export type NewEvent = {
  [T in EventType]: {
    readonly type: T
    readonly body: EventBody<T>
    /** Milliseconds since the previous event. */
    readonly after: number
  }
}[EventType]

export function event<T extends EventType>(type: T, body: EventBody<T>, after = 0): NewEvent {
  return { type, body, after } as NewEvent
}

/** Context shared by all parts of an import. */
export interface ImportContext {
  readonly folder: RunFolder
  put(text: string): BlobRef
  readonly metric: Metric
  score(means: { readonly hard: number; readonly soft: number }): number
  /** Reports data that exists but could not be imported. */
  note(sentence: string): void
}
