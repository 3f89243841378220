import assert from 'node:assert/strict'
import type { RunEvent } from '../../src/core/log/event.js'
import type { RunStore } from '../../src/core/ports/store.js'

/**
 * Requirements of every run store. Each case gets its own store, and must fail if its requirement is broken.
 */
export interface StoreUnderTest {
  readonly store: RunStore
  /** Closes the store and reopens its data; absent for stores that persist nothing. */
  reopen?(): Promise<RunStore>
}

export interface StoreCase {
  readonly name: string
  readonly needsReopen?: boolean
  run(under: StoreUnderTest): Promise<void>
}

const place = { stage: 'rollout', epoch: 1, step: 1 } as const

export function callStarted(seq: number, key: string): RunEvent {
  const reserved = { input: 10, output: 20 }
  return {
    seq,
    at: 1000 + seq,
    type: 'call.started',
    key,
    body: { ...place, role: 'target', try: 1, reserved },
  }
}

function callFailed(seq: number, key: string): RunEvent {
  const body = { ...place, role: 'target', try: 1, kind: 'server', message: 'Sorry.' } as const
  return { seq, at: 1000 + seq, type: 'call.failed', key, body }
}

export function callFinished(seq: number, key: string, text: string, blob?: string): RunEvent {
  return {
    seq,
    at: 1000 + seq,
    type: 'call.finished',
    key,
    body: {
      ...place,
      role: 'target',
      model: 'test/model',
      messages: [{ role: 'user', ...(blob === undefined ? { text: 'Question?' } : { blob }) }],
      reply: { role: 'assistant', text },
      stop: 'stop',
      usage: { input: 3, output: 4 },
      ms: 5,
      tries: 1,
    },
  }
}

export async function collect(store: Pick<RunStore, 'events'>): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of store.events()) events.push(event)
  return events
}

async function fill(store: RunStore): Promise<RunEvent[]> {
  const events = [callStarted(0, 'a'), callFinished(1, 'a', 'first'), callFinished(2, 'b', 'second')]
  for (const event of events) await store.append(event)
  return events
}

const awkwardTexts = [
  '',
  ' ',
  'line\nbreak\r\n',
  'quote " and \\',
  'ünïcödé 🙂',
  '\u2028\u0000',
  'lone \ud800 surrogate',
]

export const storeCases: readonly StoreCase[] = [
  {
    name: 'starts empty',
    async run({ store }) {
      assert.equal(store.length, 0)
      assert.deepEqual(await collect(store), [])
      assert.equal(store.has('a'), false)
      assert.equal(await store.find('a'), undefined)
    },
  },
  {
    name: 'gives the events back, whole and in order',
    async run({ store }) {
      const events = await fill(store)
      assert.deepEqual(await collect(store), events)
      assert.equal(store.length, events.length)
    },
  },
  {
    name: 'keeps the order of events that are appended together',
    async run({ store }) {
      const events = Array.from({ length: 300 }, (_, seq) =>
        callFinished(seq, `key ${seq}`, 'x', store.put(`text ${seq}`)),
      )
      await Promise.all(events.map(event => store.append(event)))
      assert.deepEqual(await collect(store), events)
    },
  },
  {
    name: 'counts an event as soon as it is appended, so that the next one gets its own number',
    async run({ store }) {
      const first = store.append(callStarted(store.length, 'a'))
      assert.equal(store.length, 1)
      await Promise.all([first, store.append(callStarted(store.length, 'b'))])
      assert.equal(store.length, 2)
    },
  },
  {
    name: 'refuses an event whose number is not the next',
    async run({ store }) {
      await fill(store)
      await assert.rejects(async () => store.append(callStarted(7, 'c')))
      await assert.rejects(async () => store.append(callStarted(2, 'c')))
      assert.equal((await collect(store)).length, 3)
    },
  },
  {
    name: 'finds a result by its key once it is appended',
    async run({ store }) {
      const events = await fill(store)
      assert.equal(store.has('b'), true)
      assert.deepEqual(await store.find('b'), events[2])
      assert.equal(store.has('c'), false)
      assert.equal(await store.find('c'), undefined)
    },
  },
  {
    name: 'takes neither a begun nor a failed call for a result',
    async run({ store }) {
      await store.append(callStarted(0, 'a'))
      await store.append(callFailed(1, 'a'))
      assert.equal(store.has('a'), false)
      assert.equal(await store.find('a'), undefined)
      await store.append(callStarted(2, 'a'))
      await store.append(callFinished(3, 'a', 'at last'))
      assert.equal((await store.find('a'))?.seq, 3)
    },
  },
  {
    name: 'keeps to the first result of a key',
    async run({ store }) {
      await store.append(callFinished(0, 'a', 'first'))
      await store.append(callFinished(1, 'a', 'late duplicate'))
      assert.equal((await store.find('a'))?.seq, 0)
    },
  },
  {
    name: 'gives texts back exactly, at once and after they are written',
    async run({ store }) {
      const refs = awkwardTexts.map(text => store.put(text))
      for (const [index, ref] of refs.entries()) assert.equal(await store.get(ref), awkwardTexts[index])
      await store.flush()
      for (const [index, ref] of refs.entries()) assert.equal(await store.get(ref), awkwardTexts[index])
    },
  },
  {
    name: 'names a text by its content: equal texts alike, others apart',
    async run({ store }) {
      const refs = awkwardTexts.map(text => store.put(text))
      assert.deepEqual(
        awkwardTexts.map(text => store.put(text)),
        refs,
      )
      assert.equal(new Set(refs).size, awkwardTexts.length)
      assert.notEqual(store.put('lone \ud801 surrogate'), store.put('lone \ud800 surrogate'))
      for (const ref of refs) assert.match(ref, /^[0-9a-f]{32}$/)
      assert.equal(store.put('abc'), 'ba7816bf8f01cfea414140de5dae2223')
    },
  },
  {
    name: 'refuses to make up a text that it does not have',
    async run({ store }) {
      await assert.rejects(async () => store.get('0'.repeat(32)))
    },
  },
  {
    name: 'is not changed by what callers do to their objects',
    async run({ store }) {
      const event = callFinished(0, 'a', 'as it was')
      await store.append(event)
      Object.assign(event.body, { model: 'changed' })
      const found = await store.find('a')
      Object.assign(found?.body ?? {}, { model: 'changed too' })
      assert.deepEqual(await store.find('a'), callFinished(0, 'a', 'as it was'))
      assert.deepEqual(await collect(store), [callFinished(0, 'a', 'as it was')])
    },
  },
  {
    name: 'refuses appends once it is closed, and may be closed twice',
    async run({ store }) {
      await store.close()
      await store.close()
      await assert.rejects(async () => store.append(callStarted(0, 'a')))
    },
  },
  {
    name: 'has everything again after it was closed and opened',
    needsReopen: true,
    async run(under) {
      const events = await fill(under.store)
      const refs = awkwardTexts.map(text => under.store.put(text))
      assert.ok(under.reopen)
      const again = await under.reopen()
      assert.equal(again.length, events.length)
      assert.deepEqual(await collect(again), events)
      assert.deepEqual(await again.find('a'), events[1])
      for (const [index, ref] of refs.entries()) assert.equal(await again.get(ref), awkwardTexts[index])
      await again.append(callFinished(events.length, 'c', 'third'))
      assert.deepEqual(await collect(again), [...events, callFinished(events.length, 'c', 'third')])
      await again.close()
    },
  },
]
