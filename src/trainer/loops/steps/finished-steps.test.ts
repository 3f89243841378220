import { describe, expect, it } from 'vitest'
import { fakeRun, scoredAttempt } from '../../../../test/fake-run.js'
import { worldRun, worldSetup } from '../../../../test/world.js'
import type { RunEvent } from '../../../core/log/event.js'
import type { Model } from '../../../core/ports/model.js'
import type { Attempt } from '../../../core/task/task.js'
import { createMemoryStore } from '../../../store/memory.js'
import { train } from '../steps.js'
import { type FinishedStep, finishedStep, stopReason } from './finished-steps.js'

const step = (skill: string, outcome: FinishedStep['outcome'], ...tasks: string[]): FinishedStep => ({
  skill,
  outcome,
  // The prefix ! marks an unsolved task.
  solved: new Map(tasks.map(task => [task.replace('!', ''), !task.startsWith('!')])),
})
const never = { patience: 0, stopWhenSolved: false }

describe('a task', () => {
  it('counts as solved if every attempt solved it', async () => {
    const run = fakeRun(() => ({}))
    const tried = (task: string, ...hards: readonly number[]) =>
      hards.map(async (hard, sample) => ({ ...scoredAttempt(run, task, hard), sample }))
    const rollouts = [tried('a', 1, 1), [...tried('b', 0, 1), ...tried('c', 1, 0, 1)]]
    const { solved } = await finishedStep('seed', rollouts, { outcome: 'rejected' })
    expect([...solved]).toEqual([
      ['a', true],
      ['b', false],
      ['c', false],
    ])
  })
})

describe('all epochs', () => {
  it('run by default, and are the stop reason after the last step', () => {
    const steps = Array.from({ length: 8 }, () => step('seed', 'rejected', 'a', 'b'))
    for (let count = 1; count < 8; count += 1)
      expect(
        stopReason(steps.slice(0, count), { current: 'seed', isLast: false, trainSize: 2, ...never }),
      ).toBeUndefined()
    expect(
      stopReason(steps, { current: 'seed', isLast: true, trainSize: 2, patience: 1, stopWhenSolved: true }),
    ).toBe('all epochs')
  })
})

describe('patience', () => {
  const end = (steps: readonly FinishedStep[], current: string, patience = 2) =>
    stopReason(steps, { current: current, isLast: false, trainSize: 9, ...never, patience })

  it('counts the steps since the skill last changed', () => {
    const before = [step('seed', 'rejected'), step('seed', 'accepted')]
    expect(end([...before, step('better', 'rejected')], 'better')).toBeUndefined()
    expect(end([...before, step('better', 'no-edits'), step('better', 'nothing-applied')], 'better')).toBe(
      'no accepted edit for 2 steps',
    )
    expect(end([step('seed', 'rejected')], 'seed', 1)).toBe('no accepted edit for 1 step')
  })

  it('restarts when a slow update or the last step has changed the skill', () => {
    const steps = [step('seed', 'rejected'), step('guided', 'rejected')]
    expect(end(steps, 'guided')).toBeUndefined()
    expect(end([step('seed', 'rejected'), step('seed', 'accepted')], 'better')).toBeUndefined()
  })

  it('does not count optimizer or external failures as a plateau', () => {
    const failed = [step('seed', 'optimizer-failed'), step('seed', 'abstained')]
    expect(end([...failed, step('seed', 'rejected')], 'seed')).toBeUndefined()
    expect(end([step('seed', 'rejected'), ...failed, step('seed', 'rejected')], 'seed')).toBe(
      'no accepted edit for 2 steps',
    )
  })
})

