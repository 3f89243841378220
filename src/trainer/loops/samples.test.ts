import { describe, expect, it } from 'vitest'
import { inProcessModel, worldRun, worldSetup } from '../../../test/world.js'
import { type EventBody, type EventType, parseEvent, type RunEvent } from '../../core/log/event.js'
import type { Message } from '../../core/task/task.js'
import { createMemoryStore } from '../../store/memory.js'
import { train } from './steps.js'

const bodies = <T extends EventType>(events: readonly RunEvent[], type: T): EventBody<T>[] =>
  events.filter(event => event.type === type).map(event => event.body as EventBody<T>)

const sizes = { train: 12, val: 10, test: 4 }

async function setupWith(train: object) {
  const asked: (readonly Message[])[] = []
  const optimizer = inProcessModel('optimizer')
  const generate: typeof optimizer.generate = (request, signal) => {
    asked.push(request.messages)
    return optimizer.generate(request, signal)
  }
  const setup = await worldSetup({
    sizes,
    config: { train: { epochs: 2, batchSize: 6, samples: 3, ...train }, reflect: { minibatchSize: 3 } },
    models: { optimizer: { ...optimizer, generate } },
  })
  return { setup, asked }
}

const results = (events: readonly RunEvent[]) => ({
  verdicts: bodies(events, 'gate.decided'),
  rollouts: bodies(events, 'rollout.finished'),
  patches: bodies(events, 'reflect.finished').map(({ step, patches }) => [step, patches]),
})

describe('training with several attempts at each task', () => {
  it('runs each task several times and shows analysts the worst next to the best', async () => {
    const { setup, asked } = await setupWith({})
    const { run, events } = worldRun(setup)
    await train(run, setup)
    expect(bodies(events, 'rollout.finished').map(({ scored }) => scored)).toEqual([18, 18, 18, 18])
    const [first] = bodies(events, 'step.started')
    expect(first?.tasks).toHaveLength(6)
    const tried = bodies(events, 'attempt.finished').filter(
      ({ stage, step }) => stage === 'rollout' && step === 1,
    )
    expect(tried.map(({ task, sample }) => `${task} ${sample}`).toSorted()).toEqual(
      (first?.tasks ?? []).flatMap(task => [0, 1, 2].map(sample => `${task} ${sample}`)).toSorted(),
    )
    expect(bodies(events, 'stage.started').find(({ stage }) => stage === 'rollout')?.total).toBe(18)
    // No analyst is shown a task twice.
    const reflected = bodies(events, 'reflect.finished').map(({ patches }) =>
      patches.flatMap(({ tasks }) => tasks),
    )
    expect(reflected).toHaveLength(4)
    for (const tasks of reflected) expect(new Set(tasks).size).toBe(tasks.length)
    expect(asked.some(([, user]) => user?.text.includes('<better_attempt result="passed"'))).toBe(true)
    for (const event of events) expect(parseEvent(JSON.parse(JSON.stringify(event)))).toBeDefined()
  })

  it('reaches the same result after a kill at any event', async () => {
    const { setup } = await setupWith({ reuse: 'reuse' })
    const whole = worldRun(setup)
    const expected = await train(whole.run, setup)
    for (let death = 7; death < whole.store.length; death += Math.ceil(whole.store.length / 6)) {
      const store = createMemoryStore()
      const dying = worldRun(setup, {
        ...store,
        get length() {
          return store.length
        },
        async append(event) {
          if (store.length >= death) throw new Error('killed')
          await store.append(event)
        },
      })
      await expect(train(dying.run, setup)).rejects.toThrow('killed')
      dying.stop.abort(new Error('killed'))
      await dying.run.idle()
      const again = worldRun(setup, store)
      expect((await train(again.run, setup)).best.document.text).toBe(expected.best.document.text)
      const all: RunEvent[] = []
      for await (const event of store.events()) all.push(event)
      expect(results(all)).toEqual(results(whole.events))
    }
  })
})
