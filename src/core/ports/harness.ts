import type { Trajectory } from '../task/task.js'
import type { Capability, Session } from './environment.js'
import type { ModelReply, ModelRequest } from './model.js'

/** A harness's job: one attempt. It never sees a scorer, and reaches the model only through `call`. */
export interface Job {
  readonly session: Session
  readonly skill: string
  /**
   * Calls the model. `turn` counts from 0 within the attempt. A `worker` answers in the model's place; its
   * work is counted, limited, retried and recorded like a call to the model.
   */
  call(request: ModelRequest, turn: number, worker?: Worker): Promise<ModelReply>
  /** Opens a fresh session for the same task, because a failed try may have changed the old one. */
  reopen(): Promise<Session>
}

/**
 * Answers a call in the model's place, and throws as a model does. A reply replayed from the log does not
 * call the worker, so the worker's changes to the session are then missing.
 */
export type Worker = (signal: AbortSignal) => Promise<ModelReply>

export interface Harness {
  readonly id: string
  readonly supports: readonly Capability[]
  run(job: Job, signal: AbortSignal): Promise<Trajectory>
}
