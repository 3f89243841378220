import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Moment } from '../../bench/crash-runs.js'
import { crashSuite } from '../../bench/crash-suite.js'
import type { RunEvent } from '../../src/core/log/event.js'

/**
 * A small version of `npm run bench:crash`: `kill -9` at moments of different kinds, each resumed by the
 * same command.
 */

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
if (!existsSync(cli)) {
  throw new Error('This test kills the built command line, and dist/ is not there: npm run build')
}

const middleOf = (events: readonly RunEvent[], type: Moment['type']): Moment => {
  const times = events.filter(event => event.type === type).length
  return { type, nth: Math.ceil(times / 2) }
}

/** In the middle of the most frequent events, of the stage results, and of all events. */
function moments(events: readonly RunEvent[]): Moment[] {
  const types = [
    'call.started',
    'attempt.finished',
    'reflect.finished',
    'gate.decided',
    'skill.version',
  ] as const
  const middles = types.map(type => middleOf(events, type))
  return [...middles.filter(({ nth }) => nth > 0), { type: 'any', nth: Math.ceil(events.length / 3) }]
}

/** While several attempts at a task, and a reward for them, are in progress. */
const momentsOfSamples = (events: readonly RunEvent[]): Moment[] => [
  middleOf(events, 'attempt.finished'),
  middleOf(events, 'gate.decided'),
]

/** Each kind of event that only some modes have and that a killed run must resume from. */
function momentsOfModes(events: readonly RunEvent[]): Moment[] {
  const types = ['rewrite.finished', 'rate.decided', 'aggregate.finished', 'select.finished'] as const
  const there = types.filter(type => events.some(event => event.type === type))
  const calls = events.filter(event => event.type === 'call.started').length
  return [...there.map(type => ({ type, nth: 1 })), { type: 'call.started', nth: Math.ceil(calls / 3) }]
}

const sizes = { train: 12, val: 8, test: 6 }
const skillAware = { enabled: true, successes: true, notes: 1 }
const cases = {
  patch: { config: {}, moments, least: 5 },
  rewrite_from_suggestions: {
    config: { optimizer: { mode: 'rewrite_from_suggestions' as const, control: 'autonomous' as const } },
    moments: momentsOfModes,
    least: 4,
  },
  full_rewrite_minibatch: {
    config: { optimizer: { mode: 'full_rewrite_minibatch' as const } },
    moments: momentsOfModes,
    least: 3,
  },
  'several attempts, for a reward': {
    config: {
      train: { loop: 'steps' as const, epochs: 2, batchSize: 6, samples: 2 },
      evaluation: {
        gate: 'guarded',
        metric: 'reward' as const,
        reward: { tokens: 0.5 },
        floors: { accuracy: 0.1 },
      },
    },
    moments: momentsOfSamples,
    least: 2,
  },
  'skill-aware, no budget': {
    config: { optimizer: { control: 'none' as const }, reflect: { minibatchSize: 3, skillAware } },
    moments: momentsOfModes,
    least: 3,
  },
}
const training = {
  train: { loop: 'steps' as const, epochs: 2, batchSize: 6 },
  reflect: { minibatchSize: 3 },
  evaluation: { gate: 'guarded' },
}

it.each(Object.entries(cases))(
  '%s: killed at any moment, a run ends as if nothing had happened',
  async (_name, { config, moments, least }) => {
    const { paid, runs } = await crashSuite({
      cli,
      sizes,
      config: { ...training, ...config },
      moments,
      parallel: 2,
    })
    expect(paid).toBeGreaterThan(60)
    expect(runs.length).toBeGreaterThanOrEqual(least)
    for (const run of runs) {
      expect(run).toMatchObject({
        sameSkill: true,
        sameVerdicts: true,
        sameRest: true,
        sameCalls: true,
        paidTwice: 0,
      })
      expect(run.paid).toBeLessThanOrEqual(paid + run.inFlight)
    }
    // The test is about kills that meet calls in flight.
    expect(runs.some(run => run.inFlight > 0)).toBe(true)
  },
)
