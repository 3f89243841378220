import { describe, expect, it } from 'vitest'
import { inProcessModel, worldRun, worldSetup } from '../../../test/world.js'
import type { ConfigInput } from '../../core/config/config.js'
import { PausedError } from '../../core/errors/errors.js'
import { type EventBody, type EventType, parseEvent, type RunEvent } from '../../core/log/event.js'
import { createMemoryStore } from '../../store/memory.js'
import { createGate as always } from '../gates/always.js'
import { withFloors } from '../gates/floors.js'
import { parseRows } from './evaluation.js'
import type { Setup } from './setup.js'
import { train } from './steps.js'

const bodies = <T extends EventType>(events: readonly RunEvent[], type: T): EventBody<T>[] =>
  events.filter(event => event.type === type).map(event => event.body as EventBody<T>)

const setupWith = (evaluation: ConfigInput['evaluation'], models: Partial<Setup['models']> = {}) =>
  worldSetup({
    sizes: { train: 12, val: 10, test: 6 },
    config: { train: { epochs: 2, batchSize: 6 }, reflect: { minibatchSize: 3 }, evaluation },
    models,
  })

const sparing = { metric: 'reward', reward: { accuracy: 1, tokens: 1, tokenScale: 1000 } } as const

describe('training for a reward', () => {
  it('scores by the reward of single attempts, everywhere', async () => {
    const setup = await setupWith(sparing)
    const { run, events, store } = worldRun(setup)
    await train(run, setup)
    for (const event of events) expect(parseEvent(JSON.parse(JSON.stringify(event)))).toBeDefined()
    const evaluations = bodies(events, 'evaluation.finished')
    expect(evaluations.length).toBeGreaterThan(2)
    for (const { rows, score, reward, tokens, hard } of evaluations) {
      const all = parseRows(await store.get(rows))
      const rewards = all.map(row => ((row.hard ?? 0) + Math.max(0, 1 - (row.tokens ?? 0) / 1000)) / 2)
      expect(all.map(row => row.reward)).toEqual(rewards.map(value => expect.closeTo(value, 12)))
      expect(score).toBeCloseTo(rewards.reduce((sum, value) => sum + value, 0) / all.length, 12)
      expect(reward).toBe(score)
      expect(tokens).toBeGreaterThan(50)
      expect(score).not.toBe(hard)
    }
    for (const { score, interval } of bodies(events, 'test.finished')) {
      expect(interval.mean).toBeCloseTo(score, 12)
      expect(interval.low).toBeLessThan(score)
    }
    // Time has no weight here, so it is in no result and results stay reproducible.
    expect(JSON.stringify(bodies(events, 'attempt.finished'))).not.toContain('"ms"')
    const decided = bodies(events, 'gate.decided')
    expect(decided.length).toBeGreaterThan(1)
    for (const { score, current } of decided) expect(Math.max(score, current)).toBeLessThanOrEqual(1)
  })

  it('resumes from its log with the same result', async () => {
    const setup = await setupWith(sparing)
    const store = createMemoryStore()
    const first = worldRun(setup, store)
    const { best } = await train(first.run, setup)
    const again = worldRun(setup, store)
    expect((await train(again.run, setup)).best).toEqual(best)
    expect(again.events).toEqual([])
  })

  it('pauses if the target reports no usage, and scores nothing', async () => {
    const target = inProcessModel('target')
    const silent = {
      ...target,
      generate: async (...given: Parameters<typeof target.generate>) => ({
        ...(await target.generate(...given)),
        usage: {},
      }),
    }
    for (const evaluation of [sparing, { floors: { tokens: 500 } }]) {
      const setup = await setupWith(evaluation, { target: silent })
      const { run, events } = worldRun(setup)
      const paused = await train(run, setup).catch((error: unknown) => error)
      expect(paused).toBeInstanceOf(PausedError)
      expect((paused as PausedError).message).toContain('reported no token usage')
      expect(bodies(events, 'attempt.finished')).toEqual([])
      await run.idle()
    }
    const setup = await setupWith({ metric: 'reward' }, { target: silent })
    await expect(train(worldRun(setup).run, setup)).resolves.toBeDefined()
  })
})

describe('training with a floor', () => {
  it('rejects candidates that cost more than allowed, and says so', async () => {
    const floors = { tokens: 1 }
    const setup = { ...(await setupWith({ gate: 'always', floors })), gate: withFloors(always, floors) }
    const { run, events } = worldRun(setup)
    await train(run, setup)
    const decided = bodies(events, 'gate.decided')
    expect(decided.length).toBeGreaterThan(0)
    // The seed is above the limit too, so only candidates that do not lengthen the skill can be accepted.
    const [seed, ...others] = bodies(events, 'evaluation.finished').filter(({ split }) => split === 'val')
    for (const { action, verdict, candidate } of decided) {
      const tokens = others.find(({ skill }) => skill === candidate)?.tokens ?? 0
      if (tokens <= (seed?.tokens ?? 0)) continue
      expect(action).toBe('reject')
      expect(verdict.reason).toMatch(/^Below a floor: [\d,]+ tokens per attempt, at most 1 allowed/)
    }
    expect(decided.some(({ action }) => action === 'reject')).toBe(true)
  })
})
