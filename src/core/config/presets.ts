import type { ConfigInput } from './config.js'

/** Named groups of settings. The config file, environment variables and flags take precedence over them. */

export const presetNames = ['default', 'paper', 'reference', 'thrifty'] as const
export type PresetName = (typeof presetNames)[number]

/** Presets set only how a skill is trained. Models, tasks and caps belong to the project. */
type PresetSettings = Partial<Pick<ConfigInput, 'train' | 'reflect' | 'optimizer' | 'trials' | 'evaluation'>>

/** Lists every value, even if it equals the default: a default may change, a published protocol may not. */
const paper = {
  train: {
    loop: 'steps',
    epochs: 4,
    batchSize: 40,
    accumulation: 1,
    samples: 1,
    reuse: 'resample',
    focus: 1,
    patience: 0,
    stopWhenSolved: false,
  },
  reflect: {
    minibatchSize: 8,
    mergeBatchSize: 8,
    failureOnly: false,
    failurePatterns: true,
    rejectedEdits: true,
    skillAware: { enabled: false },
  },
  optimizer: {
    mode: 'patch',
    control: 'fixed',
    learningRate: 4,
    minLearningRate: 2,
    schedule: 'cosine',
    slowUpdate: { enabled: true, samples: 20, accept: 'gated', pairs: 'mixed' },
    metaSkill: true,
  },
  evaluation: {
    gate: 'strict',
    earlyStop: false,
    noRegression: 'off',
    metric: 'hard',
    validationSize: 0,
  },
} as const satisfies PresetSettings

export const presets: Readonly<Record<PresetName, PresetSettings>> = {
  default: {},
  paper,
  reference: {
    ...paper,
    optimizer: { ...paper.optimizer, slowUpdate: { ...paper.optimizer.slowUpdate, accept: 'force' } },
    evaluation: { ...paper.evaluation, test: ['initial', 'best', 'last'] },
  },
  thrifty: {
    train: { patience: 4, stopWhenSolved: true },
    trials: { leastGain: 0.025, leastGainPerDollar: 0.005 },
    evaluation: { validationSize: 50, test: ['initial', 'best'] },
  },
}
