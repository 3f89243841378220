import { describe, expect, it } from 'vitest'
import { inProcessModel, worldRun, worldSetup } from '../../test/world.js'
import type { EventBody, EventType, RunEvent } from '../core/event.js'
import type { Model, RunStore } from '../core/ports.js'
import { skillHash } from '../core/skill.js'
import { usualCharacter } from '../simulated/character.js'
import { createMemoryStore } from '../store/memory.js'
import type { Setup } from './setup.js'
import { train } from './train.js'

const bodies = <T extends EventType>(events: readonly RunEvent[], type: T): EventBody<T>[] =>
  events.filter(event => event.type === type).map(event => event.body as EventBody<T>)

async function trained(setup: Setup, store?: RunStore) {
  const { run, events } = worldRun(setup, store)
  return { state: await train(run, setup), events }
}

/** What was decided, in the order of the log. */
const verdicts = (events: readonly RunEvent[]) =>
  events.flatMap(event => {
    if (event.type === 'screen.finished') return [`screen ${event.body.candidate} ${event.body.verdict}`]
    if (event.type === 'gate.decided') return [`gate ${event.body.candidate} ${event.body.action}`]
    if (event.type !== 'step.finished') return []
    const { step, outcome, untried = [] } = event.body
    return [`step ${step} ${outcome}, not tried: ${untried.join(' ')}`]
  })

/** An optimizer that does damage in every step. */
const harmful = inProcessModel('optimizer', undefined, { ...usualCharacter, harm: 1 })

const screening = (more: object = {}) =>
  worldSetup({
    models: { optimizer: harmful },
    config: {
      train: { epochs: 3, batchSize: 20 },
      reflect: { minibatchSize: 5 },
      evaluation: { screen: 24 },
      ...more,
    },
  })

/** With a target that is at a loss under every skill but the seed. */
async function hopeless(more: object = {}): Promise<Setup> {
  const setup = await screening(more)
  const { target } = setup.models
  const seed = setup.skill.trim()
  const lost: Model = {
    ...target,
    async generate(request, signal) {
      const reply = await target.generate(request, signal)
      const isSeed = request.messages[0]?.text.trim().endsWith(seed)
      return isSeed ? reply : { ...reply, text: '<answer>no idea</answer>' }
    },
  }
  return { ...setup, models: { ...setup.models, target: lost } }
}

describe('a training with a screen', { timeout: 60_000 }, () => {
  it('keeps clear losers from the gate, and counts them as rejected', async () => {
    const { events } = await trained(await hopeless())
    const screens = bodies(events, 'screen.finished')
    const killed = screens.filter(({ verdict }) => verdict === 'killed')
    expect(killed.length).toBeGreaterThan(3)
    const gated = new Set(bodies(events, 'gate.decided').map(({ step, candidate }) => `${step} ${candidate}`))
    const outcomes = new Map(bodies(events, 'step.finished').map(({ step, outcome }) => [step, outcome]))
    for (const { step, candidate, verdict } of screens) {
      expect(gated.has(`${step} ${candidate}`)).toBe(verdict === 'passed')
      expect(outcomes.get(step)).toBe('rejected')
    }
    expect(screens.every(({ tried }) => tried.length <= 24)).toBe(true)
  })

  it('ends for lack of progress when everything is screened out', async () => {
    const { events } = await trained(await hopeless({ train: { epochs: 9, batchSize: 20, patience: 4 } }))
    expect(bodies(events, 'run.finished')).toMatchObject([{ because: 'no accepted edit for 4 steps' }])
  })

  it('accepts only what the gate accepts', async () => {
    const { events } = await trained(await screening())
    const accepted = bodies(events, 'gate.decided').filter(({ action }) => action.startsWith('accept'))
    const steps = bodies(events, 'step.finished').filter(({ outcome }) => outcome === 'accepted')
    expect(steps.length).toBeGreaterThan(0)
    for (const { step } of steps)
      expect(accepted.some(verdict => verdict.what === 'step' && verdict.step === step)).toBe(true)
  })

  it('pays for no attempt on validation twice', async () => {
    const setup = await screening({ evaluation: { screen: 24, earlyStop: false } })
    const { events } = await trained(setup)
    const val = new Set(setup.tasks.val.map(({ id }) => id))
    const made = bodies(events, 'attempt.finished')
    const screened = made.filter(({ stage, task }) => stage === 'screen' && val.has(task))
    expect(screened.length).toBeGreaterThan(0)
    const pairs = made.filter(({ task }) => val.has(task)).map(({ skill, task }) => `${skill} ${task}`)
    expect(new Set(pairs).size).toBe(pairs.length)
  })

  it('tells later steps what was screened out, as rejected', async () => {
    const setup = await hopeless({ train: { epochs: 1, batchSize: 8 } })
    const { run, events } = worldRun(setup)
    await train(run, setup)
    const [killed] = bodies(events, 'screen.finished').filter(({ verdict }) => verdict === 'killed')
    const later = events.find(
      ({ type, body }) =>
        type === 'call.finished' && body.stage === 'reflect' && body.step > (killed?.step ?? 99),
    )
    const message = (later?.body as EventBody<'call.finished'> | undefined)?.messages[1]
    const text = message?.blob === undefined ? message?.text : await run.get(message.blob)
    expect(text).toContain(`- step ${killed?.step} rejected: `)
  })
})

