import { expect, it } from 'vitest'
import { configSchema } from '../../core/config/config.js'
import { expectSteps } from './expected-steps.js'
import type { Rates } from './rates.js'

const plan = { epochs: 3, stepsPerEpoch: 4 }

function course(train: object, chance: number, more: Partial<Rates> = {}) {
  const config = configSchema.parse({
    train: { loop: 'steps', reuse: 'resample', focus: 1, patience: 0, ...train },
    environment: {},
    models: { target: 'simulated/target', optimizer: 'simulated/optimizer' },
  })
  return expectSteps(plan, config, {
    accepted: () => chance,
    unproposed: 0,
    rejectedSplits: 1,
    currentSplits: 1,
    mostSplits: 1,
    guidance: 0,
    lengthFactor: () => 1,
    ...more,
  })
}

it('runs every step without an early end, and compares two skills if the skill changed', () => {
  const always = course({}, 1)
  expect(always).toEqual({
    steps: 12,
    accepted: 12,
    rejected: 0,
    batches: 12,
    laterEpochs: 2,
    compared: 4,
    changed: 1,
  })
  expect(course({}, 0)).toMatchObject({ accepted: 0, rejected: 12, compared: 2, changed: 0 })
  const half = course({}, 0.5)
  expect(half.accepted).toBeCloseTo(6)
  expect(half.changed).toBeCloseTo(1 - 0.5 ** 12)
  // An epoch of four steps leaves the skill unchanged with probability 1/16.
  expect(half.compared).toBeCloseTo(2 * (2 - 0.5 ** 4))
})

it('stops after `patience` idle steps', () => {
  expect(course({ patience: 5 }, 0)).toMatchObject({ steps: 5, laterEpochs: 1, compared: 1 })
  // One step, and another after each accepted one, out of at most 12.
  expect(course({ patience: 1 }, 0.5).steps).toBeCloseTo(2 - 0.5 ** 11)
})

it('runs no task twice with the same skill if attempts are reused', () => {
  expect(course({ reuse: 'reuse' }, 0).batches).toBeCloseTo(4)
  expect(course({ reuse: 'reuse' }, 1).batches).toBeCloseTo(12)
  const once = { accepted: (before: number) => (before === 0 ? 1 : 0) }
  // Accepted at the first step: the next skill runs three batches, then the quarter that they left out.
  expect(course({ reuse: 'reuse' }, 0, once).batches).toBeCloseTo(1 + 3 + 4 * (1 / 4))
})

it('resets the idle count after accepted guidance', () => {
  expect(course({ patience: 9 }, 0, { guidance: 1 }).steps).toBe(12)
  expect(course({ patience: 9 }, 0).steps).toBe(9)
})

it('matches the length of trainings with the same plan', () => {
  expect(course({}, 0.5, { lengthFactor: expected => 6 / expected })).toMatchObject({ steps: 6 })
})
