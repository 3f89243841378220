import { describe, expect, it } from 'vitest'
import { inProcessModel, worldRun, worldSetup } from '../../test/world.js'
import { lineOrigins } from '../core/document.js'
import type { EventBody, EventType, RunEvent } from '../core/event.js'
import { meanOf, missingFrom, pairsIn, scoredPairs } from '../core/metric.js'
import type { GateFactory, RunStore } from '../core/ports.js'
import { skillHash } from '../core/skill.js'
import { createView, foldEvent } from '../core/state.js'
import { usualCharacter } from '../simulated/character.js'
import { createMemoryStore } from '../store/memory.js'
import { train } from './train.js'

const bodies = <T extends EventType>(events: readonly RunEvent[], type: T): EventBody<T>[] =>
  events.filter(event => event.type === type).map(event => event.body as EventBody<T>)

const droppedIn = (events: readonly RunEvent[]) =>
  bodies(events, 'attribution.finished').flatMap(({ edits }) =>
    edits.filter(({ fate }) => fate === 'dropped').flatMap(entry => entry.edits),
  )

const most = 120
/** A target that answers alike each time, so that what an edit carries can be seen at once. */
const steady = inProcessModel('target', undefined, { ...usualCharacter, slips: 0 })

const setupWith = (attribution: number, config: object = {}) =>
  worldSetup({
    config: { train: { epochs: 2, batchSize: 10 }, optimizer: { attribution }, ...config },
    models: { target: steady },
  })

async function trained(attribution: number, config: object = {}) {
  const setup = await setupWith(attribution, config)
  const { run, events } = worldRun(setup)
  return { events, state: await train(run, setup) }
}

/** Accepts what gained more than it lost on the first half of the tasks. */
const hasty: GateFactory = ({ tasks, score }) => ({
  id: 'hasty',
  score,
  next(seen) {
    const half = tasks.slice(0, tasks.length / 2)
    const missing = missingFrom(
      seen,
      (['current', 'candidate'] as const).flatMap(side => half.map(task => ({ side, task, sample: 0 }))),
    )
    if (missing.length > 0) return { run: missing }
    const { pairs } = scoredPairs(pairsIn(seen))
    const isBetter = score(meanOf(pairs, 'candidate')) > score(meanOf(pairs, 'current'))
    return { decision: isBetter ? 'accept' : 'reject', complete: false, reason: 'half of the tasks' }
  },
})

/** Lets the run die, as a killed process would, when it is about to write event number `limit`. */
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

describe('attribution in training', () => {
  it('drops edits that carry nothing, and no text gets in without a score of its own', async () => {
    const { events, state } = await trained(most)
    const dropped = droppedIn(events)
    expect(dropped.length).toBeGreaterThan(0)
    const origins = lineOrigins(state.best.document).flatMap(line => line.origins)
    expect(origins.filter(origin => dropped.includes(origin))).toEqual([])

    const scores = new Map(
      bodies(events, 'evaluation.finished').map(({ skill, split, score }) => [`${split} ${skill}`, score]),
    )
    for (const body of bodies(events, 'attribution.finished')) {
      const version = bodies(events, 'skill.version').find(({ version }) => version === body.step)
      expect(version?.skill).toBe(body.skill)
      expect(version?.score).toBe(scores.get(`val ${body.skill}`))
      const decided = bodies(events, 'gate.decided').find(({ candidate }) => candidate === body.candidate)
      expect(version?.score).toBeGreaterThanOrEqual(decided?.score ?? 1)
    }
    expect(scores.get(`val ${skillHash(state.best.document.text)}`)).toBe(state.best.score)
  })

  it('stays within its limit at every step, and is shown with the edits', async () => {
    const { events } = await trained(most)
    const view = events.reduce(foldEvent, createView())
    for (const body of bodies(events, 'attribution.finished')) {
      const attempts = bodies(events, 'attempt.finished').filter(
        ({ stage, step }) => stage === 'attribution' && step === body.step,
      )
      expect(attempts.length).toBeLessThanOrEqual(most)
      expect(attempts.length).toBe(body.attempts)
      const step = view.steps.find(({ step }) => step === body.step)
      expect(step?.attribution).toMatchObject({ skill: body.skill, reasoning: body.reasoning })
      for (const entry of body.edits) {
        const shown = step?.edits.filter(({ id }) => entry.edits.includes(id)).map(edit => edit.attribution)
        expect(shown).toEqual(entry.edits.map(() => entry))
      }
    }
    expect(view.stages.filter(({ finished }) => !finished)).toEqual([])
  })

  it('stays within its limit after a verdict that came before every task was seen', async () => {
    const setup = { ...(await setupWith(most)), gate: hasty }
    const { run, events } = worldRun(setup)
    await train(run, setup)
    const found = bodies(events, 'attribution.finished')
    expect(found.some(({ score }) => score !== undefined)).toBe(true)
    const evaluated = new Set(bodies(events, 'evaluation.finished').map(({ skill }) => skill))
    for (const { step, candidate, skill, score } of found) {
      const spent = bodies(events, 'attempt.finished').filter(
        attempt => attempt.stage === 'attribution' && attempt.step === step,
      )
      expect(spent.length).toBeLessThanOrEqual(most)
      // Without a whole evaluation of both, nothing takes the place of what was accepted.
      if (score !== undefined) expect([candidate, skill].every(each => evaluated.has(each))).toBe(true)
    }
  })

  it('spends nothing when it is off, and too little to drop anything when the limit is small', async () => {
    expect(bodies((await trained(0)).events, 'attribution.finished')).toEqual([])
    const { events } = await trained(12)
    expect(bodies(events, 'attribution.finished').length).toBeGreaterThan(0)
    expect(droppedIn(events)).toEqual([])
  })

  it('tells the optimizer which edits carried nothing', async () => {
    const setup = await setupWith(most)
    const { run, events } = worldRun(setup)
    await train(run, setup)
    const [call] = bodies(events, 'call.finished').filter(({ stage }) => stage === 'meta-skill')
    const said = await run.get(call?.messages.at(-1)?.blob ?? '')
    expect(said).toContain('dropped, carried nothing')
    expect(said).toContain('accepted')
  })

  it('ends the same after dying anywhere in it', async () => {
    const setup = await setupWith(most)
    const whole = worldRun(setup)
    const expected = await train(whole.run, setup)
    const inside = whole.events.flatMap(({ type, body }, index) =>
      type === 'attribution.finished' || ('stage' in body && body.stage === 'attribution') ? [index] : [],
    )
    expect(droppedIn(whole.events).length).toBeGreaterThan(0)
    for (let at = 0; at < inside.length; at += Math.ceil(inside.length / 8)) {
      const store = createMemoryStore()
      const dying = worldRun(setup, dyingStore(store, inside[at] ?? 0))
      await expect(train(dying.run, setup)).rejects.toThrow('killed')
      dying.stop.abort(new Error('killed'))
      await dying.run.idle()
      const again = worldRun(setup, store)
      const state = await train(again.run, setup)
      expect(state.best.document).toEqual(expected.best.document)
      const all: RunEvent[] = []
      for await (const event of store.events()) all.push(event)
      expect(bodies(all, 'attribution.finished')).toEqual(bodies(whole.events, 'attribution.finished'))
    }
  })
})
