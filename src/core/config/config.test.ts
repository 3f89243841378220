import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { configSchema, modelSchema, resolveModel } from './config.js'

const least = { environment: {}, models: { target: 'a/b', optimizer: 'a/c' } }

/** The smallest config with one value changed, named by its path. */
function configWith(path: string, value: unknown): unknown {
  const keys = path.split('.')
  const nested = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
  return merge(least, nested as Record<string, unknown>)
}

function merge(under: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...under }
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key]
    merged[key] = isObject(below) && isObject(value) ? merge(below, value) : value
  }
  return merged
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const accepts = (path: string, value: unknown) => configSchema.safeParse(configWith(path, value)).success

describe('the config', () => {
  it('needs an environment and two models; all the rest has defaults', () => {
    expect(configSchema.parse(least)).toEqual({
      preset: 'default',
      skill: 'SKILL.md',
      harness: { access: 'workspace', inherit: false, tokensPerAttempt: 500_000 },
      environment: { use: 'tasks' },
      models: { target: 'a/b', optimizer: 'a/c' },
      sandbox: 'auto',
      train: {
        loop: 'trials',
        batchSize: 40,
        accumulation: 1,
        samples: 1,
        seed: 42,
        reuse: 'reuse',
        focus: 0.1,
        patience: 12,
        stopWhenSolved: true,
      },
      trials: {
        round: 16,
        slots: 16,
        alternatives: 3,
        accept: 0.85,
        drop: 0.7,
        confirm: 0.97,
        leastGain: 0,
        leastGainPerDollar: 0,
        checkpoint: 10,
        finalAlpha: 0.1,
        explore: 0.25,
        classify: 'when-words-fail',
      },
      cache: false,
      reflect: {
        minibatchSize: 8,
        mergeBatchSize: 8,
        failureOnly: false,
        failurePatterns: true,
        rejectedEdits: true,
        skillAware: { enabled: false, successes: false, notes: 12 },
      },
      optimizer: {
        mode: 'patch',
        control: 'fixed',
        learningRate: 4,
        minLearningRate: 2,
        slowUpdate: { samples: 10, accept: 'gated', pairs: 'mixed' },
        effort: {},
      },
      evaluation: {
        gate: 'not-worse',
        earlyStop: true,
        falseAccepts: 0.05,
        smallestGain: 0.05,
        noRegression: 'off',
        metric: 'hard',
        mixedWeight: 0.5,
        reward: { accuracy: 1, tokens: 0, latency: 0, tokenScale: 2000, secondsScale: 15 },
        floors: {},
        validationSize: 100,
        testSize: 0,
        test: ['none', 'initial', 'best', 'last'],
      },
      telemetry: { spans: false, texts: false, logLevel: 'info' },
      limits: {},
    })
    for (const missing of ['environment', 'models'] as const) {
      const { [missing]: _, ...rest } = least
      expect(configSchema.safeParse(rest).success).toBe(false)
    }
    expect(configSchema.safeParse({ ...least, models: { target: 'a/b' } }).success).toBe(false)
  })

  const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']
  it.each([
    ['sandbox', ['auto', 'none']],
    ['optimizer.mode', ['patch', 'rewrite_from_suggestions', 'full_rewrite_minibatch']],
    ['optimizer.control', ['fixed', 'autonomous', 'none']],
    ['optimizer.schedule', ['constant', 'linear', 'cosine']],
    ['optimizer.slowUpdate.accept', ['gated', 'force']],
    ['optimizer.slowUpdate.pairs', ['mixed', 'changed', 'unchanged']],
    ...['reflect', 'aggregate', 'select', 'update', 'slowUpdate', 'metaSkill'].map(
      stage => [`optimizer.effort.${stage}`, efforts] as const,
    ),
    ['evaluation.metric', ['hard', 'soft', 'mixed', 'reward']],
    ['evaluation.noRegression', ['off', 'task', 'type']],
    ['telemetry.logLevel', ['debug', 'info', 'warn', 'error']],
    ['models.target.effort', efforts],
    ['models.target.auth', ['key', 'entra']],
    ['models.target.structured', ['auto', 'schema', 'json', 'text']],
  ] as const)('takes each word that %s can be, and no other', (path, words) => {
    const inModel = (value: unknown) =>
      path.startsWith('models.target.')
        ? accepts('models.target', { model: 'a/b', [path.slice('models.target.'.length)]: value })
        : accepts(path, value)
    for (const word of words) expect(inModel(word), word).toBe(true)
    for (const other of ['', 'other', 3]) expect(inModel(other), String(other)).toBe(false)
  })

  // The smallest accepted value and a value just below it.
  it.each([
    ['train.epochs', 1, 0],
    ['train.batchSize', 1, 0],
    ['train.accumulation', 1, 0],
    ['train.seed', 0, -1],
    ['reflect.minibatchSize', 1, 0],
    ['reflect.mergeBatchSize', 2, 1],
    ['reflect.skillAware.notes', 0, -1],
    ['optimizer.learningRate', 1, 0],
    ['optimizer.minLearningRate', 1, 0],
    ['optimizer.slowUpdate.samples', 1, 0],
    ['optimizer.tokenLimit', 1, 0],
    ['evaluation.validationSize', 0, -1],
    ['evaluation.testSize', 0, -1],
    ['limits.maxCalls', 1, 0],
    ['limits.maxTokens', 1, 0],
  ])('takes whole numbers from %s: %d on', (path, least, below) => {
    expect(accepts(path, least)).toBe(true)
    expect(accepts(path, least + 1000)).toBe(true)
    expect(accepts(path, below)).toBe(false)
    expect(accepts(path, least + 0.5)).toBe(false)
  })

  it.each([
    ['limits.maxCost', 0.01, 0],
    ['limits.maxTime', 0.5, 0],
    ['evaluation.mixedWeight', 0, -0.01],
    ['evaluation.mixedWeight', 1, 1.01],
    ['evaluation.falseAccepts', 0.001, 0],
    ['evaluation.falseAccepts', 0.5, 0.51],
    ['evaluation.smallestGain', 0.005, 0],
    ['evaluation.smallestGain', 0.5, 0.51],
    ['evaluation.reward.accuracy', 0.5, -0.5],
    ['evaluation.reward.tokens', 0, -0.5],
    ['evaluation.reward.latency', 0, -0.5],
    ['evaluation.reward.tokenScale', 0.5, 0],
    ['evaluation.reward.secondsScale', 0.5, 0],
    ['evaluation.floors.accuracy', 0, -0.01],
    ['evaluation.floors.accuracy', 1, 1.01],
    ['evaluation.floors.tokens', 0.5, 0],
    ['evaluation.floors.seconds', 0.5, 0],
  ])('takes fractions as %s: %d, and not %d', (path, taken, refused) => {
    expect(accepts(path, taken)).toBe(true)
    expect(accepts(path, refused)).toBe(false)
  })

  it('accepts a reward with at least one positive weight', () => {
    expect(accepts('evaluation.reward', { accuracy: 0, latency: 0.1 })).toBe(true)
    const { error } = configSchema.safeParse(configWith('evaluation.reward', { accuracy: 0 }))
    expect(error?.issues).toMatchObject([
      { path: ['evaluation', 'reward'], message: 'needs a weight above 0: accuracy, tokens or latency' },
    ])
  })

  it('takes one to eight attempts at a train task', () => {
    for (const count of [1, 8]) expect(accepts('train.samples', count), String(count)).toBe(true)
    for (const count of [0, 9, 1.5]) expect(accepts('train.samples', count), String(count)).toBe(false)
  })

  it('accepts preferences that are neither empty nor too long', () => {
    const { reflect } = configSchema.parse(configWith('reflect.preferences', '  Short answers.\n'))
    expect(reflect.preferences).toBe('Short answers.')
    expect(accepts('reflect.preferences', 'x'.repeat(4000))).toBe(true)
    for (const other of ['', '  \n', 'x'.repeat(4001), 3])
      expect(accepts('reflect.preferences', other)).toBe(false)
  })

  it.each(['', 'train', 'reflect', 'reflect.skillAware', 'optimizer', 'optimizer.slowUpdate'])(
    'refuses a misspelled key in "%s"',
    path => {
      expect(accepts(path === '' ? 'epoch' : `${path}.epoch`, 1)).toBe(false)
    },
  )

  it.each([
    'optimizer.effort',
    'evaluation',
    'evaluation.reward',
    'evaluation.floors',
    'telemetry',
    'limits',
    'models',
  ])('refuses a misspelled key in "%s"', path => {
    expect(accepts(`${path}.other`, 'a/b')).toBe(false)
  })

  it('leaves further keys of the environment to the environment', () => {
    expect(configSchema.parse(configWith('environment.data', 'tasks.jsonl')).environment).toEqual({
      use: 'tasks',
      data: 'tasks.jsonl',
    })
  })

  it('takes names that can be part of a directory’s name', () => {
    for (const name of ['parcels', 'v1.2_final-3']) expect(accepts('name', name), name).toBe(true)
    for (const name of ['', 'a b', '../up', 'a/b', 'ü']) expect(accepts('name', name), name).toBe(false)
  })

  it('takes any choice of skills to test, and no others', () => {
    expect(accepts('evaluation.test', ['last', 'none'])).toBe(true)
    expect(accepts('evaluation.test', [])).toBe(true)
    expect(accepts('evaluation.test', ['worst'])).toBe(false)
  })
})

