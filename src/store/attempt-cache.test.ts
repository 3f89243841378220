import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { InputError } from '../core/errors/errors.js'
import type { Attempt } from '../core/task/task.js'
import { emptyCache, measureCache, openAttemptCache } from './attempt-cache.js'
import { createMemoryStore } from './memory.js'

const folders: string[] = []
let folder = ''
let notices: string[] = []
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'skillopt-cache-')), 'cache')
  folders.push(dirname(folder))
  notices = []
})
afterAll(() => Promise.all(folders.map(path => rm(path, { recursive: true }))))

const open = (identity: unknown = { target: 'a' }) =>
  openAttemptCache(folder, { identity, notice: text => notices.push(text) })

const long = `rules\n${'skill '.repeat(800)}\ud800`
const texts = [long, 'question\nof "two" lines', 'base64 of an image', 'notes for reflection']

/** An attempt with its texts in its own store, as in a run. */
function made(hard = 1) {
  const store = createMemoryStore()
  const [system = '', question = '', image = '', hidden = ''] = texts.map(text => store.put(text))
  const attempt: Attempt = {
    task: 't',
    type: 'kind',
    sample: 0,
    messages: [
      { role: 'system', blob: system },
      {
        role: 'user',
        parts: [
          { type: 'image', name: 'a.png', mediaType: 'image/png', bytes: 3, blob: image },
          { type: 'text', blob: question },
        ],
      },
      { role: 'assistant', text: 'answer' },
    ],
    outcome: { status: 'scored', score: { hard, soft: hard, feedback: 'why' }, stop: 'answered' },
    hidden,
  }
  return { attempt, get: store.get }
}

async function keep(key = 'key', hard = 1) {
  const { attempt, get } = made(hard)
  await (await open()).keep(key, attempt, get)
  return attempt
}

async function find(key = 'key', identity?: unknown) {
  const store = createMemoryStore()
  const attempt = await (await open(identity)).find(key, store.put)
  return { attempt, get: store.get }
}

