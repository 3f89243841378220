import type { EventBody, EventType, Place } from '../log/event.js'
import type { Attempt, BlobRef, Task } from '../task/task.js'
import type { Worker } from './harness.js'
import type { ModelReply, ModelRequest, Role } from './model.js'

/** Data, so that an effect can be hashed, replayed and sent to a worker. Its hash is its key in the log. */
export interface CallEffect {
  readonly kind: 'call'
  readonly role: Role
  readonly request: ModelRequest
  /** Tells apart calls that may have the same text and must not share a reply (a step, an attempt's key). */
  readonly scope: string
  readonly sample: number
}

export interface AttemptEffect {
  readonly kind: 'attempt'
  readonly skill: string
  readonly task: Task
  readonly sample: number
  /** Training rollouts carry their step, so that they are sampled anew; evaluations carry none, so that they are shared. */
  readonly scope: string
}

export type Effect = CallEffect | AttemptEffect
export type ResultOf<E extends Effect> = E extends CallEffect ? ModelReply : Attempt

/** How an effect is performed; its result does not depend on it. */
export interface PerformOptions {
  /** Who answers a call in the model's place. */
  readonly worker?: Worker | undefined
}

/** The one door to everything that costs money or time, and to the log. */
export interface Run {
  readonly signal: AbortSignal
  /**
   * Recorded before it returns; identical concurrent effects share one promise. `place` is for readers, not part of the
   * key.
   */
  perform<E extends Effect>(effect: E, place: Place, how?: PerformOptions): Promise<ResultOf<E>>
  /** A stage's result: computed once, recorded, and from then on read from the log. */
  once<T extends EventType>(type: T, key: string, compute: () => Promise<EventBody<T>>): Promise<EventBody<T>>
  /** A notice for readers. With a key it is written once, however often the loop passes here. */
  emit<T extends EventType>(type: T, body: EventBody<T>, key?: string): Promise<void>
  put(text: string): BlobRef
  get(ref: BlobRef): Promise<string>
  /** US dollars so far, over all sessions, as far as prices are known. What is decided by it must be recorded. */
  spent(): number
}
