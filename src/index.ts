/** The public API: everything a program needs to train, evaluate and extend; the rest is internal. */

export { type BaselineOptions, type BaselineResult, baseline } from './baseline.js'
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
export { attachment, filePart } from './core/files.js'
export { missingFrom, pairsIn } from './core/metric.js'
export type {
  Capability,
  Environment,
  FileSupport,
  Gate,
  GateFactory,
  GateSettings,
  Harness,
  Job,
  Model,
  ModelReply,
  ModelRequest,
  Pair,
  RubricJudge,
  Sandbox,
  SandboxJob,
  SandboxLimits,
  SandboxResult,
  ScoreContext,
  ScoringNeeds,
  Seen,
  Session,
  Tool,
  Verdict,
  Wanted,
} from './core/ports.js'
export type { ChangedTask, SkillComparison, SkillPair } from './core/skill-comparison.js'
export { createView, foldEvent, type RunView } from './core/state.js'
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
} from './core/task.js'
export { defineEnvironment, type EnvironmentDefinition } from './define.js'
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
export { type GateCheckOptions, type GateCheckResult, gateCheck } from './gate-check.js'
export { type JudgeCheckOptions, type JudgeCheckResult, judgeCheck } from './judge-check.js'
export type { Forecast, Range } from './loops/forecast.js'
export {
  defineProvider,
  type ModelOption,
  type OwnCall,
  type OwnEndpoint,
  type OwnModel,
  type OwnProvider,
  responseError,
} from './models/wire/own.js'
export { type ProbeOptions, type ProbeResult, probeTraining } from './probe.js'
export type { Trust, TrustAnswer, TrustRequest } from './project/trust.js'
export type { TrustItem } from './project/trust-items.js'
export {
  type IntendedMining,
  type SleepHarvestOptions,
  type SleepHarvestResult,
  sleepHarvest,
} from './sleep-harvest.js'
export {
  type IntendedNight,
  type SleepRunOptions,
  type SleepRunResult,
  sleepRun,
} from './sleep-run.js'
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