describe('a training with several candidates', { timeout: 60_000 }, () => {
  const several = (more: object = {}) =>
    screening({ optimizer: { candidates: 3, learningRate: 1, minLearningRate: 1 }, evaluation: {}, ...more })

  it('makes them of the next edits of the ranking, each from the same skill', async () => {
    const { events } = await trained(await several())
    const selections = bodies(events, 'select.finished')
    for (const { step, dropped } of selections) {
      const further = bodies(events, 'update.finished').filter(
        update => update.step === step && update.candidate !== undefined,
      )
      expect(further.map(({ from }) => from)).toEqual(dropped.slice(0, 2).map(id => [id]))
      expect(further.map(({ candidate }) => candidate)).toEqual([2, 3].slice(0, further.length))
    }
    expect(selections.some(({ dropped }) => dropped.length > 1)).toBe(true)
  })

  it('goes through them until one is accepted, and says which were not tried', async () => {
    const { events } = await trained(await several())
    const updates = bodies(events, 'update.finished')
    const decided = bodies(events, 'gate.decided').filter(({ what }) => what === 'step')
    const steps = bodies(events, 'step.finished')
    const triedFurther = decided.filter(verdict =>
      updates.some(
        ({ step, skill, candidate }) => step === verdict.step && skill === verdict.candidate && candidate,
      ),
    )
    expect(triedFurther.length).toBeGreaterThan(0)
    expect(steps.some(({ untried = [] }) => untried.length > 0)).toBe(true)
    for (const { step, outcome, untried = [] } of steps) {
      const own = decided.filter(verdict => verdict.step === step)
      const accepted = own.findIndex(({ action }) => action.startsWith('accept'))
      expect(accepted === -1 || accepted === own.length - 1).toBe(true)
      expect(outcome === 'accepted').toBe(accepted !== -1)
      if (outcome !== 'accepted') expect(untried).toEqual([])
      expect(untried.some(hash => own.some(({ candidate }) => candidate === hash))).toBe(false)
    }
  })

  it('lets the screen say who comes first', async () => {
    const { events } = await trained(await several({ evaluation: { screen: 16 } }))
    const lead = new Map(
      bodies(events, 'screen.finished').map(({ step, candidate, tried }) => [
        `${step} ${candidate}`,
        Math.round(
          (1e6 * tried.reduce((sum, { before, after = 0 }) => sum + after - before, 0)) / tried.length,
        ),
      ]),
    )
    const decided = bodies(events, 'gate.decided').filter(({ what }) => what === 'step')
    const steps = new Set(decided.map(({ step }) => step))
    for (const step of steps) {
      const leads = decided
        .filter(verdict => verdict.step === step)
        .map(({ candidate }) => lead.get(`${step} ${candidate}`) ?? 99e6)
      expect(leads).toEqual(leads.toSorted((one, other) => other - one))
    }
    expect(decided.length).toBeGreaterThan(steps.size)
  })

  it('is the same as ever with one', async () => {
    const one = await trained(await screening({ evaluation: {} }))
    const explicit = await trained(await screening({ evaluation: {}, optimizer: { candidates: 1 } }))
    expect(verdicts(explicit.events)).toEqual(verdicts(one.events))
    expect(bodies(one.events, 'update.finished').every(({ candidate }) => candidate === undefined)).toBe(true)
  })
})

describe('a race that was stopped on the way', { timeout: 120_000 }, () => {
  it('ends the same wherever it was stopped', async () => {
    const setup = await worldSetup({
      sizes: { train: 16, val: 16, test: 4 },
      models: { optimizer: harmful },
      config: {
        train: { epochs: 2, batchSize: 8 },
        reflect: { minibatchSize: 4 },
        optimizer: { candidates: 2, learningRate: 1, minLearningRate: 1, slowUpdate: { enabled: false } },
        evaluation: { screen: 16, test: [] },
      },
    })
    const whole = createMemoryStore()
    const expected = await trained(setup, whole)
    expect(bodies(expected.events, 'screen.finished').length).toBeGreaterThan(3)
    // All around the decisions, and now and then elsewhere.
    const stops = expected.events.flatMap(({ seq, type }) =>
      ['screen.finished', 'gate.decided', 'update.finished', 'step.finished'].includes(type)
        ? [seq, seq + 1]
        : [],
    )
    for (const limit of [...stops, ...[7, 31, 77, 130]]) {
      const store = createMemoryStore()
      const dying: RunStore = {
        ...store,
        get length() {
          return store.length
        },
        async append(event) {
          if (store.length >= limit) throw new Error('killed')
          await store.append(event)
        },
      }
      const first = worldRun(setup, dying)
      await expect(train(first.run, setup)).rejects.toThrow('killed')
      first.stop.abort(new Error('killed'))
      await first.run.idle()
      const { state } = await trained(setup, store)
      expect(skillHash(state.best.document.text)).toBe(skillHash(expected.state.best.document.text))
      const all: RunEvent[] = []
      for await (const event of store.events()) all.push(event)
      expect(verdicts(all).toSorted()).toEqual(verdicts(expected.events).toSorted())
    }
  })
})
