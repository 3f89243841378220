/** The public API for training, evaluation and extensions. All other modules are internal. */

export type { ChangedTask, SkillComparison, SkillPair } from '../core/comparison/skill-comparison.js'
export type { Config, ConfigInput, ModelConfig } from '../core/config/config.js'
export {
  CapReachedError,
  exitCodes,
  InputError,
  InterruptedError,
  PausedError,
  SkillOptError,
  WorldFailure,
} from '../core/errors/errors.js'
export { type EventBody, type EventType, parseEvent, type RunEvent } from '../core/log/event.js'
export type {
  Capability,
  Environment,
  RubricJudge,
  ScoreContext,
  ScoringNeeds,
  Session,
  Tool,
} from '../core/ports/environment.js'
export type { Gate, GateFactory, GateSettings, Pair, Seen, Verdict, Wanted } from '../core/ports/gate.js'
export type { Harness, Job } from '../core/ports/harness.js'
export type { FileSupport, Model, ModelReply, ModelRequest } from '../core/ports/model.js'
export type { Sandbox, SandboxJob, SandboxLimits, SandboxResult } from '../core/ports/sandbox.js'
export { attachment, filePart } from '../core/task/files.js'
export { missingAttempts, pairsIn } from '../core/task/metric.js'
export type {
  Attachment,
  FilePart,
  Message,
  Part,
  Score,
  Split,
  Task,
  TextPart,
  Trajectory,
  Usage,
} from '../core/task/task.js'
export { createView, foldEvent, type RunView } from '../core/view/fold.js'
export {
  type CustomEndpoint,
  type CustomModel,
  type CustomModelCall,
  type CustomProvider,
  defineProvider,
  type ModelOption,
  responseError,
} from '../models/wire/custom-provider.js'
export type { Trust, TrustAnswer, TrustRequest } from '../project/trust.js'
export type { TrustItem } from '../project/trust-items.js'
export {
  type IntendedMining,
  type SleepHarvestOptions,
  type SleepHarvestResult,
  sleepHarvest,
} from '../sleep/harvest/harvest-tasks.js'
export {
  type IntendedNight,
  type SleepRunOptions,
  type SleepRunResult,
  sleepRun,
} from '../sleep/night/night.js'
export { defineEnvironment, type EnvironmentDefinition } from '../tasks/loading/define-environment.js'
export type { Forecast, Range } from '../trainer/forecast/forecast.js'
export { type BaselineOptions, type BaselineResult, baseline } from './baseline.js'
export { type GateCheckOptions, type GateCheckResult, gateCheck } from './check-gate.js'
export { type JudgeCheckOptions, type JudgeCheckResult, judgeCheck } from './check-judge.js'
export {
  attemptOne,
  type EvaluateOptions,
  type EvaluateResult,
  evaluate,
  type SkillScore,
  type SplitScore,
  type Trial,
} from './evaluate.js'
export { forecastTraining, type PriceSource, type TrainingForecast } from './forecast.js'
export { type ProbeOptions, type ProbeResult, probeTraining } from './probe.js'
export { type TrainInfo, type TrainOptions, type TrainResult, train } from './train.js'
export {
  forecastTransfer,
  type TransferForecast,
  type TransferOptions,
  type TransferResult,
  type TransferredTo,
  type TransferScores,
  type TransferTargetInfo,
  transfer,
} from './transfer.js'
export type { TransferTarget } from './transfer-targets.js'
