import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { after, fail, ok, outcome, setUp } from '../../test/pool-under-test.js'
import { DroppedError } from '../core/errors.js'
import type { RunEvent } from '../core/event.js'
import type { AttemptEffect, CallEffect, Model, ModelReply } from '../core/ports.js'
import type { Attempt } from '../core/task.js'
import { createMemoryStore } from '../store/memory.js'
import { Budget } from './budget.js'
import { CallPool } from './pool.js'
import { createRun } from './run.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a call on a guess that is given up', () => {
  it('is dropped if it was not sent, and answered if it was', async () => {
    const { call, seen, budget } = setUp(() => after(10), { concurrency: 1 })
    const guess = new AbortController()
    const [sent, waiting] = ['sent', 'waiting'].map(text => outcome(call(text, { guess: guess.signal }), 0))
    await vi.advanceTimersByTimeAsync(1)
    guess.abort()
    expect(await waiting).toBeInstanceOf(DroppedError)
    expect(await outcome(call('late', { guess: guess.signal }), 0)).toBeInstanceOf(DroppedError)
    await vi.advanceTimersByTimeAsync(20)
    expect(await sent).toMatchObject({ reply: ok })
    expect(await outcome(call('another'))).toMatchObject({ reply: ok })
    expect(seen.texts).toEqual(['sent', 'another'])
    expect(budget.spent.calls).toBe(2)
  })

  it('is not tried again', async () => {
    const { call, seen } = setUp(async () => {
      await after(10)
      return fail('server')
    })
    const guess = new AbortController()
    const [flying, resting] = [call('flying', { guess: guess.signal }), call('resting')].map(one =>
      outcome(one, 0),
    )
    await vi.advanceTimersByTimeAsync(1)
    guess.abort()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await flying).toBeInstanceOf(DroppedError)
    expect(await resting).toMatchObject({ kind: 'server' })
    expect(seen.texts.filter(text => text === 'flying')).toHaveLength(1)
  })

  it('does not wait for its next try', async () => {
    const { call } = setUp(() => fail('server'))
    const guess = new AbortController()
    const resting = outcome(call('resting', { guess: guess.signal }), 0)
    await vi.advanceTimersByTimeAsync(1)
    guess.abort()
    expect(await resting).toBeInstanceOf(DroppedError)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('an attempt on a guess', () => {
  const place = { stage: 'rollout', epoch: 1, step: 2 } as const
  const attemptAt = (id: string): AttemptEffect => ({
    ...{ kind: 'attempt', skill: 'skill', sample: 0, scope: '' },
    task: { id },
  })

  /** Each attempt asks twice, one question after the other; every call takes 10 ms. */
  function start(concurrency: number) {
    const asked: string[] = []
    const model: Model = {
      ...{ id: 'test/model', parameters: {}, maxOutputTokens: 10, price: undefined },
      async generate({ messages }) {
        asked.push(messages[0]?.text ?? '')
        return after(10)
      },
    }
    const events: RunEvent[] = []
    const run = createRun({
      store: createMemoryStore(),
      pool: new CallPool({
        roles: { target: { model, concurrency, retries: 0, timeoutMs: 1000 } },
        budget: new Budget({}),
      }),
      models: { target: model },
      attemptIdentity: 'identity',
      attempt: async ({ task }, key, at, door): Promise<Attempt> => {
        const ask = (sample: number): Promise<ModelReply> => {
          const request = { messages: [{ role: 'user' as const, text: `${task.id} ${sample}` }] }
          const effect: CallEffect = { kind: 'call', role: 'target', request, scope: key, sample }
          return door.perform(effect, at)
        }
        await ask(0)
        await ask(1)
        const score = { hard: 1, soft: 1, feedback: '' }
        const made = { status: 'scored', score, stop: 'answered' } as const
        return { task: task.id, type: '', sample: 0, messages: [], outcome: made }
      },
      signal: new AbortController().signal,
      onEvent: event => events.push(event),
    })
    return { run, asked, events }
  }

  it('goes behind everything else', async () => {
    const { run, asked } = start(1)
    const guess = new AbortController()
    const work = [
      run.perform(attemptAt('first'), { ...place, stage: 'test' }),
      run.perform(attemptAt('guessed'), place, { guess: guess.signal }),
      run.perform(attemptAt('test'), { ...place, stage: 'test' }),
    ]
    await outcome(Promise.all(work))
    expect(asked).toEqual(['first 0', 'test 0', 'first 1', 'test 1', 'guessed 0', 'guessed 1'])
  })

  it('is shared by whoever needs it, who goes on where the guess was given up', async () => {
    const { run, asked, events } = start(1)
    const guess = new AbortController()
    const guessed = ['a', 'b'].map(task =>
      outcome(run.perform(attemptAt(task), place, { guess: guess.signal }), 0),
    )
    await vi.advanceTimersByTimeAsync(1)
    const needed = ['a', 'b'].map(task => run.perform(attemptAt(task), place))
    guess.abort()
    expect(await outcome(Promise.all(needed))).toMatchObject([{ task: 'a' }, { task: 'b' }])
    for (const one of guessed) expect(await one).toBeInstanceOf(DroppedError)
    expect(asked.toSorted()).toEqual(['a 0', 'a 1', 'b 0', 'b 1'])
    expect(events.filter(({ type }) => type === 'attempt.finished')).toHaveLength(2)
  })

  it('leaves no result when it is given up, only the calls that were sent', async () => {
    const { run, asked, events } = start(1)
    const guess = new AbortController()
    const guessed = outcome(run.perform(attemptAt('a'), place, { guess: guess.signal }), 0)
    await vi.advanceTimersByTimeAsync(1)
    guess.abort()
    await vi.advanceTimersByTimeAsync(50)
    expect(await guessed).toBeInstanceOf(DroppedError)
    expect(asked).toEqual(['a 0'])
    expect(events.map(({ type }) => type)).toEqual(['call.started', 'call.finished'])
  })
})
