import { expect, it } from 'vitest'
import { alike, made, offBy, presetSetup } from '../../../test/support/preset-setup.js'
import { inProcessModel, worldSetup } from '../../../test/world.js'
import { probe } from '../loops/step-probe.js'
import { forecast, forecastBaseline, forecastProbe, type Range } from './forecast.js'
import { historyOf } from './history.js'

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

/** The settings that the figures below assume: no reuse, all tasks, no early end. */
const plain = { reuse: 'resample', patience: 0, stopWhenSolved: false } as const
const strict = { gate: 'strict', earlyStop: false } as const
const plainly = ({ train = {}, evaluation = {}, ...more }: { train?: object; evaluation?: object } = {}) => ({
  config: {
    ...more,
    train: { epochs: 2, batchSize: 20, ...plain, ...train },
    evaluation: { ...strict, ...evaluation },
  },
})

it('accounts for an early end of training', async () => {
  const world = (train: object) => plainly({ train: { epochs: 4, batchSize: 10, ...train } })
  const all = { low: 160, likely: 160, high: 160 }
  expect((await rowOf(world({}), 'rollout'))?.calls).toEqual(all)
  const impatient = await rowOf(world({ patience: 3 }), 'rollout')
  expect(impatient?.calls).toMatchObject({ low: 30, high: 160 })
  expect(impatient?.calls.likely).toBeGreaterThan(30)
  expect(impatient?.calls.likely).toBeLessThan(160)
  expect((await rowOf(world({ stopWhenSolved: true }), 'rollout'))?.calls).toEqual({ ...all, low: 40 })
  expect((await rowOf(world({ patience: 99 }), 'rollout'))?.calls).toEqual(all)
  // If training ends in the first epoch, there is no slow update.
  expect((await rowOf(world({ patience: 3 }), 'slow update'))?.calls.low).toBe(0)
})

it('does not count attempts that are reused', async () => {
  const calls = async (reuse: string) => (await rowOf(plainly({ train: { reuse } }), 'rollout'))?.calls
  expect(await calls('resample')).toEqual({ low: 80, likely: 80, high: 80 })
  const reused = await calls('reuse')
  expect(reused).toMatchObject({ low: 40, high: 80 })
  expect(reused?.likely).toBeLessThan(80)
})

it('counts every attempt at a task, and analysts that read two of them', async () => {
  const rows = async (samples: number) => {
    const world = plainly({ train: { samples } })
    const row = async (stage: string) => await rowOf(world, stage)
    return { rollout: await row('rollout'), reflect: await row('reflect') }
  }
  const [once, thrice] = [await rows(1), await rows(3)]
  expect(thrice.rollout?.calls).toEqual({ low: 240, likely: 240, high: 240 })
  expect(thrice.reflect?.calls).toEqual(once.reflect?.calls)
  expect(thrice.reflect?.tokens.low).toBe(once.reflect?.tokens.low)
  expect(thrice.reflect?.tokens.high).toBeGreaterThan(once.reflect?.tokens.high ?? 0)
  const probed = async (samples: number) =>
    (await forecastProbe(await worldSetup(plainly({ train: { samples } })))).rows[0]?.calls.high
  expect(await probed(3)).toBe(3 * ((await probed(1)) ?? 0))
})

it("counts the user’s preferences in the optimizer's input", async () => {
  const wish = { reflect: { minibatchSize: 5, preferences: 'Answer in one short sentence. '.repeat(20) } }
  const row = (more: object) => rowOf({ config: { ...plainly().config, ...more } }, 'reflect')
  const [plainRow, told] = [await row({ reflect: { minibatchSize: 5 } }), await row(wish)]
  expect(told?.calls).toEqual(plainRow?.calls)
  expect(told?.tokens.low).toBeGreaterThan(plainRow?.tokens.low ?? 0)
})

it('counts a split for every candidate, and part of one if the gate stops early', async () => {
  const gate = async (evaluation: object) => (await rowOf(plainly({ evaluation }), 'gate'))?.calls
  // The seed, 2 steps of 20 tasks in 2 epochs, and one guidance, on 30 tasks each; some steps propose
  // nothing.
  const whole = await gate({})
  expect(whole).toMatchObject({ low: 30, high: 30 * 6 })
  expect(whole?.likely).toBeGreaterThan(30 * 5)
  const early = await gate({ earlyStop: true })
  const guarded = await gate({ gate: 'guarded' })
  expect(early?.likely).toBeLessThan(whole?.likely ?? 0)
  expect(guarded?.likely).toBeLessThan(early?.likely ?? 0)
  // The guarded gate may rerun a few tasks before it decides.
  expect(guarded?.high).toBe(30 + 5 * (30 + 24))
})

it('counts a rewrite for every step that proposes something', async () => {
  const optimizer = { mode: 'rewrite_from_suggestions' as const }
  const rewriting = { config: { ...plainly().config, optimizer } }
  expect((await rowOf(rewriting, 'rewrite'))?.calls).toMatchObject({ low: 0, high: 4 })
})

