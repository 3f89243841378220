import { describe, expect, it } from 'vitest'
import { configSchema } from '../../../core/config/config.js'
import type { FinishedStep } from './finished-steps.js'
import { planTraining } from './step-plan.js'

const tasks = Array.from({ length: 20 }, (_, index) => ({ id: `t${index}` }))
const planOf = (train: object) =>
  planTraining(
    configSchema.parse({
      train: { epochs: 3, batchSize: 6, focus: 0.25, ...train },
      optimizer: { learningRate: 9, minLearningRate: 1, schedule: 'linear' },
      environment: {},
      models: { target: 'simulated/target', optimizer: 'simulated/optimizer' },
    }),
    tasks,
  )
const took = (skill: string, solved: Readonly<Record<string, boolean>>): FinishedStep => ({
  skill,
  outcome: 'rejected',
  solved: new Map(Object.entries(solved)),
})
const idsOf = (steps: ReturnType<ReturnType<typeof planOf>['steps']>) =>
  steps.map(({ batches }) => batches.map(batch => batch.map(({ id }) => id)))
const all = (value: (index: number) => boolean) =>
  Object.fromEntries(tasks.map(({ id }, index) => [id, value(index)]))

describe('an epoch', () => {
  it('runs every task once, in batches of the configured size, in a new order each time', () => {
    const plan = planOf({})
    const first = plan.steps(1, [])
    expect(first.map(({ step }) => step)).toEqual([1, 2, 3, 4])
    expect(idsOf(first).map(([batch]) => batch?.length)).toEqual([6, 6, 6, 2])
    expect(new Set(idsOf(first).flat(2))).toEqual(new Set(tasks.map(({ id }) => id)))
    const failed = [
      took(
        'seed',
        all(() => false),
      ),
    ]
    expect(idsOf(plan.steps(2, failed)).flat(2)).not.toEqual(idsOf(first).flat(2))
    expect(plan.steps(2, failed).map(({ step }) => step)).toEqual([2, 3, 4, 5])
  })

  it('leaves out most tasks that were solved last time, and divides the rest evenly', () => {
    const before = [
      took(
        'seed',
        all(index => index < 12),
      ),
    ]
    const second = planOf({}).steps(2, before)
    const tried = idsOf(second).flat(2)
    expect(tasks.slice(12).every(({ id }) => tried.includes(id))).toBe(true)
    expect(tried).toHaveLength(8 + 3)
    expect(idsOf(second).map(([batch]) => batch?.length)).toEqual([6, 5])
    expect(idsOf(planOf({ focus: 0 }).steps(2, before)).flat(2)).toHaveLength(8)
    expect(idsOf(planOf({ focus: 1 }).steps(2, before)).map(([batch]) => batch?.length)).toEqual([6, 6, 6, 2])
  })

  it('uses the latest result of a task, under any skill', () => {
    const before = [
      took(
        'seed',
        all(() => true),
      ),
      took('better', { t3: false }),
      took('better', { t4: false }),
    ]
    const healed = [...before, took('best', { t4: true })]
    expect(new Set(idsOf(planOf({ focus: 0 }).steps(2, before)).flat(2))).toEqual(new Set(['t3', 't4']))
    expect(idsOf(planOf({ focus: 0 }).steps(2, healed)).flat(2)).toEqual(['t3'])
  })

  it('runs all tasks again if none failed, to confirm that nothing is left', () => {
    const solved = [
      took(
        'seed',
        all(() => true),
      ),
    ]
    expect(idsOf(planOf({ focus: 0 }).steps(2, solved)).flat(2)).toHaveLength(20)
  })

  it('has the edit budget of its epoch, however few steps came before', () => {
    const [first] = planOf({}).steps(3, [
      took(
        'seed',
        all(index => index < 12),
      ),
    ])
    const [nominal] = planOf({ focus: 1 }).steps(
      3,
      Array.from({ length: 8 }, () => took('seed', {})),
    )
    expect(first?.budget).toBe(nominal?.budget)
    expect(first?.step).toBe(2)
  })

  it('puts several batches into a step with accumulation', () => {
    const [one, two, ...more] = idsOf(planOf({ accumulation: 2 }).steps(1, []))
    expect([one?.map(({ length }) => length), two?.map(({ length }) => length), more]).toEqual([
      [6, 6],
      [6, 2],
      [],
    ])
  })
})
