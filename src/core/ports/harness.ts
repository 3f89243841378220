import type { Trajectory } from '../task/task.js'
import type { Capability, Session } from './environment.js'
import type { ModelReply, ModelRequest } from './model.js'

/** A harness runs one attempt. It never sees a scorer; it reaches the model only through `call`. */
export interface Job {
  readonly session: Session
  readonly skill: string
  /**
   * `turn` counts from 0 within the attempt. With a `worker`, that one answers in the model's place, and is counted,
   * limited, tried again and recorded as the model would be.
   */
  call(request: ModelRequest, turn: number, worker?: Worker): Promise<ModelReply>
  /** Another session at the same task, in place of one that a failed try has left its marks on. */
  reopen(): Promise<Session>
}

/** Throws as a model does. It is not asked where its reply is in the log: what it had done to the session is not there then. */
export type Worker = (signal: AbortSignal) => Promise<ModelReply>

export interface Harness {
  readonly id: string
  readonly supports: readonly Capability[]
  run(job: Job, signal: AbortSignal): Promise<Trajectory>
}