it('reads failures and successes separately, and no successes with failureOnly', async () => {
  const reflect = async (failureOnly: boolean) =>
    (await rowOf({ config: { ...plainly().config, reflect: { minibatchSize: 5, failureOnly } } }, 'reflect'))
      ?.calls
  // 4 steps of 20: four full minibatches if there are 0, 5, 10, 15 or 20 failures, otherwise five.
  expect(await reflect(false)).toEqual({ low: 16, likely: Math.round(4 * 4.8), high: 20 })
  expect((await reflect(true))?.low).toBe(0)
})

it('tests the same text once', async () => {
  const test = async (which: ('none' | 'initial' | 'best' | 'last')[]) =>
    (await rowOf(plainly({ evaluation: { test: which } }), 'test'))?.calls
  const all = await test(['none', 'initial', 'best', 'last'])
  expect(all).toMatchObject({ low: 80, high: 160 })
  expect(all?.likely).toBeGreaterThan(110)
  expect(all?.likely).toBeLessThanOrEqual(120)
  expect((await test(['best', 'last']))?.likely).toBe(40)
})

it('has no cost if a price is unknown, and leaves it out of the sum', async () => {
  const setup = await worldSetup()
  const target = { ...setup.models.target, price: undefined }
  const { rows, total } = await forecast({ ...setup, models: { ...setup.models, target } })
  expect(total.cost).toBeUndefined()
  expect(rows.find(({ role }) => role === 'optimizer')?.cost).toBeDefined()
})

it('reports what is a guess, and guesses less after a probe', async () => {
  const setup = await presetSetup('paper', 2)
  const actual = (await made(setup)).spending.total.cost
  const first = await forecast(setup)
  expect(first).toMatchObject({ guessesLengths: true, measured: [] })
  expect(first.assumptions.join()).toContain('optimizer replies: about 700 tokens')
  const view = await made(setup, probe)
  const probed = await forecast(setup, historyOf([{ view, comparable: alike }]))
  expect(probed.guessesLengths).toBe(false)
  expect(probed.measured.join()).toContain('tokens per call of the target and the optimizer')
  expect(probed.assumptions.join()).not.toContain('replies')
  for (const { total } of [first, probed]) {
    expect(actual).toBeGreaterThan(total.cost?.low ?? 0)
    expect(actual).toBeLessThan(total.cost?.high ?? 0)
  }
  expect(offBy(probed.total.cost?.likely ?? 0, actual)).toBeLessThan(0.5)
  expect(offBy(first.total.cost?.likely ?? 0, actual)).toBeGreaterThan(1)
  // The forecast gives an upper bound in advance.
  const most = (await forecastProbe(setup)).total
  expect(view.spending.total.calls).toBeLessThanOrEqual(most.calls.high)
  expect(view.spending.total.cost).toBeLessThan(most.cost?.likely ?? 0)
  // With only the target measured, the optimizer's lengths remain a guess.
  const target = await forecast(setup, historyOf([{ view, comparable: { ...alike, optimizer: false } }]))
  expect(target.guessesLengths).toBe(true)
  expect(target.assumptions.join()).not.toContain('target replies')
  expect(historyOf([])).toBeUndefined()
})

it('counts a multi-turn attempt as several calls, and reports their number as a guess', async () => {
  const setup = await worldSetup()
  const single = await forecast(setup)
  const { open } = setup.environment
  const environment = {
    ...setup.environment,
    open: async (...given: Parameters<typeof open>) => ({ ...(await open(...given)), turnLimit: 16 }),
  }
  const several = await forecast({ ...setup, environment })
  const attempts = ({ rows }: typeof single) =>
    rows.filter(({ role }) => role === 'target').map(({ calls }) => calls)
  expect(attempts(several)).toEqual(
    attempts(single).map(({ low, likely, high }) => ({
      low,
      likely: expect.closeTo(4 * likely, -1),
      high: 16 * high,
    })),
  )
  expect(several.assumptions).toContain('an attempt takes 4 calls, at most 16')
  expect(single.assumptions.join()).not.toContain('an attempt takes')
})

it('counts an agent’s attempt as one call of unknown length, and says so', async () => {
  const setup = await worldSetup()
  const agent = { title: 'Codex', version: '1', ownTokens: 0, isBounded: true, warnings: [] }
  const models = { ...setup.models, target: { ...setup.models.target, agent } }
  const [plain, ours] = [await forecast(setup), await forecast({ ...setup, models })]
  const rollout = (given: typeof plain) => given.rows.find(({ stage }) => stage === 'rollout')
  expect(rollout(ours)?.calls).toEqual(rollout(plain)?.calls)
  expect(rollout(ours)?.tokens.high).toBeGreaterThan(100 * (rollout(plain)?.tokens.high ?? 0))
  expect(ours.assumptions).toContain(
    'about 60,000 tokens per attempt of Codex (10,000–500,000); run `skillopt try` once to measure',
  )
})
