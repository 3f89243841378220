import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { fakeRun, scoredAttempt } from '../../test/fake-run.js'
import { type WorldOptions, worldRun, worldSetup } from '../../test/world.js'
import type { EventBody, EventType, RunEvent } from '../core/event.js'
import type { Model, Run, RunStore } from '../core/ports.js'
import { createView, foldEvent } from '../core/state.js'
import { createMemoryStore } from '../store/memory.js'
import type { Setup } from './setup.js'
import { speculating } from './speculate.js'
import { train } from './train.js'
import { prepareTraining } from './training.js'

const sizes = { train: 24, val: 10, test: 6 }
type TrainConfig = NonNullable<NonNullable<WorldOptions['config']>['train']>

/** Answers after a while that has nothing to do with the order of the requests, so that lanes fall idle. */
function withLatency(model: Model, onCall: (seed: number | undefined) => void): Model {
  return {
    ...model,
    async generate(request, signal) {
      onCall(request.seed)
      await new Promise(resolve => setTimeout(resolve, 1 + ((request.seed ?? 0) % 6)))
      return model.generate(request, signal)
    },
  }
}

async function setUp(speculate: boolean, worldSeed = 7, config: WorldOptions['config'] = {}) {
  const plain = await worldSetup({
    sizes,
    worldSeed,
    config: {
      reflect: { minibatchSize: 3 },
      evaluation: { test: ['best'] },
      ...config,
      train: { epochs: 2, batchSize: 6, speculate, ...config.train },
    },
  })
  const seeds: (number | undefined)[] = []
  const models = {
    target: withLatency(plain.models.target, seed => seeds.push(seed)),
    optimizer: withLatency(plain.models.optimizer, () => undefined),
  }
  return { setup: { ...plain, models } satisfies Setup, seeds }
}

async function trained(speculate: boolean, worldSeed?: number, config?: WorldOptions['config']) {
  const { setup, seeds } = await setUp(speculate, worldSeed, config)
  const { run, events, store } = worldRun(setup)
  const state = await train(run, setup)
  await run.idle()
  const view = events.reduce(foldEvent, createView())
  return { setup, state, events, store, view, calls: seeds.length, seeds }
}

const bodies = <T extends EventType>(events: readonly RunEvent[], type: T): EventBody<T>[] =>
  events.filter(event => event.type === type).map(event => event.body as EventBody<T>)

/** What must not depend on when calls were made. */
const results = (events: readonly RunEvent[]) => ({
  verdicts: bodies(events, 'gate.decided'),
  versions: bodies(events, 'skill.version').map(({ version, skill, because }) => [version, skill, because]),
  rollouts: bodies(events, 'rollout.finished'),
  patches: bodies(events, 'reflect.finished').map(({ step, patches }) => [step, patches]),
  tests: bodies(events, 'test.finished'),
})

/** The steps whose rollouts had a call before the step began. */
function stepsBegunAhead(events: readonly RunEvent[]): number[] {
  const ahead = new Set<number>()
  let now = 0
  for (const { type, body } of events) {
    if (type === 'step.started') now = body.step
    if (type === 'call.started' && body.stage === 'rollout' && body.step > now) ahead.add(body.step)
  }
  return [...ahead]
}

