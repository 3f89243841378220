import { describe, expect, it } from 'vitest'
import { png } from '../../test/support/pictures.js'
import { PausedError, WorldFailure } from '../core/errors/errors.js'
import type { RunEvent } from '../core/log/event.js'
import type { FileSupport, Model, ModelReply } from '../core/ports/model.js'
import type { AttemptEffect, CallEffect } from '../core/ports/run.js'
import type { AttemptCache, RunStore } from '../core/ports/store.js'
import { filePart } from '../core/task/files.js'
import { userMessage } from '../core/task/parts.js'
import { attemptRate, type Rate } from '../core/task/reward.js'
import type { Attempt } from '../core/task/task.js'
import { createMemoryStore } from '../store/memory.js'
import { Budget } from './budget.js'
import { CallPool } from './pool.js'
import { type AttemptExecutor, createRun } from './run.js'

const place = { stage: 'rollout', epoch: 1, step: 1 } as const
const call: CallEffect = {
  kind: 'call',
  role: 'target',
  request: { messages: [{ role: 'user', text: 'hello' }] },
  scope: 'a',
  sample: 0,
}
const attempt: AttemptEffect = { kind: 'attempt', skill: 'skill', task: { id: 't' }, sample: 0, scope: '' }
const done: Attempt = {
  task: 't',
  type: '',
  sample: 0,
  messages: [],
  outcome: { status: 'scored', score: { hard: 0, soft: 0, feedback: '' }, stop: 'answered' },
}

function start(
  options: {
    store?: RunStore
    answer?: () => Promise<Partial<ModelReply>>
    attempt?: AttemptExecutor
    parameters?: Record<string, unknown>
    files?: FileSupport
    cache?: AttemptCache
    openAttempts?: number
    rate?: Rate
  } = {},
) {
  const store = options.store ?? createMemoryStore()
  const seeds: (number | undefined)[] = []
  const model: Model = {
    id: 'test/model',
    parameters: options.parameters ?? {},
    maxOutputTokens: 10,
    price: undefined,
    ...(options.files === undefined ? {} : { files: options.files }),
    async generate({ seed }) {
      seeds.push(seed)
      return { text: `reply ${seeds.length}`, stop: 'stop', usage: {}, ...(await options.answer?.()) }
    },
  }
  const events: RunEvent[] = []
  const run = createRun({
    store,
    pool: new CallPool({
      roles: { target: { model, concurrency: 4, retries: 0, timeoutMs: 1000 } },
      budget: new Budget({}),
    }),
    models: { target: model },
    attemptIdentity: 'identity',
    attempt: options.attempt ?? (async () => done),
    ...(options.rate === undefined ? {} : { rate: options.rate }),
    cache: options.cache,
    openAttempts: options.openAttempts,
    signal: new AbortController().signal,
    onEvent: event => events.push(event),
  })
  return { run, store, seeds, events }
}