async function files(part: 'attempts' | 'texts'): Promise<string[]> {
  const entries = await readdir(join(folder, part), { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
}

describe('an attempt in the cache', () => {
  it('comes back with all of its texts, in another store', async () => {
    const attempt = await keep()
    const found = await find()
    expect(found.attempt).toEqual(attempt)
    const [system, question] = attempt.messages
    const refs = [system?.blob, question?.parts?.[1]?.blob, question?.parts?.[0]?.blob, attempt.hidden]
    expect(await Promise.all(refs.map(ref => found.get(ref ?? '')))).toEqual(texts)
    expect(notices).toEqual([])
  })

  it('is found under its own key and identity only', async () => {
    await keep()
    expect((await find('other')).attempt).toBeUndefined()
    expect((await find('key', { target: 'b' })).attempt).toBeUndefined()
    expect((await find('key', { target: 'a', more: 1 })).attempt).toBeUndefined()
    expect(notices).toEqual([])
  })

  it('keeps a long text once, however many attempts and sessions name it', async () => {
    for (let number = 0; number < 3; number++) await keep(`key ${number}`)
    expect(await files('attempts')).toHaveLength(3)
    expect(await files('texts')).toHaveLength(1)
  })

  it('is not kept if it failed for external reasons', async () => {
    const { attempt, get } = made()
    const failed: Attempt = {
      ...attempt,
      outcome: { status: 'failed', failure: { kind: 'timeout', message: 'silence' } },
    }
    await (await open()).keep('key', failed, get)
    expect((await find()).attempt).toBeUndefined()
    expect(await measureCache(folder)).toEqual({ attempts: 0, bytes: 0 })
  })
})

describe('damage is a miss that is reported once, and the next attempt repairs it', () => {
  const damages: Record<string, () => Promise<void>> = {
    'a torn entry': async () => {
      const [path = ''] = await files('attempts')
      await writeFile(path, (await readFile(path, 'utf8')).slice(0, 200))
    },
    'an empty entry': async () => {
      const [path = ''] = await files('attempts')
      await writeFile(path, '')
    },
    'an entry that is no JSON': async () => {
      const [path = ''] = await files('attempts')
      await writeFile(path, 'null\nnothing\n')
    },
    'another score': async () => {
      const [path = ''] = await files('attempts')
      await writeFile(path, (await readFile(path, 'utf8')).replace('"hard":1', '"hard":0'))
    },
    'the entry of another attempt': async () => {
      const [own = ''] = await files('attempts')
      await keep('other', 0)
      const [other = ''] = (await files('attempts')).filter(path => path !== own)
      await writeFile(own, await readFile(other, 'utf8'))
    },
    'another text': async () => {
      const [path = ''] = await files('texts')
      await writeFile(path, (await readFile(path, 'utf8')).replace('skill', 'SKILL'))
    },
    'a lost text': async () => {
      const [path = ''] = await files('texts')
      await rm(path)
    },
    'a folder in place of an entry': async () => {
      const [path = ''] = await files('attempts')
      await rm(path)
      await mkdir(path)
    },
  }
  it.each(Object.entries(damages))('%s', async (name, damage) => {
    await keep()
    await damage()
    const cache = await open()
    const store = createMemoryStore()
    expect(await cache.find('key', store.put)).toBeUndefined()
    expect(await cache.find('key', store.put)).toBeUndefined()
    expect(notices).toHaveLength(1)
    expect(notices[0]).toMatch(/could not be used and is made anew/)
    if (name.startsWith('a folder')) return
    await keep('key', 0)
    expect((await find()).attempt?.outcome).toMatchObject({ score: { hard: 0 } })
  })

  it('leaves no text of half an attempt behind', async () => {
    await keep()
    const [path = ''] = await files('texts')
    await rm(path)
    const put: string[] = []
    await (await open()).find('key', text => {
      put.push(text)
      return ''
    })
    expect(put).toEqual([])
  })
})

describe('the folder', () => {
  it('may be used by several runs at once', async () => {
    const caches = await Promise.all(Array.from({ length: 8 }, () => open()))
    await Promise.all(
      caches.map(async (cache, number) => {
        const { attempt, get } = made(number % 2)
        await cache.keep('same', attempt, get)
        await cache.keep(`own ${number}`, attempt, get)
      }),
    )
    expect((await find('same')).attempt?.task).toBe('t')
    for (let number = 0; number < 8; number++) {
      expect((await find(`own ${number}`)).attempt?.outcome).toMatchObject({ score: { hard: number % 2 } })
    }
    expect(notices).toEqual([])
  })

  it('that somebody else uses is refused', async () => {
    await mkdir(folder)
    await writeFile(join(folder, 'thesis.md'), 'mine')
    await expect(open()).rejects.toThrow(InputError)
    await expect(open()).rejects.toThrow(/holds other files, such as thesis\.md/)
    expect(await readdir(folder)).toEqual(['thesis.md'])
  })

  it('that is a file is refused', async () => {
    await writeFile(folder, 'mine')
    await expect(open()).rejects.toThrow(/The cache cannot be opened/)
  })

  it('that can no longer be written is reported once, and the run continues', async () => {
    const cache = await open()
    await writeFile(join(folder, 'attempts'), 'in the way')
    const { attempt, get } = made()
    await cache.keep('one', attempt, get)
    await cache.keep('two', attempt, get)
    expect(notices).toHaveLength(1)
    expect(notices[0]).toMatch(/Can't write to the cache/)
  })

  it('can be measured and emptied, also while a run uses it', async () => {
    expect(await measureCache(folder)).toBeUndefined()
    const cache = await open()
    const { attempt, get } = made()
    await cache.keep('one', attempt, get)
    expect(await measureCache(folder)).toMatchObject({ attempts: 1 })
    expect((await measureCache(folder))?.bytes).toBeGreaterThan(long.length)
    await emptyCache(folder)
    expect(await measureCache(folder)).toEqual({ attempts: 0, bytes: 0 })
    expect(await cache.find('one', () => '')).toBeUndefined()
    await cache.keep('two', attempt, get)
    expect((await find('two')).attempt).toEqual(attempt)
    expect(notices).toEqual([])
  })
})
