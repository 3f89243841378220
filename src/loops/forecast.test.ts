import { expect, it } from 'vitest'
import { inProcessModel, worldRun, worldSetup } from '../../test/world.js'
import { createView, foldEvent, type RunView } from '../core/state.js'
import { forecast, forecastBaseline, type Range } from './forecast.js'
import { train } from './train.js'

it('counts the votes of a judge on every attempt, at the price of the judge', async () => {
  const setup = await worldSetup()
  const without = await forecast(setup)
  expect(without.rows.map(({ role }) => role)).not.toContain('judge')

  const judge = { ...inProcessModel('target'), price: { input: 10, output: 10 } }
  const judged = {
    ...setup,
    environment: { ...setup.environment, scoring: { judgeCalls: 3 } },
    models: { ...setup.models, judge },
  }
  const withJudge = await forecast(judged)
  const row = withJudge.rows.find(({ role }) => role === 'judge')
  const attempts = without.rows.filter(({ role }) => role === 'target')
  const sum = (end: keyof Range) => attempts.reduce((total, { calls }) => total + calls[end], 0)
  expect(row?.calls).toEqual({ low: 3 * sum('low'), likely: 3 * sum('likely'), high: 3 * sum('high') })
  expect(row?.cost?.low).toBeCloseTo(((row?.tokens.low ?? 0) * 10) / 1e6)
  expect(withJudge.total.calls.low).toBe(without.total.calls.low + 3 * sum('low'))

  const baseline = await forecastBaseline(judged, { examples: undefined, untested: 1 })
  expect(baseline.rows.map(({ role }) => role)).toEqual(['target', 'judge'])
})

const rowOf = async (config: Parameters<typeof worldSetup>[0], stage: string) => {
  const { rows } = await forecast(await worldSetup(config))
  return rows.find(row => row.stage === stage)
}

it('knows that training may end early, at the low end', async () => {
  const world = (more: object) => ({ config: { train: { epochs: 4, batchSize: 10, ...more } } })
  const all = { low: 160, likely: 160, high: 160 }
  expect((await rowOf(world({}), 'rollout'))?.calls).toEqual(all)
  expect((await rowOf(world({ patience: 3 }), 'rollout'))?.calls).toEqual({ ...all, low: 30, likely: 60 })
  expect((await rowOf(world({ stopWhenSolved: true }), 'rollout'))?.calls).toEqual({ ...all, low: 40 })
  expect((await rowOf(world({ patience: 99 }), 'rollout'))?.calls).toEqual(all)
  // With an end in the first epoch there is no slow update.
  expect((await rowOf(world({ patience: 3 }), 'slow update'))?.calls.low).toBe(0)
})

it('knows what speculation may waste: a batch for every step that follows a verdict', async () => {
  const ahead = (more: object) =>
    rowOf({ config: { ...more, train: { epochs: 4, batchSize: 10, speculate: true } } }, 'speculation')
  // 16 steps; after the slow updates of epochs 2 and 3 nothing is guessed.
  expect((await ahead({}))?.calls).toEqual({ low: 0, likely: 0, high: 130 })
  expect((await ahead({ optimizer: { slowUpdate: { enabled: false } } }))?.calls.high).toBe(150)
  expect(await ahead({ limits: { maxCost: 1 } })).toBeUndefined()
  expect(await rowOf({}, 'speculation')).toBeUndefined()
})

it('counts a candidate per step, whole where the gate does not stop early', async () => {
  const gate = (evaluation: object) => rowOf({ config: { evaluation } }, 'gate')
  // The seed, 2 steps of 20 tasks in 2 epochs, and one guidance, on 30 tasks each.
  expect((await gate({ earlyStop: false }))?.calls).toEqual({ low: 30, likely: 30 * 6, high: 30 * 6 })
  expect((await gate({ earlyStop: true }))?.calls.likely).toBeLessThan(30 * 6)
})

