import { describe, expect, it } from 'vitest'
import { configSchema } from '../config/config.js'
import { attemptRate, pauseForUnknown, rewardOf } from './reward.js'
import type { Attempt } from './task.js'

const evaluationOf = (evaluation: object) =>
  configSchema.parse({ environment: {}, models: { target: 'a/b', optimizer: 'a/c' }, evaluation }).evaluation

const weights = (reward: object) => evaluationOf({ reward }).reward

const attempt: Attempt = {
  task: 't',
  type: '',
  sample: 0,
  messages: [],
  outcome: { status: 'scored', score: { hard: 1, soft: 0.5, feedback: '' }, stop: 'answered' },
}
const made = { ...attempt, tokens: 500, ms: 3000 }

describe('a reward', () => {
  it('is the hard score, unless something else has a weight', () => {
    expect(rewardOf({ hard: 0.75, tokens: 9e9, ms: 9e9 }, weights({}))).toBe(0.75)
  })

  it('is the weighted mean of being right, sparing and fast', () => {
    const each = weights({ accuracy: 2, tokens: 1, latency: 1 })
    // (2 · 1 + 1 · (1 − 500 / 2000) + 1 · (1 − 3 / 15)) / 4
    expect(rewardOf({ hard: 1, tokens: 500, ms: 3000 }, each)).toBeCloseTo((2 + 0.75 + 0.8) / 4, 12)
  })

  it('comes to what docs/cost.md says', () => {
    const documented = { accuracy: 1, tokens: 0.3, latency: 0.1, tokenScale: 4000, secondsScale: 30 }
    expect(rewardOf({ hard: 1, tokens: 1000, ms: 6000 }, weights(documented)).toFixed(2)).toBe('0.93')
  })

  it('is clamped at the scale, and at most 1', () => {
    const each = weights({ accuracy: 1, tokens: 1, latency: 1 })
    expect(rewardOf({ hard: 0, tokens: 2001, ms: 15_001 }, each)).toBe(0)
    expect(rewardOf({ hard: 1, tokens: 0, ms: 0 }, each)).toBe(1)
  })

  it('goes by the scales that were set', () => {
    const slow = weights({ accuracy: 0, latency: 1, secondsScale: 60 })
    expect(rewardOf({ hard: 0, ms: 30_000 }, slow)).toBe(0.5)
    const long = weights({ accuracy: 0, tokens: 1, tokenScale: 10_000 })
    expect(rewardOf({ hard: 0, tokens: 1000 }, long)).toBe(0.9)
  })
})

describe('an attempt', () => {
  it.each([
    ['nothing, where nothing is counted', {}, {}],
    ['nothing for weights of a metric that is not taken', { reward: { tokens: 1, latency: 1 } }, {}],
    ['its tokens for a floor', { floors: { tokens: 900 } }, { tokens: 500 }],
    ['its time for a floor', { floors: { seconds: 9 } }, { ms: 3000 }],
    ['no figure for a floor on accuracy', { floors: { accuracy: 0.5 } }, {}],
    ['its reward', { metric: 'reward' }, { reward: 1 }],
    [
      'its reward and what that rests on',
      { metric: 'reward', reward: { accuracy: 1, tokens: 1 } },
      { reward: 0.875, tokens: 500 },
    ],
    [
      'its reward, and a figure for a floor',
      { metric: 'reward', reward: { accuracy: 1, tokens: 1 }, floors: { seconds: 9 } },
      { reward: 0.875, tokens: 500, ms: 3000 },
    ],
  ])('is counted with %s', (_, settings, expected) => {
    expect(attemptRate(evaluationOf(settings))(made)).toEqual({ attempt: { ...attempt, ...expected } })
  })

  it.each([
    ['tokens', { metric: 'reward', reward: { tokens: 1 } }],
    ['tokens', { floors: { tokens: 100 } }],
    ['ms', { metric: 'reward', reward: { latency: 1 } }],
    ['ms', { floors: { seconds: 100 } }],
  ] as const)('is not counted where nobody said its %s: %j', (unknown, settings) => {
    const { [unknown]: _, ...rest } = made
    expect(attemptRate(evaluationOf(settings))(rest)).toEqual({ unknown })
    expect(attemptRate(evaluationOf({}))(rest)).toEqual({ attempt })
  })

  it('stays unchanged after an external failure', () => {
    const outcome: Attempt['outcome'] = { status: 'failed', failure: { kind: 'server', message: 'down' } }
    const settings = evaluationOf({ metric: 'reward', reward: { tokens: 1 } })
    expect(attemptRate(settings)({ ...attempt, outcome })).toEqual({ attempt: { ...attempt, outcome } })
  })

  it('pauses with advice if a required figure is missing', () => {
    const tokens = pauseForUnknown('t7', 'tokens')
    expect(tokens.message).toBe(
      'The target reported no token usage for task "t7", which the settings require. The attempt was not scored.',
    )
    expect(tokens.hint).toContain('`evaluation.reward.tokens` to 0 and remove `evaluation.floors.tokens`')
    expect(pauseForUnknown('t7', 'ms').hint).toContain('`evaluation.floors.seconds`')
  })
})
