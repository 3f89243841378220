import { describe, expect, it } from 'vitest'
import { inProcessModel, worldRun, worldSetup } from '../../../test/world.js'
import { WorldFailure } from '../../core/errors/errors.js'
import { type EventBody, type EventType, parseEvent, type RunEvent } from '../../core/log/event.js'
import type { Model } from '../../core/ports/model.js'
import type { RunStore } from '../../core/ports/store.js'
import { lineOrigins } from '../../core/skill/document.js'
import { createMemoryStore } from '../../store/memory.js'
import type { CarriedMemory } from '../stages/memory.js'
import { train } from './steps.js'

const bodies = <T extends EventType>(events: readonly RunEvent[], type: T): EventBody<T>[] =>
  events.filter(event => event.type === type).map(event => event.body as EventBody<T>)

const verdicts = (events: readonly RunEvent[]) =>
  bodies(events, 'gate.decided').map(
    ({ what, step, candidate, action }) => `${what} ${step} ${candidate} ${action}`,
  )

/** The same model, answering after delays unrelated to the order of requests. */
function withJitter(model: Model): Model {
  let number = 0
  return {
    ...model,
    async generate(request, signal) {
      number += 1
      await new Promise(resolve => setTimeout(resolve, (number * 7919) % 12))
      return model.generate(request, signal)
    },
  }
}