it('counts what a screen and further candidates may take', async () => {
  const config = (more: object) => ({ config: { ...more } })
  expect(await rowOf(config({}), 'screen')).toBeUndefined()
  // 4 steps.
  const screened = await rowOf(config({ evaluation: { screen: 24 } }), 'screen')
  expect(screened?.calls).toEqual({ low: 0, likely: 4 * 12, high: 4 * 24 })
  const several = { optimizer: { candidates: 3 }, evaluation: { screen: 24, earlyStop: false } }
  expect((await rowOf(config(several), 'screen'))?.calls.high).toBe(3 * 4 * 24)
  expect((await rowOf(config(several), 'gate'))?.calls.high).toBe(30 * (1 + 3 * 4 + 1))
  const rewriting = { optimizer: { candidates: 3, mode: 'rewrite_from_suggestions' } }
  expect((await rowOf(config(rewriting), 'rewrite'))?.calls).toEqual({ low: 0, likely: 8, high: 12 })
})

it('reads no successes where only failures count', async () => {
  const reflect = (failureOnly: boolean) =>
    rowOf({ config: { reflect: { minibatchSize: 5, failureOnly } } }, 'reflect')
  expect((await reflect(false))?.calls.low).toBeGreaterThan((await reflect(true))?.calls.low ?? 99)
})

it('has no cost where a price is unknown, and none of it in the sum', async () => {
  const setup = await worldSetup()
  const target = { ...setup.models.target, price: undefined }
  const { rows, total } = await forecast({ ...setup, models: { ...setup.models, target } })
  expect(total.cost).toBeUndefined()
  expect(rows.find(({ role }) => role === 'optimizer')?.cost).toBeDefined()
})

it('is within a quarter of what a run takes, once another run was measured', {
  timeout: 60_000,
}, async () => {
  const priced = async (worldSeed: number) => {
    const setup = await worldSetup({
      worldSeed,
      config: { train: { epochs: 3, batchSize: 20 }, evaluation: { earlyStop: false } },
    })
    const { target, optimizer } = setup.models
    return {
      ...setup,
      models: {
        target: { ...target, price: { input: 1, output: 4 } },
        optimizer: { ...optimizer, price: { input: 5, output: 20 } },
      },
    }
  }
  const made = async (worldSeed: number): Promise<RunView> => {
    const setup = await priced(worldSeed)
    const { run, events } = worldRun(setup)
    await train(run, setup)
    return events.reduce(foldEvent, createView())
  }
  const { run, spending } = await made(1)
  const measured = { run, spending, callsPerAttempt: 1 }
  for (const worldSeed of [2, 3]) {
    const { total } = await forecast(await priced(worldSeed), measured)
    const actual = (await made(worldSeed)).spending.total
    const near = (guess: number, real: number) => Math.abs(guess / real - 1)
    expect(near(total.cost?.likely ?? 0, actual.cost)).toBeLessThan(0.25)
    expect(near(total.tokens.likely, actual.input + actual.output)).toBeLessThan(0.25)
    expect(actual.cost).toBeLessThan(total.cost?.high ?? 0)
    expect(actual.cost).toBeGreaterThan(total.cost?.low ?? 0)
  }
})

it('counts what attribution may take: nothing at the least, its limit at every step at the most', async () => {
  const attribution = (most: number) => rowOf({ config: { optimizer: { attribution: most } } }, 'attribution')
  expect(await attribution(0)).toBeUndefined()
  // 4 steps of 20 tasks.
  expect((await attribution(100))?.calls).toEqual({ low: 0, likely: 100, high: 400 })
  const setup = await worldSetup({ config: { optimizer: { attribution: 100 } } })
  const { run, events } = worldRun(setup)
  await train(run, setup)
  const { stages } = events.reduce(foldEvent, createView()).spending
  expect(stages.attribution?.calls).toBeGreaterThan(0)
  expect(stages.attribution?.calls).toBeLessThanOrEqual(400)
})
