import { describe, expect, it } from 'vitest'
import { worldEnvironment, worldRun, worldSetup } from '../../../test/world.js'
import { WorldFailure } from '../../core/errors/errors.js'
import type { Environment } from '../../core/ports/environment.js'
import type { Model } from '../../core/ports/model.js'
import { createView, foldEvent } from '../../core/view/fold.js'
import { createMemoryStore } from '../../store/memory.js'
import { createGate as paired } from '../gates/paired.js'
import { createGate as strict } from '../gates/strict.js'
import { checkGates, type GateCheckPlan } from './gate-accept-rate.js'
import type { Setup } from './setup.js'

const settings = { earlyStop: true, falseAccepts: 0.05, smallestGain: 0.05 }
const gates = [
  { name: 'reference', create: strict, settings: { ...settings, earlyStop: false } },
  { name: 'strict', create: strict, settings },
  { name: 'paired', create: paired, settings },
]
const tasks = Array.from({ length: 16 }, (_, index) => ({
  id: `t${index}`,
  question: `Is ${index} even?`,
  answer: 'yes',
}))

/** A target that answers yes if `says` returns true for the question's number and the call's seed. */
function targetThat(says: (number: number, seed: number) => boolean) {
  const calls = { count: 0 }
  const model: Model = {
    id: 'coin/target',
    parameters: {},
    maxOutputTokens: 10,
    price: { input: 0, output: 0 },
    async generate({ messages, seed = 0 }) {
      calls.count += 1
      const number = Number(/Is (\d+) even/.exec(JSON.stringify(messages))?.[1])
      const text = `<answer>${says(number, seed) ? 'yes' : 'no'}</answer>`
      return { text, stop: 'stop', usage: { input: 1, output: 1 } }
    },
  }
  return { model, calls }
}
const coin = () => targetThat((_, seed) => seed % 2 === 0)

async function setupWith(target: Model, isLost: (task: string) => boolean = () => false): Promise<Setup> {
  const setup = await worldSetup({ models: { target } })
  const world = worldEnvironment({ val: tasks }) as unknown as Environment
  const environment: Environment = {
    ...world,
    async score(task, trajectory, context) {
      if (isLost(task.id)) throw new WorldFailure('judge', 'The judge is away.', { retryable: false })
      return world.score(task, trajectory, context)
    },
  }
  return { ...setup, tasks: { train: [], val: tasks, test: [] }, environment }
}

function check(setup: Setup, plan: Partial<GateCheckPlan> = {}, store = createMemoryStore()) {
  const { run, events, stop } = worldRun(setup, store)
  const whole = { skill: setup.skill, tasks, samples: 4, gates, ...plan }
  const findings = checkGates({ run, concurrency: 2, score: ({ hard }) => hard }, whole)
  return { findings, events, stop, store }
}

describe('checking gates', () => {
  it('finds no noise and no false accepts with a deterministic target', async () => {
    const { model, calls } = targetThat(number => number % 4 !== 0)
    const { findings, events } = check(await setupWith(model), { gain: 0.2 })
    const found = await findings
    expect(calls.count).toBe(64)
    expect(found).toMatchObject({ tasks: 16, samples: 4, scored: 64, failed: 0 })
    expect(found.noise).toMatchObject({ score: 0.75, unsteady: 0, deviation: 0, disagreement: { mean: 0 } })
    expect(found.repeats).toEqual([0.75, 0.75, 0.75, 0.75])
    expect(found.gates.map(({ gate, accepted }) => [gate, accepted])).toEqual([
      ['reference', 0],
      ['strict', 0],
      ['paired', 0],
    ])
    expect(found.gain).toMatchObject({ gain: 0.2, room: 0.25, repeats: 1 })
    expect(found.gain?.gates.find(({ gate }) => gate === 'strict')?.accepted).toBe(1)
    const stages = events.reduce(foldEvent, createView()).stages
    expect(stages).toMatchObject([{ stage: 'gate', total: 64, done: 64, finished: true }])
  })

  it('detects a target that answers at random', async () => {
    const { model } = coin()
    const found = await check(await setupWith(model)).findings
    const { noise } = found
    expect(noise.disagreement.mean).toBeGreaterThan(0.4)
    expect(noise.deviation).toBeCloseTo(Math.sqrt(0.25 / 16), 1)
    const accepted = Object.fromEntries(found.gates.map(gate => [gate.gate, gate.accepted]))
    expect(accepted.strict).toBeGreaterThan(0.38)
    expect(accepted.strict).toBeLessThan(0.48)
    expect(accepted.reference).toBe(accepted.strict)
    // The nominal 5%, plus the sampling error of 2,000 decisions.
    expect(accepted.paired).toBeLessThan(0.06)
    expect(found.gain).toBeUndefined()
  })

  it('resumes after an interruption without paying twice, and pays only for additional samples', async () => {
    const { model, calls } = coin()
    let stopAt = 20
    const setup = await setupWith({
      ...model,
      generate(request, signal) {
        if (calls.count === stopAt) first.stop.abort(new Error('enough'))
        return model.generate(request, signal)
      },
    })
    const first = check(setup, { gates: [] })
    await expect(first.findings).rejects.toThrow('interrupted')
    stopAt = -1
    // Calls in flight at the stop got no reply; there are two lanes.
    const before = calls.count
    expect(before).toBeLessThanOrEqual(22)
    const whole = await check(setup, { gates: [] }, first.store).findings
    expect(calls.count - before).toBeLessThanOrEqual(64 - 20)
    const paid = calls.count
    expect(await check(setup, { gates: [] }, first.store).findings).toEqual(whole)
    expect(calls.count).toBe(paid)
    await check(setup, { gates: [], samples: 5 }, first.store).findings
    expect(calls.count).toBe(paid + 16)
  })

  it('can be stopped while it simulates decisions', async () => {
    const { model } = coin()
    const checking = check(await setupWith(model), {
      onMeasured: () => checking.stop.abort(new Error('enough')),
    })
    await expect(checking.findings).rejects.toThrow('enough')
  })

  it('counts external failures separately and retries them', async () => {
    let broken = true
    const { model } = targetThat(number => number % 2 === 0)
    const setup = await setupWith(model, task => broken && (task === 't0' || task === 't1'))
    const first = check(setup, { gates: gates.slice(0, 1) })
    const found = await first.findings
    expect(found).toMatchObject({ tasks: 14, scored: 56, failed: 8, noise: { score: 0.5, unsteady: 0 } })
    expect(found.repeats).toEqual([0.5, 0.5, 0.5, 0.5])
    broken = false
    const again = await check(setup, { gates: gates.slice(0, 1) }, first.store).findings
    expect(again).toMatchObject({ tasks: 16, scored: 64, failed: 0 })
  })

  it('reports when external failures leave nothing to compare', async () => {
    const all = await setupWith(coin().model, () => true)
    await expect(check(all).findings).rejects.toThrow('0 of 64 attempts were scored')
    let scored = 0
    const allButOne = await setupWith(coin().model, () => {
      scored += 1
      return scored > 1
    })
    await expect(check(allButOne).findings).rejects.toThrow('No task was scored twice')
  })

  it('has no figures for a gain above the headroom', async () => {
    const { model } = targetThat(number => number !== 3)
    const found = await check(await setupWith(model), { gain: 0.1, gates: gates.slice(0, 1) }).findings
    expect(found.gain).toMatchObject({ gates: [], room: 1 / 16 })
  })
})