describe('no failures left', () => {
  const end = (steps: readonly FinishedStep[], current: string) =>
    stopReason(steps, { current: current, isLast: false, trainSize: 4, ...never, stopWhenSolved: true })

  it('needs every train task, solved by the current skill', () => {
    const half = step('seed', 'no-edits', 'a', 'b')
    expect(end([half], 'seed')).toBeUndefined()
    expect(end([half, step('seed', 'no-edits', 'c', '!d')], 'seed')).toBeUndefined()
    expect(end([half, step('seed', 'no-edits', 'c', 'd')], 'seed')).toBe('no failures left')
    expect(end([half, step('seed', 'accepted', 'c', 'd')], 'better')).toBeUndefined()
  })

  it('uses the latest attempt at a task', () => {
    const passes = [step('seed', 'rejected', 'a', '!b'), step('seed', 'rejected', 'c', 'd')]
    expect(end([...passes, step('seed', 'rejected', 'b', 'c')], 'seed')).toBe('no failures left')
    const lost = [step('seed', 'rejected', 'a', 'b'), step('seed', 'rejected', '!a', 'c')]
    expect(end([...lost, step('seed', 'rejected', 'd', 'b')], 'seed')).toBeUndefined()
  })

  it('does not count an external failure as solved', async () => {
    const run = fakeRun(() => ({}))
    const failed: Attempt = {
      ...scoredAttempt(run, 'b', 1),
      outcome: { status: 'failed', failure: { kind: 'timeout', message: 'too slow' } },
    }
    const rollouts = [[scoredAttempt(run, 'a', 1), failed], [scoredAttempt(run, 'c', 0)]]
    const record = { step: 1, outcome: 'rejected', edits: [], patterns: [] } as const
    const taken = await finishedStep(
      'seed',
      rollouts.map(attempts => attempts.map(attempt => Promise.resolve(attempt))),
      record,
    )
    expect(Object.fromEntries(taken.solved)).toEqual({ a: true, b: false, c: false })
  })
})

describe('a training that ends early', () => {
  const config = { train: { epochs: 4, batchSize: 10, patience: 3 } }
  const sizes = { train: 20, val: 12, test: 12 }
  const finished = (events: readonly RunEvent[]) => events.find(event => event.type === 'run.finished')
  const steps = (events: readonly RunEvent[]) => events.filter(event => event.type === 'step.finished').length
  const muted = (model: Model): Model => ({
    ...model,
    generate: async (request, signal) => {
      const reply = await model.generate(request, signal)
      return { ...reply, text: reply.text.replace(/"edits":\s*\[[\s\S]*\]/, '"edits": []') }
    },
  })

  it('still runs the final test and reports why it ended', async () => {
    const plain = await worldSetup({ sizes, config })
    const setup = { ...plain, models: { ...plain.models, optimizer: muted(plain.models.optimizer) } }
    const { run, events } = worldRun(setup)
    await train(run, setup)
    expect(steps(events)).toBe(3)
    expect(finished(events)?.body).toMatchObject({ because: 'no accepted edit for 3 steps', last: 3 })
    expect(events.filter(event => event.type === 'test.finished')).toHaveLength(4)
    expect(events.filter(event => event.type === 'slow-update.finished')).toHaveLength(1)
  })

  it('ends when everything is solved', async () => {
    const plain = await worldSetup({
      sizes,
      config: { train: { epochs: 3, batchSize: 10, stopWhenSolved: true } },
    })
    const right = {
      ...plain.environment,
      score: async () => ({ hard: 1, soft: 1, feedback: '' }),
    }
    const setup = { ...plain, environment: right }
    const { run, events } = worldRun(setup)
    await train(run, setup)
    expect(finished(events)?.body).toMatchObject({ because: 'no failures left' })
    expect(steps(events)).toBe(2)
  })

  it('reaches the same result after an interruption', async () => {
    const plain = await worldSetup({ sizes, config })
    const setup = { ...plain, models: { ...plain.models, optimizer: muted(plain.models.optimizer) } }
    const store = createMemoryStore()
    let left = 90
    const dying = worldRun(setup, {
      ...store,
      get length() {
        return store.length
      },
      async append(event) {
        left -= 1
        if (left < 0) throw new Error('killed')
        await store.append(event)
      },
    })
    await expect(train(dying.run, setup)).rejects.toThrow('killed')
    dying.stop.abort(new Error('killed'))
    await dying.run.idle()
    const again = worldRun(setup, store)
    await train(again.run, setup)
    const all: RunEvent[] = []
    for await (const event of store.events()) all.push(event)
    expect(steps(all)).toBe(3)
    expect(finished(all)?.body).toMatchObject({ because: 'no accepted edit for 3 steps' })
  })
})
