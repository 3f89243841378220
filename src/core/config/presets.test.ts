import { expect, it } from 'vitest'
import { configSchema } from './config.js'
import { presetNames, presets } from './presets.js'
import { dotted, leafPaths } from './tree.js'

const least = { environment: {}, models: { target: 'a/b', optimizer: 'a/c' } }
const parsed = (preset: object) => configSchema.parse({ ...least, ...preset })

it.each(presetNames)('%s is a valid config', name => {
  expect(parsed(presets[name])).toMatchObject(presets[name])
})

it('default sets nothing', () => {
  expect(presets.default).toEqual({})
})

/**
 * Settings that a protocol may leave open: the seed, options that are off or belong to another gate, and
 * options that only affect reporting.
 */
const leftOpen = [
  'train.seed',
  'reflect.skillAware.successes',
  'reflect.skillAware.notes',
  'optimizer.effort',
  'evaluation.falseAccepts',
  'evaluation.smallestGain',
  'evaluation.mixedWeight',
  'evaluation.reward.accuracy',
  'evaluation.reward.tokens',
  'evaluation.reward.latency',
  'evaluation.reward.tokenScale',
  'evaluation.reward.secondsScale',
  'evaluation.floors',
  'evaluation.testSize',
  'evaluation.test',
]

it('paper sets every option that affects training', () => {
  const { train, reflect, optimizer, evaluation } = parsed({})
  const all = leafPaths({ train, reflect, optimizer, evaluation }).map(dotted)
  const said = new Set([...leafPaths(presets.paper).map(dotted), ...leftOpen])
  expect(all.filter(path => !said.has(path))).toEqual([])
})

it('reference differs from paper in the slow update and in the tests at the end', () => {
  const [paper, reference] = [parsed(presets.paper), parsed(presets.reference)]
  expect(reference.optimizer.slowUpdate).toEqual({ ...paper.optimizer.slowUpdate, accept: 'force' })
  expect(reference.evaluation).toEqual({ ...paper.evaluation, test: ['initial', 'best', 'last'] })
  expect({ ...reference, optimizer: 0, evaluation: 0 }).toEqual({ ...paper, optimizer: 0, evaluation: 0 })
})

it('paper has the figures and choices that were published', () => {
  const { train, reflect, optimizer, evaluation } = parsed(presets.paper)
  expect(train).toMatchObject({ epochs: 4, batchSize: 40, accumulation: 1, reuse: 'resample' })
  expect(train).toMatchObject({ patience: 0, stopWhenSolved: false })
  expect(reflect).toMatchObject({ minibatchSize: 8, mergeBatchSize: 8, failureOnly: false })
  expect(reflect).toMatchObject({ failurePatterns: true, rejectedEdits: true })
  expect(reflect.skillAware.enabled).toBe(false)
  expect(optimizer).toMatchObject({ mode: 'patch', control: 'fixed', schedule: 'cosine', metaSkill: true })
  expect([optimizer.learningRate, optimizer.minLearningRate]).toEqual([4, 2])
  expect(optimizer.slowUpdate).toEqual({ enabled: true, samples: 20, accept: 'gated', pairs: 'mixed' })
  expect(evaluation).toMatchObject({ gate: 'strict', earlyStop: false, noRegression: 'off' })
  expect(evaluation).toMatchObject({ metric: 'hard', validationSize: 0 })
})

it('thrifty stops sooner and evaluates less than default', () => {
  const [thrifty, usual] = [parsed(presets.thrifty), parsed(presets.default)]
  expect(thrifty.trials.leastGain).toBeGreaterThan(usual.trials.leastGain)
  expect(thrifty.trials.leastGainPerDollar).toBeGreaterThan(usual.trials.leastGainPerDollar)
  expect(thrifty.train.stopWhenSolved).toBe(true)
  expect(thrifty.train.patience).toBeGreaterThan(0)
  expect(thrifty.train.patience).toBeLessThan(usual.train.patience)
  expect(thrifty.evaluation.validationSize).toBeGreaterThan(0)
  expect(thrifty.evaluation.test).toEqual(['initial', 'best'])
})