/** Makes the run die, like a killed process, when it is about to write event number `limit`. */
function dyingStore(store: RunStore, limit: number): RunStore {
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

describe('training', () => {
  it('improves the skill on unseen tasks, and every line can be traced', async () => {
    const setup = await worldSetup({
      config: { train: { epochs: 3, batchSize: 20 }, reflect: { minibatchSize: 5 } },
    })
    const { run, events } = worldRun(setup)
    const state = await train(run, setup)

    const tests = Object.fromEntries(bodies(events, 'test.finished').map(test => [test.which, test.hard]))
    expect(tests.best).toBeGreaterThan((tests.initial ?? 1) + 0.15)

    const edits = new Set(
      bodies(events, 'select.finished').flatMap(({ edits }) => edits.map(edit => edit.id)),
    )
    const known = (origin: string) =>
      origin === 'seed' || origin.startsWith('slow-update:') || edits.has(origin)
    const lines = lineOrigins(state.best.document)
    expect(lines.length).toBeGreaterThan(5)
    for (const { origins } of lines) {
      expect(origins.length).toBeGreaterThan(0)
      expect(origins.every(known)).toBe(true)
    }
    const proposals = bodies(events, 'select.finished').flatMap(({ edits }) => edits)
    expect(proposals.every(edit => edit.tasks.length > 0 && edit.support > 0)).toBe(true)
  })

  it('writes only events that match the schema', async () => {
    const setup = await worldSetup()
    const { run, events } = worldRun(setup)
    await train(run, setup)
    for (const event of events)
      expect(parseEvent(JSON.parse(JSON.stringify(event)))).toMatchObject({ type: event.type })
  })

  it('reaches the same result in any order of replies', async () => {
    const plain = await worldSetup()
    const first = worldRun(plain)
    const expected = await train(first.run, plain)
    const { target, optimizer } = plain.models
    const jittery = { ...plain, models: { target: withJitter(target), optimizer: withJitter(optimizer) } }
    const second = worldRun(jittery)
    expect((await train(second.run, jittery)).best.document.text).toBe(expected.best.document.text)
    expect(verdicts(second.events)).toEqual(verdicts(first.events))
  })

  it('reaches the same result after a kill at any event and pays again only for calls in flight', async () => {
    const calls = new Map<string, number>()
    const counting = (model: Model): Model => ({
      ...model,
      async generate(request, signal) {
        const key = `${model.id} ${request.seed}`
        calls.set(key, (calls.get(key) ?? 0) + 1)
        return model.generate(request, signal)
      },
    })
    const plain = await worldSetup({
      sizes: { train: 20, val: 12, test: 12 },
      config: { train: { epochs: 2, batchSize: 10 } },
    })
    const whole = worldRun(plain)
    const expected = await train(whole.run, plain)
    const setup = {
      ...plain,
      models: { target: counting(plain.models.target), optimizer: counting(plain.models.optimizer) },
    }

    for (let death = 5; death < whole.store.length; death += Math.ceil(whole.store.length / 12)) {
      calls.clear()
      const store = createMemoryStore()
      const dying = worldRun(setup, dyingStore(store, death))
      await expect(train(dying.run, setup)).rejects.toThrow('killed')
      dying.stop.abort(new Error('killed'))
      await dying.run.idle()
      const again = worldRun(setup, store)
      expect((await train(again.run, setup)).best.document.text).toBe(expected.best.document.text)
      const twice = [...calls.values()].filter(count => count > 1).length
      expect(twice).toBeLessThanOrEqual(16)
      const all: RunEvent[] = []
      for await (const event of store.events()) all.push(event)
      expect(verdicts(all)).toEqual(verdicts(whole.events))
      const keyed = all
        .filter(event => event.key !== undefined && !event.type.startsWith('call.'))
        .map(event => event.key)
      expect(new Set(keyed).size).toBe(keyed.length)
    }
  })

  it('never lets a forced slow update inherit a score', async () => {
    const setup = await worldSetup({
      config: { train: { epochs: 3, batchSize: 20 }, optimizer: { slowUpdate: { accept: 'force' } } },
    })
    const { run, events } = worldRun(setup)
    await train(run, setup)
    const forced = bodies(events, 'skill.version').filter(version => version.because.includes('forced'))
    expect(forced.length).toBeGreaterThan(0)
    for (const version of forced) expect(version.score).toBeUndefined()
    const evaluated = new Set(
      bodies(events, 'evaluation.finished').map(({ skill, split }) => `${split} ${skill}`),
    )
    for (const best of bodies(events, 'best.changed')) expect(evaluated.has(`val ${best.skill}`)).toBe(true)
  })

  it('reports unusable optimizer replies as a failure, not as nothing to learn', async () => {
    const setup = await worldSetup()
    const nonsense: Model = {
      ...setup.models.optimizer,
      generate: async () => ({ text: 'I would rather not.', stop: 'stop', usage: {} }),
    }
    const broken = { ...setup, models: { ...setup.models, optimizer: nonsense } }
    const { run, events } = worldRun(broken)
    await train(run, broken)
    expect(bodies(events, 'optimizer.failed').length).toBeGreaterThan(0)
    expect(new Set(bodies(events, 'step.finished').map(({ outcome }) => outcome))).toEqual(
      new Set(['optimizer-failed']),
    )
  })

  it('abstains on external failures of one side, and does not count them against the edit', async () => {
    const setup = await worldSetup({ config: { train: { epochs: 1, batchSize: 10 } } })
    const seed = setup.skill
    const failing: Model = {
      ...setup.models.target,
      async generate(request, signal) {
        const system = request.messages[0]?.text ?? ''
        const isCandidate = system.includes('## Skill') && !system.trim().endsWith(seed.trim())
        if (isCandidate && (request.seed ?? 0) % 6 === 0) {
          throw new WorldFailure('server', 'overloaded', { retryable: false })
        }
        return setup.models.target.generate(request, signal)
      },
    }
    const broken = { ...setup, models: { ...setup.models, target: failing } }
    const { run, events } = worldRun(broken)
    await train(run, broken)
    const decided = bodies(events, 'gate.decided')
    expect(decided.length).toBeGreaterThan(0)
    expect(new Set(decided.map(({ action }) => action))).toEqual(new Set(['abstain']))
    expect(bodies(events, 'attempt.failed').length).toBeGreaterThan(0)
    const prompts = await Promise.all(
      bodies(events, 'call.finished')
        .filter(call => call.stage === 'reflect')
        .map(call => run.get(call.messages[1]?.blob ?? '')),
    )
    expect(prompts.some(prompt => prompt.includes('rejected ('))).toBe(false)
  })

  it.each(['autonomous', 'none'] as const)('trains with %s control of the edit budget', async control => {
    const setup = await worldSetup({
      config: { train: { epochs: 2, batchSize: 20 }, optimizer: { control } },
    })
    const { run, events } = worldRun(setup)
    await train(run, setup)
    const decided = new Map(bodies(events, 'rate.decided').map(({ step, budget }) => [step, budget]))
    expect(decided.size > 0).toBe(control === 'autonomous')
    for (const { step, edits, dropped, budget } of bodies(events, 'select.finished')) {
      expect(budget).toBe(decided.get(step) ?? edits.length + dropped.length)
      expect(edits.length).toBeLessThanOrEqual(budget)
    }
    expect(bodies(events, 'gate.decided').some(({ action }) => action === 'accept_new_best')).toBe(true)
  })

  it('accumulates gradients over several batches of one step', async () => {
    const setup = await worldSetup({ config: { train: { epochs: 1, batchSize: 10, accumulation: 2 } } })
    const { run, events } = worldRun(setup)
    await train(run, setup)
    expect(bodies(events, 'step.started').map(({ tasks }) => tasks.length)).toEqual([20, 20])
    expect(bodies(events, 'rollout.finished').map(({ step, round }) => `${step}.${round}`)).toEqual([
      '1.0',
      '1.1',
      '2.0',
      '2.1',
    ])
  })

  it('trains part of a document: the agent reads the whole, and the part stays valid inside it', async () => {
    const prompts: string[] = []
    const asked = (role: 'target' | 'optimizer'): Model => {
      const model = inProcessModel(role)
      return {
        ...model,
        generate(request, signal) {
          prompts.push(`${role}: ${request.messages.map(({ text }) => text).join('\n')}`)
          return model.generate(request, signal)
        },
      }
    }
    const of = (role: string) => prompts.filter(text => text.startsWith(role))
    const setup = await worldSetup({
      config: { train: { epochs: 1, batchSize: 20 } },
      models: { target: asked('target'), optimizer: asked('optimizer') },
    })
    const limit = { note: () => '', objection: () => 'It holds no more.' }
    const frame = {
      fill: (part: string) => `[before]\n${part}\n[after]`,
      around: '[what is said already]',
      limit,
    }
    const framed = { ...setup, frame, limit }
    const { run, events } = worldRun(framed)
    const { current } = await train(run, framed)
    expect(of('target').length).toBeGreaterThan(20)
    for (const text of of('target')) expect(text).toMatch(/\[before\]\n[\s\S]*\n\[after\]/)
    const analysts = of('optimizer').filter(text => /failure_summary|success_patterns/.test(text))
    expect(analysts.length).toBeGreaterThan(0)
    for (const text of analysts) expect(text).toContain('[what is said already]')
    expect(current.text).toBe(setup.skill)
    expect(new Set(bodies(events, 'skill.version').map(({ skill }) => skill)).size).toBe(1)
  })

  it('follows earlier runs: analysts see their rejected edits, and the first epoch ends with a slow update', async () => {
    const prompts: string[] = []
    const model = inProcessModel('optimizer')
    const optimizer: Model = {
      ...model,
      generate(request, signal) {
        prompts.push(request.messages.map(({ text }) => text).join('\n'))
        return model.generate(request, signal)
      },
    }
    const setup = await worldSetup({ config: { train: { epochs: 1, batchSize: 20 } }, models: { optimizer } })
    const edit = { op: 'append' as const, content: '- A rule that failed.', id: 'e1', support: 1, tasks: [] }
    const carried: CarriedMemory = {
      steps: [
        {
          step: 3,
          when: 'night 6',
          outcome: 'rejected',
          patterns: [],
          before: 0.5,
          after: 0.4,
          edits: [{ ...edit, from: 'failure' }],
        },
      ],
      metaSkill: 'Short rules are kept.',
      previous: '# As it was before the last night\n',
    }
    const { run, events } = worldRun(setup)
    await train(run, { ...setup, carried })
    const analysts = prompts.filter(text => text.includes('failure_summary'))
    expect(analysts.length).toBeGreaterThan(0)
    for (const text of analysts) {
      expect(text).toMatch(/night 6[\s\S]*A rule that failed\./)
      expect(text).toContain('Short rules are kept.')
    }
    expect(bodies(events, 'slow-update.finished')).toHaveLength(1)

    const alone = worldRun(setup)
    await train(alone.run, setup)
    expect(bodies(alone.events, 'slow-update.finished')).toEqual([])
  })
})
