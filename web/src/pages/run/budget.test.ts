import { describe, expect, it } from 'vitest'
import type { StepView } from '../../../../src/core/view/run-view.js'
import { sampleLog } from '../../../../test/support/sample-run.js'
import { budgetSeries, plannedBudget } from './budget.js'

const [known] = sampleLog().view().steps
const step = (number: number, epoch: number, budget?: number): StepView => {
  if (known === undefined) throw new Error('no step')
  return { ...known, step: number, epoch, budget }
}
const config = (given: Readonly<Record<string, unknown>> = {}) => ({
  optimizer: {
    schedule: 'linear',
    learningRate: 6,
    minLearningRate: 2,
    control: 'fixed',
    mode: 'patch',
    ...given,
  },
})
const plan = { config: config(), epochs: 2, stepsPerEpoch: 2, steps: [], outcome: 'running' } as const

describe('the schedule of the budget', () => {
  it('is known for all steps before the first has begun', () => {
    expect(plannedBudget(plan)).toEqual([
      { x: 1, y: 5 },
      { x: 2, y: 4 },
      { x: 3, y: 3 },
      { x: 4, y: 2 },
    ])
  })

  it('is aligned to epochs: after a shorter one, the next starts at its usual position', () => {
    const steps = [step(1, 1, 5), step(2, 2, 3)]
    expect(plannedBudget({ ...plan, steps })).toEqual([
      { x: 1, y: 5 },
      { x: 2, y: 3 },
      { x: 3, y: 2 },
    ])
  })

  it('ends where the run did', () => {
    expect(plannedBudget({ ...plan, steps: [step(1, 1, 5)], outcome: 'finished' })).toEqual([{ x: 1, y: 5 }])
  })

  it('is empty without a budget, and for settings of another program', () => {
    for (const given of [{ control: 'none' }, { mode: 'full_rewrite_minibatch' }, { schedule: 'other' }])
      expect(plannedBudget({ ...plan, config: config(given) })).toEqual([])
    expect(plannedBudget({ ...plan, config: undefined })).toEqual([])
  })
})

describe('the budget beside its schedule', () => {
  const namesOf = (steps: readonly StepView[]) => budgetSeries({ ...plan, steps }).map(({ name }) => name)

  it('is drawn only if it differs', () => {
    expect(namesOf([step(1, 1, 5)])).toEqual(['schedule', 'selected', 'applied'])
    expect(namesOf([step(1, 1, 2)])).toEqual(['schedule', 'budget', 'selected', 'applied'])
  })

  it('comes with what was made of it', () => {
    const series = budgetSeries({ ...plan, steps: [step(1, 1, 5)] })
    expect(series.find(({ name }) => name === 'selected')?.points).toEqual([{ x: 1, y: 2 }])
    expect(series.find(({ name }) => name === 'applied')?.points).toEqual([{ x: 1, y: 1 }])
  })
})
