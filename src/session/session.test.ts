import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { worldSetup } from '../../test/world.js'
import { WorldFailure } from '../core/errors/errors.js'
import type { Model } from '../core/ports/model.js'
import type { AttemptEffect, Run } from '../core/ports/run.js'
import { readMessage } from '../core/task/messages.js'
import type { Task } from '../core/task/task.js'
import { inTestOrder } from '../core/view/test-results.js'
import { readRun } from '../store/read-run.js'
import type { Setup } from '../trainer/loops/setup.js'
import { train } from '../trainer/loops/steps.js'
import { inSession, type SessionOptions } from './session.js'

const base = await mkdtemp(join(tmpdir(), 'skillopt-session-'))
afterAll(() => rm(base, { recursive: true }))
let cache = ''
let number = 0
beforeEach(() => {
  number += 1
  cache = join(base, `cache-${number}`)
})

const newDirectory = () => join(base, `run-${++number}`)
const options = (directory: string): SessionOptions => ({
  directory,
  identity: { kind: 'eval', name: 'test', sources: {}, epochs: 0, stepsPerEpoch: 0 },
  onNotice: text => {
    throw new Error(`nobody expected: ${text}`)
  },
})

/** One task; the target answers with its call count, so that each answer identifies its call. */
async function oneTask(): Promise<{ setup: Setup; asked: () => number }> {
  const setup = await worldSetup({ sizes: { train: 4, val: 1, test: 4 } })
  let asked = 0
  const target: Model = {
    ...setup.models.target,
    parameters: { temperature: 0, effort: 'low', endpoint: 'http://one.example/v1' },
    generate: async () => {
      asked += 1
      return { text: `answer ${asked} ${'long '.repeat(500)}`, stop: 'stop', usage: { input: 1, output: 1 } }
    },
  }
  return { setup: { ...setup, cache, models: { ...setup.models, target } }, asked: () => asked }
}

const place = { stage: 'test', epoch: 0, step: 0 } as const
const effectOf = ({ skill, tasks }: Setup): AttemptEffect => {
  const [task] = tasks.val
  if (task === undefined) throw new Error('There is no task.')
  return { kind: 'attempt', skill, task, sample: 0, scope: '' }
}

async function perform(setup: Setup, effect = effectOf(setup), directory = newDirectory()) {
  const result = await inSession(setup, options(directory), run => run.perform(effect, place))
  return { ...result, directory }
}

/** Everything that an attempt depends on: each of these changes must cause a new attempt. */
const changes: Record<string, (setup: Setup) => { setup: Setup; effect?: Partial<AttemptEffect> }> = {
  temperature: setup => ({ setup: withParameters(setup, { temperature: 0.1 }) }),
  effort: setup => ({ setup: withParameters(setup, { effort: 'high' }) }),
  endpoint: setup => ({ setup: withParameters(setup, { endpoint: 'http://two.example/v1' }) }),
  'a further parameter': setup => ({ setup: withParameters(setup, { seed: true }) }),
  model: setup => ({
    setup: {
      ...setup,
      models: { ...setup.models, target: { ...setup.models.target, id: 'simulated/other' } },
    },
  }),
  judge: setup => ({
    setup: {
      ...setup,
      config: { ...setup.config, models: { ...setup.config.models, judge: 'simulated/judge' } },
      models: { ...setup.models, judge: setup.models.optimizer },
    },
  }),
  'the task under the same id': setup => ({
    setup,
    effect: { task: { ...effectOf(setup).task, question: 'Another one?' } as Task },
  }),
  'the id of the task': setup => ({ setup, effect: { task: { ...effectOf(setup).task, id: 'other' } } }),
  skill: setup => ({ setup, effect: { skill: `${setup.skill}\n` } }),
  sample: setup => ({ setup, effect: { sample: 1 } }),
  'scope, which asks for a sample of its own': setup => ({ setup, effect: { scope: 'step 1.0' } }),
  'scorer option': setup => {
    const environment = { ...setup.config.environment, scorer: { name: 'exact', ignoreCase: false } }
    return { setup: { ...setup, config: { ...setup.config, environment } } }
  },
  instructions: setup => {
    const environment = { ...setup.config.environment, instructions: 'Be brief.' }
    return { setup: { ...setup, config: { ...setup.config, environment } } }
  },
  environment: setup => ({ setup: { ...setup, environment: { ...setup.environment, id: 'other' } } }),
  'file of the scorer': setup => ({
    setup: { ...setup, environment: { ...setup.environment, fingerprints: { scorer: 'changed' } } },
  }),
  'code of the environment': setup => ({ setup: { ...setup, fingerprints: { environment: 'changed' } } }),
  'code of the provider': setup => ({
    setup: { ...setup, fingerprints: { 'provider of the target': 'changed' } },
  }),
  harness: setup => ({ setup: { ...setup, harness: { ...setup.harness, id: 'other' } } }),
  sandbox: setup => ({ setup: { ...setup, sandbox: { ...setup.sandbox, id: 'other' } } }),
}

function withParameters(setup: Setup, parameters: Record<string, unknown>): Setup {
  const { target } = setup.models
  const changed = { ...target, parameters: { ...target.parameters, ...parameters } }
  return { ...setup, models: { ...setup.models, target: changed } }
}

