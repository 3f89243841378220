import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/log/event.js'
import type { RunStore } from '../../src/core/ports/store.js'
import { openDiskStore } from '../../src/store/disk.js'
import { createMemoryStore } from '../../src/store/memory.js'
import { type StoreUnderTest, storeCases } from './store.js'

const directories: string[] = []
afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true })
})

async function disk(): Promise<StoreUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), 'store-'))
  directories.push(directory)
  const store = await openDiskStore(directory)
  const reopen = async () => {
    await store.close()
    return openDiskStore(directory)
  }
  return { store, reopen }
}

const memory = async (): Promise<StoreUnderTest> => ({ store: createMemoryStore() })

const stores = { disk, memory }
for (const [name, open] of Object.entries(stores)) {
  describe(`${name} store`, () => {
    for (const { name: promise, needsReopen, run } of storeCases) {
      // An in-memory store cannot be reopened.
      if (needsReopen === true && name === 'memory') continue
      it(promise, async () => {
        const under = await open()
        await run(under)
        await under.store.close()
      })
    }
  })
}

/** Each breaks one requirement, in a way that a real store could. */
const broken: Record<string, (store: RunStore) => Partial<RunStore>> = {
  'forgets what it was told last': store => ({
    async *events() {
      let before: RunEvent | undefined
      for await (const event of store.events()) {
        if (before !== undefined) yield before
        before = event
      }
    },
  }),
  'counts only what is written': store => {
    let written = 0
    return {
      get length() {
        return written
      },
      async append(event) {
        await Promise.resolve()
        await store.append(event)
        written += 1
      },
    }
  },
  'takes begun calls for results': store => {
    const begun = new Set<string>()
    return {
      async append(event) {
        if (event.key !== undefined) begun.add(event.key)
        await store.append(event)
      },
      has: key => begun.has(key),
    }
  },
  'lets a late duplicate replace a result': store => ({
    async find(key) {
      let last: RunEvent | undefined
      for await (const event of store.events())
        if (event.key === key && event.type === 'call.finished') last = event
      return last
    },
  }),
  'gives out texts trimmed': store => ({ get: async ref => (await store.get(ref)).trim() }),
  'names texts by their length': store => {
    const texts = new Map<string, string>()
    return {
      put(text) {
        const ref = text.length.toString(16).padStart(32, '0')
        texts.set(ref, text)
        return ref
      },
      get: async ref => texts.get(ref) ?? store.get(ref),
    }
  },
  'makes up texts': store => ({ get: ref => store.get(ref).catch(() => '') }),
  'hands out its own objects': store => {
    const events: RunEvent[] = []
    return {
      async append(event) {
        await store.append(event)
        events.push(event)
      },
      find: async key => events.find(event => event.key === key && event.type === 'call.finished'),
    }
  },
  'takes events in any order': () => {
    const events: RunEvent[] = []
    return {
      get length() {
        return events.length
      },
      append: async event => void events.push(structuredClone(event)),
      async *events() {
        yield* events
      },
    }
  },
}

describe('the suite itself', () => {
  for (const [fault, breakIt] of Object.entries(broken)) {
    it(`fails a store that ${fault}`, async () => {
      const failed: string[] = []
      for (const { name, needsReopen, run } of storeCases) {
        if (needsReopen === true) continue
        const good = createMemoryStore()
        // Copies descriptors, so that getters stay getters.
        const own = Object.getOwnPropertyDescriptors(breakIt(good))
        const store = Object.defineProperties(Object.create(good), own) as RunStore
        await run({ store }).catch(() => failed.push(name))
      }
      expect(failed).not.toEqual([])
      expect(failed.length).toBeLessThan(storeCases.length - 1)
    })
  }

  it('fails a store that comes back empty', async () => {
    const persistent = storeCases.filter(({ needsReopen }) => needsReopen === true)
    expect(persistent).not.toEqual([])
    for (const { run } of persistent) {
      await expect(
        run({ store: createMemoryStore(), reopen: async () => createMemoryStore() }),
      ).rejects.toThrow()
    }
  })
})
