import { expect, it } from 'vitest'
import { mostSteps } from './most-steps.js'

const steps = (...epochs: number[]) => epochs.map(epoch => ({ epoch }))
const plan = { epochs: 3, stepsPerEpoch: 4, outcome: 'running' } as const

it('is all epochs at first, and falls with each one that was shorter', () => {
  expect(mostSteps({ ...plan, steps: [] })).toBe(12)
  expect(mostSteps({ ...plan, steps: steps(1, 1) })).toBe(12)
  expect(mostSteps({ ...plan, steps: steps(1, 1, 1, 1, 2, 2) })).toBe(12)
  expect(mostSteps({ ...plan, steps: steps(1, 1, 1, 1, 2, 2, 3) })).toBe(6 + 4)
})

it('is what was made once the run is over', () => {
  expect(mostSteps({ ...plan, steps: steps(1, 1, 1, 1, 2, 2, 3), outcome: 'finished' })).toBe(7)
  expect(mostSteps({ ...plan, steps: steps(1), outcome: 'finished' })).toBe(1)
})