describe('speculation', () => {
  it.each([7, 11, 23])('gives the same skill by the same verdicts (world %i)', async worldSeed => {
    const plain = await trained(false, worldSeed)
    const ahead = await trained(true, worldSeed)
    expect(ahead.state.best.document.text).toBe(plain.state.best.document.text)
    expect(ahead.state.current.text).toBe(plain.state.current.text)
    expect(results(ahead.events)).toEqual(results(plain.events))
    expect(plain.view.speculation).toEqual({ calls: 0, wasted: 0, open: 0 })
    expect(ahead.view.speculation.calls).toBeGreaterThan(0)
    // Nothing is paid for twice, and beyond what training needs nothing but what is counted as wasted.
    expect(new Set(ahead.seeds).size).toBe(ahead.calls)
    expect(ahead.calls).toBe(plain.calls + ahead.view.speculation.wasted)
  })

  it('has both: rollouts that the next step finds, and some that were for nothing', async () => {
    const { view, events } = await trained(true)
    expect(view.speculation.wasted).toBeGreaterThan(0)
    expect(view.speculation.wasted).toBeLessThan(view.speculation.calls)
    expect(view.speculation.open).toBe(0)
    const skills = new Map(bodies(events, 'step.started').map(({ step, skill }) => [step, skill]))
    const attempts = bodies(events, 'attempt.finished').filter(({ stage }) => stage === 'rollout')
    const wasted = attempts.filter(({ step, skill }) => skills.get(step) !== skill)
    expect(wasted).toHaveLength(view.speculation.wasted)
    // What was for nothing was begun before the verdict.
    const outcomes = new Map(bodies(events, 'step.finished').map(({ step, outcome }) => [step, outcome]))
    expect(wasted.every(({ step }) => outcomes.get(step - 1) === 'accepted')).toBe(true)
  })

  it('goes together with a screen, several candidates and attribution', async () => {
    const config = {
      train: { batchSize: 12, epochs: 3 },
      optimizer: { attribution: 60, candidates: 2 },
      evaluation: { screen: 6, test: ['best' as const] },
    }
    const [plain, ahead] = [await trained(false, 7, config), await trained(true, 7, config)]
    expect(results(ahead.events)).toEqual(results(plain.events))
    expect(bodies(ahead.events, 'attribution.finished').length).toBeGreaterThan(0)
    expect(ahead.view.speculation.calls).toBeGreaterThan(0)
    expect(ahead.calls).toBe(plain.calls + ahead.view.speculation.wasted)
  })

  it('works with reused attempts', async () => {
    const config = { train: { reuse: 'reuse', epochs: 3 } } satisfies { train: TrainConfig }
    const [plain, ahead] = [await trained(false, 7, config), await trained(true, 7, config)]
    expect(results(ahead.events)).toEqual(results(plain.events))
    expect(ahead.view.speculation.calls).toBeGreaterThan(0)
    expect(ahead.calls).toBe(plain.calls + ahead.view.speculation.wasted)
  })

  it.each([
    ['the end of the first epoch, which has no slow update', {}, [5], [9]],
    ['every end of an epoch without slow updates', { slowUpdate: { enabled: false } }, [5, 9], []],
  ])('reaches over %s', async (_name, optimizer, reached, avoided) => {
    const { events } = await trained(true, 7, { train: { epochs: 3 }, optimizer })
    const ahead = stepsBegunAhead(events)
    expect(ahead).toEqual(expect.arrayContaining(reached))
    for (const step of avoided) expect(ahead).not.toContain(step)
  })

  it.each([
    ['a call cap', { limits: { maxCalls: 5000 } }],
    ['a time cap', { limits: { maxTime: 60 } }],
    ['a gate that accepts everything', { evaluation: { gate: 'always' } }],
  ])('is off under %s', async (_name, config) => {
    const { events, view } = await trained(true, 7, config)
    expect(stepsBegunAhead(events)).toEqual([])
    expect(view.speculation.calls).toBe(0)
  })

  it('does not begin a step that a rejection leaves out', async () => {
    const { events, view } = await trained(true, 7, { train: { patience: 1 } })
    expect(view.because).toBe('no accepted edit for 1 step')
    expect(stepsBegunAhead(events)).toEqual([])
  })

  it('asks for nothing when a run is read from its log', async () => {
    const { setup, store, state, calls, seeds } = await trained(true)
    const again = worldRun(setup, store)
    expect((await train(again.run, setup)).best).toEqual(state.best)
    await again.run.idle()
    expect(seeds).toHaveLength(calls)
    expect(again.events).toEqual([])
  })

  it('ends the same after dying at any event', async () => {
    const whole = await trained(true)
    const { setup, seeds } = await setUp(true)
    for (let death = 9; death < whole.store.length; death += Math.ceil(whole.store.length / 10)) {
      seeds.length = 0
      const store = createMemoryStore()
      const dying = worldRun(setup, dyingAt(store, death))
      await expect(train(dying.run, setup)).rejects.toThrow('killed')
      dying.stop.abort(new Error('killed'))
      await dying.run.idle()
      const again = worldRun(setup, store)
      expect((await train(again.run, setup)).best.document.text).toBe(whole.state.best.document.text)
      await again.run.idle()
      const all: RunEvent[] = []
      for await (const event of store.events()) all.push(event)
      expect(results(all)).toEqual(results(whole.events))
      // Only what was in flight at the kill, or just answered and not yet written.
      expect(seeds.length - new Set(seeds).size).toBeLessThanOrEqual(16)
      expect(all.reduce(foldEvent, createView()).speculation.open).toBe(0)
    }
  })
})

