import { expect, it } from 'vitest'
import { configSchema } from '../../core/config/config.js'
import type { StepCounts } from './history.js'
import { blend, ratesFor } from './rates.js'

const nothing: StepCounts = {
  trainings: [],
  validation: { splits: 0, currents: 0, rejected: 0 },
  lengths: { sum: 0, count: 0 },
  unproposed: { sum: 0, count: 0 },
  analysts: { sum: 0, count: 0 },
  merges: { sum: 0, count: 0 },
  slowUpdates: { sum: 0, count: 0 },
}

const rates = (evaluation: object, counts?: Partial<StepCounts>, optimizer: object = {}) => {
  const config = configSchema.parse({
    evaluation,
    optimizer,
    environment: {},
    models: { target: 'simulated/target', optimizer: 'simulated/optimizer' },
  })
  return ratesFor(config, 100, counts && { ...nothing, ...counts })
}

it("knows each gate's cost of a rejected candidate and its maximum repeats", () => {
  const share = (evaluation: object) => rates(evaluation).rejectedSplits
  expect(share({ gate: 'strict', earlyStop: false })).toBe(1)
  expect(share({ gate: './mine.ts' })).toBe(1)
  expect(share({ gate: 'strict', earlyStop: true })).toBeLessThan(1)
  expect(share({ gate: 'guarded' })).toBeLessThan(share({ gate: 'strict', earlyStop: true }))
  expect(rates({ gate: 'always' }).accepted(20)).toBe(1 - rates({ gate: 'always' }).unproposed)
  expect(rates({ gate: 'strict' }).mostSplits).toBe(1)
  expect(rates({ gate: 'guarded' }).mostSplits).toBe(1.5)
  // 40 tasks of the current skill run twice.
  expect(rates({ gate: 'paired' })).toMatchObject({ currentSplits: 1.4, mostSplits: 2.4 })
})

it('counts forced guidance as accepted', () => {
  expect(rates({}, undefined, { slowUpdate: { accept: 'force' } }).guidance).toBe(1)
})

it('blends measured rates with the prior', () => {
  expect(blend(0.5, 2, undefined)).toBe(0.5)
  expect(blend(0.5, 2, { sum: 8, count: 8 })).toBe(0.9)
  const gate = 'guarded'
  const few = rates({ gate }, { trainings: [{ steps: 20, accepted: 0 }] })
  const many = rates({ gate }, { trainings: [{ steps: 20, accepted: 12 }] })
  expect(few.accepted(0)).toBeLessThan(rates({ gate }).accepted(0) / 2)
  expect(many.accepted(0)).toBeGreaterThan(rates({ gate }).accepted(0))
  expect(many.accepted(4)).toBeLessThan(many.accepted(1))
})

it('derives the cost of rejected candidates from the remaining validation', () => {
  const gate = 'paired'
  // Three skills became current, at 1.4 splits each; ten candidates took the other two.
  const { rejectedSplits } = rates({ gate }, { validation: { splits: 6.2, currents: 3, rejected: 10 } })
  expect(rejectedSplits).toBeCloseTo((2 * rates({ gate }).rejectedSplits + 2) / 12)
})