describe('perform', () => {
  it('records before it returns, and answers from the log in a later session', async () => {
    const first = start()
    const reply = await first.run.perform(call, place)
    expect(first.store.length).toBe(2)
    const second = start({ store: first.store })
    expect(await second.run.perform(call, place)).toEqual(reply)
    expect(second.seeds).toEqual([])
  })

  it('shares what is under way, and keeps apart what differs in text, scope, sample or model', async () => {
    const { run, seeds, store } = start()
    await Promise.all([
      run.perform(call, place),
      run.perform(call, place),
      run.perform(call, { ...place, step: 2 }),
    ])
    expect(seeds).toHaveLength(1)
    await run.perform({ ...call, scope: 'b' }, place)
    await run.perform({ ...call, sample: 1 }, place)
    await run.perform({ ...call, request: { messages: [{ role: 'user', text: 'hello!' }] } }, place)
    await run.perform({ ...call, request: { messages: [{ role: 'system', text: 'hello' }] } }, place)
    expect(seeds).toHaveLength(5)
    expect(new Set(seeds).size).toBe(5)
    const warmer = start({ store, parameters: { temperature: 1 } })
    await warmer.run.perform(call, place)
    expect(warmer.seeds).toHaveLength(1)
  })

  it('hands a call to the worker, and gives its work back in a later session without asking it', async () => {
    const work = {
      messages: [
        { role: 'assistant', text: 'I look.', toolCalls: [{ id: 'c', name: 'look', arguments: '{}' }] },
        { role: 'tool', text: 'a door', toolCallId: 'c' },
      ],
      stop: 'turn-limit',
      calls: [{ tool: 'look', arguments: '{}' }],
      files: [{ path: 'a/b.txt', content: 'aGk=', mode: 0o755 }, { path: 'gone' }],
      isWhole: true,
    } as const
    let asked = 0
    const worker = async (): Promise<ModelReply> => {
      asked += 1
      return { text: 'a door', stop: 'stop', usage: { input: 5, output: 1 }, cost: 0.25, work }
    }
    const { run, store, seeds, events } = start()
    const reply = await run.perform(call, place, { worker })
    expect(events.at(-1)).toMatchObject({ type: 'call.finished', body: { cost: 0.25, tries: 1 } })
    const later = await start({ store }).run.perform(call, place, { worker })
    expect(later).toEqual({ text: 'a door', stop: 'stop', usage: reply.usage, ms: reply.ms, work })
    expect([asked, seeds.length]).toEqual([1, 0])
  })

  it('asks the worker again if its work could not be kept whole', async () => {
    let asked = 0
    const work = { messages: [], stop: 'answered', calls: [], files: [], isWhole: false } as const
    const worker = async (): Promise<ModelReply> => {
      asked += 1
      return { text: 'done', stop: 'stop', usage: {}, work }
    }
    const { run, store } = start()
    await run.perform(call, place, { worker })
    await start({ store }).run.perform(call, place, { worker })
    expect(asked).toBe(2)
  })

  it('keeps long replies as blobs and gives them back whole', async () => {
    const text = 'word '.repeat(1000)
    const { run, store, events } = start({ answer: async () => ({ text }) })
    await run.perform(call, place)
    const finished = events.find(event => event.type === 'call.finished')
    expect(JSON.stringify(finished).length).toBeLessThan(1000)
    expect((await start({ store }).run.perform(call, place)).text).toBe(text)
  })

  it('opens no more attempts than may be open at once, the urgent ones first', async () => {
    const log: string[] = []
    const slow: AttemptExecutor = async ({ task }) => {
      log.push(`begins ${task.id}`)
      await new Promise(resolve => setTimeout(resolve, 5))
      log.push(`ends ${task.id}`)
      return { ...done, task: task.id }
    }
    const { run } = start({ attempt: slow, openAttempts: 1 })
    const at = (id: string, stage: 'test' | 'rollout') =>
      run.perform({ ...attempt, task: { id } }, { ...place, stage })
    await Promise.all([at('first', 'test'), at('second', 'test'), at('third', 'rollout')])
    const order = ['first', 'third', 'second']
    expect(log).toEqual(order.flatMap(id => [`begins ${id}`, `ends ${id}`]))
  })

  it('reports an attempt that failed for external reasons, without recording it as a result', async () => {
    let tries = 0
    const flaky: AttemptExecutor = async () => {
      tries += 1
      if (tries === 1) throw new WorldFailure('timeout', 'silence', { retryable: true })
      return done
    }
    const { run, events } = start({ attempt: flaky })
    expect((await run.perform(attempt, place)).outcome).toMatchObject({
      status: 'failed',
      failure: { kind: 'timeout' },
    })
    expect(events.map(({ type }) => type)).toEqual(['attempt.failed'])
    expect(await run.perform(attempt, place)).toEqual(done)
    await run.perform(attempt, place)
    expect(tries).toBe(2)
  })

  it('knows tasks by their content, not by their id', async () => {
    let tries = 0
    const { run } = start({
      attempt: async () => {
        tries += 1
        return done
      },
    })
    await run.perform(attempt, place)
    await run.perform({ ...attempt, task: { id: 't' } }, place)
    await run.perform({ ...attempt, task: { id: 't', type: 'changed' } }, place)
    expect(tries).toBe(2)
  })
})

