import type {
  attemptOne,
  baseline,
  evaluate,
  forecastTraining,
  forecastTransfer,
  gateCheck,
  judgeCheck,
  probeTraining,
  sleepHarvest,
  sleepRun,
  train,
  transfer,
} from '../app/index.js'

/** The part of the public API that commands call. Tests of commands replace it. */
export interface Library {
  readonly train: typeof train
  readonly forecastTraining: typeof forecastTraining
  readonly probeTraining: typeof probeTraining
  readonly evaluate: typeof evaluate
  readonly baseline: typeof baseline
  readonly attemptOne: typeof attemptOne
  readonly judgeCheck: typeof judgeCheck
  readonly gateCheck: typeof gateCheck
  readonly sleepHarvest: typeof sleepHarvest
  readonly sleepRun: typeof sleepRun
  readonly transfer: typeof transfer
  readonly forecastTransfer: typeof forecastTransfer
}
