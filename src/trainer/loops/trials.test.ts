import { describe, expect, it } from 'vitest'
import { worldRun, worldSetup } from '../../../test/world.js'
import type { ConfigInput } from '../../core/config/config.js'
import type { RunEvent } from '../../core/log/event.js'
import type { GateFactory } from '../../core/ports/gate.js'
import type { RunStore } from '../../core/ports/store.js'
import { createMemoryStore } from '../../store/memory.js'
import { trainByTrials } from './trials.js'

const setupOf = (config: Omit<ConfigInput, 'models' | 'environment'> = {}) =>
  worldSetup({
    sizes: { train: 20, val: 12, test: 6 },
    config: {
      train: { loop: 'trials', epochs: 10 },
      // Decides on little evidence, so that a short run has verdicts.
      trials: { round: 10, accept: 0.5, ...config.trials },
      evaluation: { test: ['initial', 'best'] },
      optimizer: config.optimizer,
    },
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

async function eventsOf(store: RunStore): Promise<RunEvent[]> {
  const all: RunEvent[] = []
  for await (const event of store.events()) all.push(event)
  return all
}

/** The decisions of a training, in order. */
const verdicts = (events: readonly RunEvent[]) =>
  events.flatMap(({ type, body }) => (type === 'edit.decided' || type === 'gate.decided' ? [body] : []))

describe('training by trials', () => {
  it('tries edits, judges each, and ships nothing that the final test does not confirm', async () => {
    const setup = await setupOf()
    const { run, events } = worldRun(setup)
    const shipped = await trainByTrials(run, setup)
    const admitted = events.flatMap(({ type, body }) => (type === 'trials.admitted' ? body.edits : []))
    const decided = events.flatMap(({ type, body }) => (type === 'edit.decided' ? [body.edit] : []))
    expect(admitted.length).toBeGreaterThan(0)
    expect(decided.length).toBeGreaterThan(0)
    for (const edit of decided) expect(admitted.map(({ id }) => id)).toContain(edit)
    const final = events.find(({ type, body }) => type === 'gate.decided' && body.what === 'final')
    if (final === undefined) expect(shipped.text).toBe(setup.skill)
    expect(events.at(-1)?.type).toBe('run.finished')
  })

  it('asks no analyst after the last round, whose proposals nobody would try', async () => {
    const setup = await worldSetup({
      sizes: { train: 20, val: 12, test: 6 },
      config: { train: { loop: 'trials', epochs: 1 }, trials: { round: 10 }, evaluation: { test: [] } },
    })
    const asked: number[] = []
    const { run } = worldRun(setup)
    const perform: typeof run.perform = (effect, place) => {
      if (place.stage === 'reflect') asked.push(place.step)
      return run.perform(effect, place)
    }
    await trainByTrials({ ...run, perform }, setup)
    expect(new Set(asked)).toEqual(new Set([1]))
  })

  it('runs the final test at its own level, and checkpoints at that of the gate', async () => {
    const setup = await setupOf({ trials: { finalAlpha: 0.2, checkpoint: 1 } })
    const levels = { checkpoint: new Set<number>(), final: new Set<number>() }
    const recording =
      (gate: GateFactory, which: keyof typeof levels): GateFactory =>
      context => {
        levels[which].add(context.settings.falseAccepts)
        return gate(context)
      }
    const gates = {
      gate: recording(setup.gate, 'checkpoint'),
      finalGate: recording(setup.finalGate, 'final'),
    }
    await trainByTrials(worldRun(setup).run, { ...setup, ...gates })
    expect(levels).toEqual({ checkpoint: new Set([0.05]), final: new Set([0.2]) })
  })

  it('tests the seed while training runs, so that no lane is idle', async () => {
    const setup = await setupOf()
    const { run, events } = worldRun(setup)
    await trainByTrials(run, setup)
    const tested = events.findIndex(({ type, body }) => type === 'test.finished' && body.which === 'initial')
    const lastRound = events.findLastIndex(({ type }) => type === 'step.finished')
    expect(tested).toBeGreaterThan(0)
    expect(tested).toBeLessThan(lastRound)
  })

  it.each([
    ['with the defaults', {}],
    [
      'with slow update, meta skill and a least gain',
      {
        optimizer: { slowUpdate: { enabled: true, samples: 4 }, metaSkill: true },
        trials: { leastGain: 0.001 },
      },
    ],
    ['with a classification of tasks', { trials: { classify: 'always' as const } }],
  ])(
    'ends the same after dying at any event, without paying twice, %s',
    async (_, config) => {
      const setup = await setupOf(config)
      const whole = worldRun(setup)
      const expected = await trainByTrials(whole.run, setup)
      const calls = whole.events.filter(({ type }) => type === 'call.finished').length
      for (let death = 9; death < whole.store.length; death += Math.ceil(whole.store.length / 4)) {
        const store = createMemoryStore()
        const dying = worldRun(setup, dyingAt(store, death))
        await expect(trainByTrials(dying.run, setup)).rejects.toThrow('killed')
        dying.stop.abort(new Error('killed'))
        await dying.run.idle()
        const again = worldRun(setup, store)
        expect((await trainByTrials(again.run, setup)).text).toBe(expected.text)
        const all = await eventsOf(store)
        expect(verdicts(all)).toEqual(verdicts(whole.events))
        expect(all.filter(({ type }) => type === 'call.finished')).toHaveLength(calls)
      }
    },
    120_000,
  )
})
