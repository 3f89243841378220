import { describe, expect, it } from 'vitest'
import { inProcessModel, worldRun, worldSetup } from '../../../test/world.js'
import type { RunEvent } from '../../core/log/event.js'
import type { Model } from '../../core/ports/model.js'
import type { RunStore } from '../../core/ports/store.js'
import { createMemoryStore } from '../../store/memory.js'
import { train } from './steps.js'

const sizes = { train: 12, val: 6, test: 4 }

/** An optimizer that never proposes anything, so the skill never changes. */
const silent: Model = {
  ...inProcessModel('optimizer'),
  generate: async () => ({
    text: JSON.stringify({ reasoning: 'none', failure_summary: [], patch: { reasoning: 'none', edits: [] } }),
    stop: 'stop',
    usage: { input: 1, output: 1 },
  }),
}

const setupWith = (reuse: 'resample' | 'reuse', models: { optimizer?: Model } = {}) =>
  worldSetup({
    sizes,
    config: { train: { epochs: 3, batchSize: 5, reuse }, reflect: { minibatchSize: 5 } },
    models,
  })

/** The train tasks attempted in steps, each with the skill. */
const rollouts = (events: readonly RunEvent[]) =>
  events.flatMap(({ type, body }) =>
    type === 'attempt.finished' && body.stage === 'rollout' ? [`${body.task} ${body.skill}`] : [],
  )

const outcomes = (events: readonly RunEvent[]) =>
  events.flatMap(({ type, body }) =>
    type === 'gate.decided' ? [`${body.step} ${body.candidate} ${body.action}`] : [],
  )

describe('train.reuse', () => {
  it('resample runs a task again in every epoch', async () => {
    const setup = await setupWith('resample', { optimizer: silent })
    const { run, events } = worldRun(setup)
    await train(run, setup)
    expect(rollouts(events)).toHaveLength(3 * sizes.train)
  })

  it('reuse runs a task once while the skill is unchanged, and every step still sees its whole batch', async () => {
    const setup = await setupWith('reuse', { optimizer: silent })
    const { run, events } = worldRun(setup)
    await train(run, setup)
    expect(rollouts(events)).toHaveLength(sizes.train)
    const seen = events.flatMap(({ type, body }) => (type === 'rollout.finished' ? [body.scored] : []))
    expect(seen).toEqual([5, 5, 2, 5, 5, 2, 5, 5, 2])
  })

  it('reuse runs a task again once the skill has changed', async () => {
    const setup = await setupWith('reuse')
    const { run, events } = worldRun(setup)
    await train(run, setup)
    const tried = rollouts(events)
    expect(new Set(tried).size).toBe(tried.length)
    expect(tried.length).toBeGreaterThan(sizes.train)
    const skills = new Set(tried.map(attempt => attempt.split(' ').at(-1)))
    expect(skills.size).toBeGreaterThan(1)
  })

  it('reaches the same result after a kill at any event', async () => {
    const setup = await setupWith('reuse')
    const whole = worldRun(setup)
    const expected = await train(whole.run, setup)
    for (let death = 5; death < whole.store.length; death += Math.ceil(whole.store.length / 8)) {
      const store = createMemoryStore()
      const dying = worldRun(setup, dyingAt(store, death))
      await expect(train(dying.run, setup)).rejects.toThrow('killed')
      dying.stop.abort(new Error('killed'))
      await dying.run.idle()
      const again = worldRun(setup, store)
      expect((await train(again.run, setup)).best.document.text).toBe(expected.best.document.text)
      const all: RunEvent[] = []
      for await (const event of store.events()) all.push(event)
      expect(outcomes(all)).toEqual(outcomes(whole.events))
      expect(rollouts(all).sort()).toEqual(rollouts(whole.events).sort())
    }
  })
})

function dyingAt(store: RunStore, limit: number): RunStore {
  return {
    ...store,
    get length() {
      return store.length
    },
    async append(event) {
      if (store.length >= limit) throw new Error('killed')
      await store.append(event)
    },
  }
}