describe('the cache', () => {
  /** A minimal cache that also records its lookups. */
  function memoryCache() {
    const kept = new Map<string, Attempt>()
    const asked: string[] = []
    const cache: AttemptCache = {
      async find(key) {
        asked.push(key)
        return kept.get(key)
      },
      async keep(key, attempt) {
        kept.set(key, attempt)
      },
    }
    return { cache, kept, asked }
  }

  it('is consulted after the log and before any call, and a hit is recorded as such', async () => {
    const { cache, asked } = memoryCache()
    const first = start({ cache })
    await first.run.perform(attempt, place)
    await first.run.perform(attempt, place)
    expect(asked).toHaveLength(1)
    expect(first.events[0]?.body).not.toHaveProperty('cached')

    const second = start({ cache, attempt: () => Promise.reject(new Error('not to be tried')) })
    expect(await second.run.perform(attempt, { ...place, step: 9 })).toEqual(done)
    expect(second.events).toMatchObject([
      { type: 'attempt.finished', key: first.events[0]?.key, body: { ...done, step: 9, cached: true } },
    ])
    const later = start({ store: second.store, attempt: () => Promise.reject(new Error('not to be tried')) })
    expect((await later.run.perform(attempt, place)).outcome).toEqual(done.outcome)
    expect(later.events).toEqual([])
  })

  it('is not told about attempts with a scope, nor about external failures', async () => {
    const { cache, kept, asked } = memoryCache()
    await start({ cache }).run.perform({ ...attempt, scope: 'step 1' }, place)
    expect(asked).toEqual([])
    const failing = start({
      cache,
      attempt: () => Promise.reject(new WorldFailure('timeout', 'silence', { retryable: true })),
    })
    await failing.run.perform(attempt, place)
    expect(kept.size).toBe(0)
  })
})

describe('what counts of an attempt', () => {
  const settings = { metric: 'reward', reward: { accuracy: 1, tokens: 1, latency: 0 } } as const
  const scales = { tokenScale: 2000, secondsScale: 15 }
  const rate = attemptRate({ ...settings, reward: { ...settings.reward, ...scales }, floors: {} })
  const making = async () => ({ ...done, tokens: 500, ms: 70 })

  it('is recorded with it, and read from the log in a later session', async () => {
    const first = start({ rate, attempt: making })
    const counted = { tokens: 500, reward: 0.375 }
    expect(await first.run.perform(attempt, place)).toEqual({ ...done, ...counted })
    expect(first.events).toMatchObject([{ type: 'attempt.finished', body: counted }])
    expect(first.events[0]?.body).not.toHaveProperty('ms')
    const later = start({ rate, store: first.store, attempt: () => Promise.reject(new Error('not again')) })
    expect(await later.run.perform(attempt, place)).toMatchObject(counted)
  })

  it('pauses the run if it was not reported, and nothing is scored', async () => {
    const { run, events } = start({ rate, attempt: async () => ({ ...done, ms: 70 }) })
    await expect(run.perform(attempt, place)).rejects.toThrow(PausedError)
    expect(events).toEqual([])
  })

  it('is recomputed for cached attempts, which are kept with all that is known', async () => {
    const kept = new Map<string, Attempt>()
    const cache: AttemptCache = {
      find: async key => kept.get(key),
      keep: async (key, attempt) => {
        kept.set(key, attempt)
      },
    }
    const plain = attemptRate({ metric: 'hard', reward: { ...settings.reward, ...scales }, floors: {} })
    expect(await start({ cache, rate: plain, attempt: making }).run.perform(attempt, place)).toEqual(done)
    expect([...kept.values()]).toEqual([{ ...done, tokens: 500, ms: 70 }])
    const refuse = () => Promise.reject(new Error('not to be tried'))
    const other = start({ cache, rate, attempt: refuse })
    expect(await other.run.perform(attempt, place)).toMatchObject({ tokens: 500, reward: 0.375 })
    // Entries without tokens and time cannot be used here and are replaced.
    for (const key of kept.keys()) kept.set(key, done)
    expect(await start({ cache, rate, attempt: making }).run.perform(attempt, place)).toMatchObject({
      reward: 0.375,
    })
    expect([...kept.values()]).toEqual([{ ...done, tokens: 500, ms: 70 }])
  })
})

