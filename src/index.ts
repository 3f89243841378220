/** The public API: everything a program needs to train, evaluate and extend; the rest is internal. */

export type { Config, ConfigInput, ModelConfig } from './core/config.js'
export {
  CapReachedError,
  exitCodes,
  InputError,
  InterruptedError,
  PausedError,
  SkillOptError,
  WorldFailure,
} from './core/errors.js'
export { type EventBody, type EventType, parseEvent, type RunEvent } from './core/event.js'
export type {
  Capability,
  Environment,
  Gate,
  GateFactory,
  Harness,
  Job,
  Model,
  ModelReply,
  ModelRequest,
  Pair,
  Session,
  Tool,
  Verdict,
} from './core/ports.js'
export { createView, foldEvent, type RunView } from './core/state.js'
export type { Message, Score, Split, Task, Trajectory, Usage } from './core/task.js'
export { defineEnvironment, type EnvironmentDefinition } from './define.js'
export {
  attemptOne,
  type EvaluateOptions,
  type EvaluateResult,
  evaluate,
  type SplitScore,
  type Trial,
} from './evaluate.js'
export type { Forecast } from './loops/forecast.js'
export { type TrainInfo, type TrainOptions, type TrainResult, train } from './train.js'