describe('runs that share a cache', () => {
  it('reuse an evaluation for free, and keep it when the cache and the other run are deleted', async () => {
    const { setup, asked } = await oneTask()
    const first = await perform(setup)
    const second = await perform(setup)
    expect(asked()).toBe(1)
    expect(second.value?.outcome).toEqual(first.value?.outcome)
    expect(second.view).toMatchObject({
      attempts: { scored: 1, cached: 1 },
      spending: { total: { calls: 0, cost: 0 } },
    })
    expect(first.view.attempts.cached).toBe(0)

    await rm(cache, { recursive: true })
    await rm(first.directory, { recursive: true })
    const reader = await readRun(second.directory)
    const messages = await Promise.all(
      (second.value?.messages ?? []).map(stored => readMessage(stored, reader.get)),
    )
    expect(messages[0]?.text).toContain(setup.skill)
    expect(messages.at(-1)?.text).toMatch(/^answer 1 long long/)
    const resumed = await perform({ ...setup, cache: undefined }, effectOf(setup), second.directory)
    expect(resumed.value?.outcome).toEqual(first.value?.outcome)
    expect(asked()).toBe(1)
  })

  it.each(Object.entries(changes))('try anew what differs in: %s', async (_name, change) => {
    const { setup, asked } = await oneTask()
    await perform(setup)
    const changed = change(setup)
    const again = await perform(changed.setup, { ...effectOf(setup), ...changed.effect })
    expect(asked()).toBe(2)
    expect(again.view.attempts).toEqual({ scored: 1, failed: 0, cached: 0 })
    // The first attempt is still cached and unchanged.
    expect((await perform(setup)).value?.messages.length).toBeGreaterThan(0)
    expect(asked()).toBe(2)
  })

  it('may differ in the optimizer, other splits and the gate', async () => {
    const { setup, asked } = await oneTask()
    await perform({ ...setup, fingerprints: { train: 'a', prompts: 'a', gate: 'a', skill: 'a' } })
    const fingerprints = { train: 'b', prompts: 'b', gate: 'b', skill: 'b', 'provider of the optimizer': 'b' }
    await perform({
      ...setup,
      fingerprints,
      config: { ...setup.config, train: { ...setup.config.train, seed: 7 } },
    })
    expect(asked()).toBe(1)
  })

  it('do not share rollouts, which have a scope', async () => {
    const { setup, asked } = await oneTask()
    const effect = { ...effectOf(setup), scope: 'step 1.0' }
    await perform(setup, effect)
    await perform(setup, effect)
    expect(asked()).toBe(2)
    expect(await readdir(cache)).toEqual(['CACHEDIR.TAG'])
  })

  it('do not share an external failure', async () => {
    const { setup, asked } = await oneTask()
    const failing: Model = {
      ...setup.models.target,
      generate: () => Promise.reject(new WorldFailure('rejected', 'no', { retryable: false })),
    }
    const failed = await perform({ ...setup, models: { ...setup.models, target: failing } })
    expect(failed.view.attempts).toEqual({ scored: 0, failed: 1, cached: 0 })
    expect((await perform(setup)).view.attempts).toEqual({ scored: 1, failed: 0, cached: 0 })
    expect(asked()).toBe(1)
  })

  it('do not pay twice for a training’s evaluations, and end the same', async () => {
    const calls: string[] = []
    const setup = await worldSetup({
      sizes: { train: 12, val: 8, test: 6 },
      config: { train: { epochs: 2, batchSize: 6 } },
    })
    const once = async (work: (run: Run) => Promise<unknown>) => {
      const directory = newDirectory()
      const result = await inSession(
        { ...setup, cache },
        {
          ...options(directory),
          onEvent: event => {
            if (event.type === 'call.finished' && event.body.role === 'target') calls.push(event.body.stage)
          },
        },
        work,
      )
      return result.view
    }
    const first = await once(run => train(run, setup))
    expect(calls).toContain('test')
    calls.length = 0
    const second = await once(run => train(run, setup))
    expect(new Set(calls)).toEqual(new Set(['rollout', 'slow-update']))
    expect(second.best).toEqual(first.best)
    // Tests use idle capacity, so the order in which they end is random.
    expect(inTestOrder(second.tests)).toEqual(inTestOrder(first.tests))
    expect(second.attempts.cached).toBeGreaterThan(8)
  })
})

it('waits for calls in flight, so that every paid reply is in the log', async () => {
  const { setup, asked } = await oneTask()
  const { target } = setup.models
  const slow: Model = {
    ...target,
    async generate(request, signal) {
      const reply = await target.generate(request, signal)
      await new Promise(resolve => setTimeout(resolve, 20))
      return reply
    },
  }
  const { view } = await inSession(
    { ...setup, models: { ...setup.models, target: slow } },
    options(newDirectory()),
    async run => {
      void run.perform(effectOf(setup), place)
      await expect.poll(asked, { interval: 1 }).toBe(1)
    },
  )
  expect(view.spending.total.calls).toBe(1)
  expect(view.callsInFlight).toBe(0)
})