describe('files', () => {
  const files: FileSupport = { image: { mediaTypes: ['image/png'], maxBytes: 50_000, mostTokens: 9 } }
  const asking = (name: string, side = 8, scope = 'a'): CallEffect => {
    const parts = [filePart(name, png([1, 2, 3], side)), { type: 'text', text: 'What is it?' } as const]
    return { ...call, scope, request: { messages: [userMessage(parts)] } }
  }

  it('are stored once, however many calls carry them, and never inside an event', async () => {
    const { run, store, events } = start({ files })
    for (let number = 0; number < 5; number++) await run.perform(asking('a.png', 8, `task ${number}`), place)
    const finished = events.filter(event => event.type === 'call.finished')
    const refs = finished.flatMap(({ body }) => body.messages.flatMap(({ parts = [] }) => parts))
    expect(refs.filter(({ type }) => type === 'image')).toHaveLength(5)
    expect(new Set(refs.map(({ blob }) => blob)).size).toBe(2)
    const image = png([1, 2, 3]).toString('base64')
    expect(await store.get(refs[0]?.blob ?? '')).toBe(image)
    expect(JSON.stringify(events)).not.toContain(image.slice(0, 40))
  })

  it('make another call by their content, and not by their name', async () => {
    const { run, seeds } = start({ files })
    await run.perform(asking('a.png'), place)
    await run.perform(asking('moved/b.png'), place)
    expect(seeds).toHaveLength(1)
    await run.perform(asking('a.png', 9), place)
    expect(seeds).toHaveLength(2)
  })

  it('that the model does not take are refused before the call begins', () => {
    const textOnly = start()
    expect(() => textOnly.run.perform(asking('a.png'), place)).toThrow(PausedError)
    expect(() => textOnly.run.perform(asking('a.png'), place)).toThrow(/a\.png.*test\/model takes no images/)
    const small = start({ files: { image: { mediaTypes: ['image/png'], maxBytes: 10, mostTokens: 9 } } })
    expect(() => small.run.perform(asking('a.png'), place)).toThrow(/takes images of at most 10 B/)
    expect([...textOnly.seeds, ...small.seeds, ...textOnly.events]).toEqual([])
  })
})

describe('once and emit', () => {
  it('computes once, also when asked twice at the same time or in a later session', async () => {
    const { run, store } = start()
    let computed = 0
    const compute = async () => ({ epoch: 1, content: `number ${++computed}`, reasoning: '' })
    const both = await Promise.all([
      run.once('meta-skill.finished', 'epoch 1', compute),
      run.once('meta-skill.finished', 'epoch 1', compute),
    ])
    const later = await start({ store }).run.once('meta-skill.finished', 'epoch 1', compute)
    expect([...both, later].map(({ content }) => content)).toEqual(['number 1', 'number 1', 'number 1'])
  })

  it('writes a keyed notice once and an unkeyed one each time', async () => {
    const { run, events } = start()
    const stage = { ...place, total: 4 }
    await Promise.all([run.emit('stage.started', stage, 'x'), run.emit('stage.started', stage, 'x')])
    await run.emit('stage.started', stage, 'x')
    await run.emit('stage.started', stage)
    await run.emit('stage.started', stage)
    expect(events.map(({ seq }) => seq)).toEqual([0, 1, 2])
  })
})