describe('a guess', () => {
  const place = { stage: 'gate', epoch: 1, step: 1 } as const
  const verdict = (action: EventBody<'gate.decided'>['action']): EventBody<'gate.decided'> => ({
    ...{ epoch: 1, step: 1, what: 'step', candidate: 'c', current: 0, score: 0, best: 0, action },
    verdict: { decision: 'reject', complete: true, reason: '' },
  })

  /** What was asked for ahead while `decide` went on, each with its signal. */
  async function guessesOf(
    decide: (run: Run, guesses: AbortSignal[]) => Promise<void>,
    interrupt = new AbortController(),
  ) {
    const guesses: AbortSignal[] = []
    const plain = fakeRun(() => scoredAttempt(plain, 'x', 1))
    const run: Run = {
      ...plain,
      signal: interrupt.signal,
      perform(effect, at, how) {
        interrupt.signal.throwIfAborted()
        if (how?.guess !== undefined) guesses.push(how.guess)
        return plain.perform(effect, at)
      },
    }
    const { setup } = await setUp(true)
    const ifRejected = [{ skill: setup.skill, outcome: 'rejected' as const, solved: new Map() }]
    const training = prepareTraining(run, setup)
    const next = training.plan.steps(1, [])[1]
    await speculating(training, ifRejected, next, 1, watched => decide(watched.run, guesses))
    await setImmediate()
    return guesses
  }
  const asking = (run: Run) =>
    run.perform({ kind: 'attempt', skill: 'c', task: { id: 'v' }, sample: 0, scope: '' }, place)

  it('is made once something is asked for, and given up with the verdict', async () => {
    const guesses = await guessesOf(async (run, soFar) => {
      await setImmediate()
      expect(soFar).toHaveLength(0)
      await asking(run)
      await asking(run)
      await setImmediate()
      expect(soFar).toHaveLength(6)
      expect(soFar.some(({ aborted }) => aborted)).toBe(false)
    })
    expect(guesses).toHaveLength(6)
    expect(guesses.every(({ aborted }) => aborted)).toBe(true)
  })

  it('is given up at once when a candidate is accepted, and not when one is rejected', async () => {
    await guessesOf(async (run, soFar) => {
      await asking(run)
      await setImmediate()
      await run.once('gate.decided', 'one', async () => verdict('reject'))
      expect(soFar.some(({ aborted }) => aborted)).toBe(false)
      await run.once('gate.decided', 'other', async () => verdict('accept'))
      expect(soFar.every(({ aborted }) => aborted)).toBe(true)
    })
  })

  it.each([
    [
      'the log has the acceptance',
      async (run: Run) => {
        await run.once('gate.decided', 'a', async () => verdict('accept'))
        await asking(run)
      },
    ],
    ['nothing is asked for', async () => undefined],
    ['the verdict is there at once', asking],
  ])('is not made where %s', async (_name, decide) => {
    const accepted = await guessesOf(async run => {
      await decide(run)
      if (decide !== asking) await setImmediate()
    })
    expect(accepted).toEqual([])
  })

  it('is not made in a run that was interrupted', async () => {
    const interrupt = new AbortController()
    const guesses = await guessesOf(async run => {
      await asking(run)
      interrupt.abort(new Error('Ctrl-C'))
      await setImmediate()
    }, interrupt)
    expect(guesses).toEqual([])
  })

  it('does not outlive a decision that fails', async () => {
    let seen: AbortSignal[] = []
    const deciding = guessesOf(async (run, soFar) => {
      seen = soFar
      await asking(run)
      await setImmediate()
      throw new Error('the disk is full')
    })
    await expect(deciding).rejects.toThrow('the disk is full')
    expect(seen).toHaveLength(6)
    expect(seen.every(({ aborted }) => aborted)).toBe(true)
  })
})

/** Lets the run die, as a killed process would, when it is about to write event number `limit`. */
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
