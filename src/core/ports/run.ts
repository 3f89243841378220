import type { EventBody, EventType, Place } from '../log/event.js'
import type { Attempt, BlobRef, Task } from '../task/task.js'
import type { Worker } from './harness.js'
import type { ModelReply, ModelRequest, Role } from './model.js'

/**
 * A model call as plain data, so that it can be hashed, replayed and sent to a worker. Its hash is its key in
 * the log.
 */
export interface CallEffect {
  readonly kind: 'call'
  readonly role: Role
  readonly request: ModelRequest
  /** Distinguishes calls with the same text that must not share a reply, by a step or an attempt's key. */
  readonly scope: string
  readonly sample: number
}

export interface AttemptEffect {
  readonly kind: 'attempt'
  readonly skill: string
  readonly task: Task
  readonly sample: number
  /**
   * Names the step of a training rollout, so that each step draws a new sample. Empty for evaluations, which
   * share attempts.
   */
  readonly scope: string
}

export type Effect = CallEffect | AttemptEffect
export type ResultOf<E extends Effect> = E extends CallEffect ? ModelReply : Attempt

/** Options for performing an effect that do not change its result. */
export interface PerformOptions {
  /** Answers the call in the model's place. */
  readonly worker?: Worker | undefined
}

/** The only interface to the log and to everything that costs money or time. */
export interface Run {
  readonly signal: AbortSignal
  /**
   * Performs an effect and records its result before returning. Identical concurrent effects share one
   * promise. `place` is only for readers of the log and not part of the key.
   */
  perform<E extends Effect>(effect: E, place: Place, how?: PerformOptions): Promise<ResultOf<E>>
  /** Computes and records a stage's result once; later calls read it from the log. */
  once<T extends EventType>(type: T, key: string, compute: () => Promise<EventBody<T>>): Promise<EventBody<T>>
  /** Writes an event for readers. With a key it is written only once, even if the loop is replayed. */
  emit<T extends EventType>(type: T, body: EventBody<T>, key?: string): Promise<void>
  put(text: string): BlobRef
  get(ref: BlobRef): Promise<string>
  /**
   * US dollars spent over all sessions, as far as prices are known. A decision based on this must be
   * recorded.
   */
  spent(): number
}
