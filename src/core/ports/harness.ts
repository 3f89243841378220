import type { Trajectory } from '../task/task.js'
import type { Capability, Session } from './environment.js'
import type { ModelReply, ModelRequest } from './model.js'

/** A harness runs one attempt. It never sees a scorer; it reaches the model only through `call`. */
export interface Job {
  readonly session: Session
  readonly skill: string
  /**
   * `turn` counts from 0 within the attempt. A `worker` answers in the model's place; it is counted,
   * limited, retried and recorded like the model.
   */
  call(request: ModelRequest, turn: number, worker?: Worker): Promise<ModelReply>
  /** Opens a fresh session for the same task, because a failed try may have changed the old one. */
  reopen(): Promise<Session>
}

/**
 * Throws as a model does. When its reply is replayed from the log the worker is not called, so its changes
 * to the session are missing.
 */
export type Worker = (signal: AbortSignal) => Promise<ModelReply>

export interface Harness {
  readonly id: string
  readonly supports: readonly Capability[]
  run(job: Job, signal: AbortSignal): Promise<Trajectory>
}