describe('a model', () => {
  it('has defaults, and an output limit that depends on its role', () => {
    const expected = {
      model: 'a/b',
      auth: 'key',
      timeout: 120,
      structured: 'auto',
      emptyReplies: 'retry',
      stream: false,
      concurrency: 8,
      retries: 6,
    }
    expect(resolveModel('a/b', 'target')).toEqual({ ...expected, maxOutputTokens: 4096 })
    expect(resolveModel('a/b', 'judge')).toEqual({ ...expected, maxOutputTokens: 4096 })
    expect(resolveModel('a/b', 'optimizer')).toEqual({ ...expected, maxOutputTokens: 16_384 })
    const full = modelSchema.parse({ model: 'a/b', maxOutputTokens: 7, retries: 0 })
    expect(resolveModel(full, 'optimizer')).toEqual({ ...expected, retries: 0, maxOutputTokens: 7 })
  })

  it.each([
    ['maxOutputTokens', 1, 0],
    ['concurrency', 1, 0],
    ['requestsPerMinute', 1, 0],
    ['tokensPerMinute', 1, 0],
    ['retries', 0, -1],
    ['timeout', 0.5, 0],
    ['temperature', 0, -0.1],
    ['temperature', 2, 2.1],
    ['model', 'a', ''],
    ['provider', './mine.ts', ''],
    ['extraBody', { top_k: 3, nested: [true, null] }, { when: new Date(0) }],
    ['price', { input: 0, output: 0 }, { input: 1 }],
    ['price', { input: 0, output: 0, cachedInput: 0, cacheWrite: 0 }, { input: -1, output: 0 }],
    ['price', { input: 1, output: 1 }, { input: 1, output: -1 }],
    ['price', { input: 1, output: 1 }, { input: 1, output: 1, cachedInput: -1 }],
    ['price', { input: 1, output: 1 }, { input: 1, output: 1, cacheWrite: -1 }],
    ['price', { input: 1, output: 1 }, { input: 1, output: 1, other: 1 }],
  ])('takes %s: %j, and not %j', (key, taken, refused) => {
    const parse = (value: unknown) => modelSchema.safeParse({ model: 'a/b', [key]: value })
    expect(parse(taken).success).toBe(true)
    expect(parse(refused).success).toBe(false)
  })

  it('is refused with a misspelled key, and without a name', () => {
    expect(modelSchema.safeParse({ model: 'a/b', temprature: 1 }).success).toBe(false)
    expect(modelSchema.safeParse({ temperature: 1 }).success).toBe(false)
    expect(accepts('models.judge', '')).toBe(false)
    expect(accepts('models.judge', { model: 'a/b' })).toBe(true)
  })
})

describe('what may change between sessions of a run', () => {
  const marked = (shape: Record<string, z.ZodType>) =>
    Object.entries(shape).flatMap(([key, schema]) => (schema.meta()?.mayChange === true ? [key] : []))

  it('covers how calls are made, never their content', () => {
    expect(marked(modelSchema.shape)).toEqual([
      'timeout',
      'stream',
      'concurrency',
      'requestsPerMinute',
      'tokensPerMinute',
      'retries',
      'price',
    ])
  })

  it('covers the cache, caps and telemetry', () => {
    const { cache, limits, telemetry } = configSchema.shape
    expect(cache.meta()?.mayChange).toBe(true)
    expect(marked(limits.unwrap().shape)).toEqual(['maxCalls', 'maxTokens', 'maxCost', 'maxTime'])
    expect(marked(telemetry.unwrap().shape)).toEqual(['spans', 'endpoint', 'texts', 'logFile', 'logLevel'])
  })
})
