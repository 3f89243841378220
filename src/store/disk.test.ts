import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callFinished, callStarted, collect } from '../../test/conformance/store.js'
import { runTypescript } from '../../test/run-typescript.js'
import { InputError } from '../core/errors/errors.js'
import type { RunEvent } from '../core/log/event.js'
import { openDiskStore } from './disk.js'

let directory: string
let events: string
let blobs: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'disk-store-'))
  events = join(directory, 'events.jsonl')
  blobs = join(directory, 'blobs.jsonl')
})
afterEach(() => rm(directory, { recursive: true }))

/**
 * Writes `count` results, each with its own text. Returns the size of blobs.jsonl in bytes before each text.
 */
async function write(count: number): Promise<number[]> {
  const store = await openDiskStore(directory)
  const sizes: number[] = []
  for (let seq = 0; seq < count; seq++) {
    sizes.push((await readFile(blobs)).length)
    await store.append(callFinished(seq, `key ${seq}`, 'reply', store.put(`text ${seq}`)))
  }
  await store.close()
  return sizes
}

describe('the files', () => {
  it('hold one JSON object per line, and each text once', async () => {
    const store = await openDiskStore(directory)
    const ref = store.put('hello')
    store.put('hello')
    const event = callFinished(0, 'a', 'reply', ref)
    await store.append(event)
    store.put('hello')
    await store.close()
    expect(await readFile(blobs, 'utf8')).toBe(`{"hash":"${ref}","text":"hello"}\n`)
    expect(JSON.parse(await readFile(events, 'utf8'))).toEqual(event)
  })

  it('hold a text before the event that names it is there', async () => {
    const store = await openDiskStore(directory)
    const ref = store.put('x'.repeat(3_000_000))
    await store.append(callFinished(0, 'a', 'reply', ref))
    expect((await readFile(blobs, 'utf8')).endsWith('"}\n')).toBe(true)
    await store.close()
  })
})

describe('opening after a crash', () => {
  it('removes a torn last event and says so', async () => {
    await write(3)
    await appendFile(events, '{"seq":3,"at":10')
    const store = await openDiskStore(directory)
    expect(store.length).toBe(3)
    expect(store.healed).toEqual([expect.stringContaining('events.jsonl: removed 16 bytes')])
    await store.append(callFinished(3, 'again', 'reply'))
    expect((await collect(store)).map(({ seq }) => seq)).toEqual([0, 1, 2, 3])
    await store.close()
  })

  it('removes a torn last text, which no event names yet', async () => {
    await write(2)
    await appendFile(blobs, '{"hash":"0123')
    const store = await openDiskStore(directory)
    expect(store.healed).toEqual([expect.stringContaining('blobs.jsonl: removed 13 bytes')])
    expect(store.length).toBe(2)
    const ref = store.put('new')
    await store.close()
    const again = await openDiskStore(directory)
    expect(again.healed).toEqual([])
    expect(await again.get(ref)).toBe('new')
    await again.close()
  })

  it('goes back to before the first event whose text the disk lost', async () => {
    const sizes = await write(5)
    await truncate(blobs, sizes[3])
    const store = await openDiskStore(directory)
    expect(store.length).toBe(3)
    expect(store.has('key 2')).toBe(true)
    expect(store.has('key 3')).toBe(false)
    expect(store.healed).toEqual([expect.stringContaining('removed the last 2 events')])
    await store.append(callFinished(3, 'key 3', 'again', store.put('text 3')))
    expect((await store.find('key 3'))?.seq).toBe(3)
    await store.close()
  })

  it('throws nothing away when the texts are gone altogether', async () => {
    await write(3)
    const before = await readFile(events, 'utf8')
    await rm(blobs)
    await expect(openDiskStore(directory)).rejects.toThrow(InputError)
    await expect(openDiskStore(directory)).rejects.toThrow('event 0 names text')
    expect(await readFile(events, 'utf8')).toBe(before)
  })

  it('has every event that was acknowledged before kill -9', async () => {
    const program = `
      const { openDiskStore } = await load('src/store/disk.ts')
      const { callFinished } = await load('test/conformance/store.ts')
      const store = await openDiskStore(process.argv[1])
      for (;;) {
        const seq = store.length
        await store.append(callFinished(seq, 'key ' + seq, 'reply', store.put('text ' + seq)))
        process.stdout.write(seq + '\\n')
      }`
    const child = runTypescript(program, [directory])
    let said = ''
    child.stdout.on('data', chunk => {
      said += chunk
      if (said.length > 2_000) child.kill('SIGKILL')
    })
    await once(child, 'close')
    const acknowledged = said.split('\n').length - 1
    const store = await openDiskStore(directory)
    expect(acknowledged).toBeGreaterThan(100)
    expect(store.length).toBeGreaterThanOrEqual(acknowledged)
    for (let seq = 0; seq < store.length; seq++) expect(store.has(`key ${seq}`)).toBe(true)
    await store.close()
  })
})

describe('refuses', () => {
  it('a log of a newer version', async () => {
    const started = { seq: 0, at: 0, type: 'run.started', body: { log: 99 } }
    await writeFile(events, `${JSON.stringify(started)}\n`)
    await expect(openDiskStore(directory)).rejects.toThrow('newer version of skillopt (log version 99')
  })

  it('a log in which an event is missing', async () => {
    await write(3)
    const lines = (await readFile(events, 'utf8')).split('\n')
    await writeFile(events, [lines[0], lines[2], ''].join('\n') + JSON.stringify(callStarted(3, 'x')))
    await expect(openDiskStore(directory)).rejects.toThrow(`${events} is damaged: line 2`)
  })

  it('a path that is a file', async () => {
    const file = join(directory, 'file')
    await writeFile(file, '')
    await expect(openDiskStore(file)).rejects.toThrow(InputError)
  })
})

it('reads events written so far while more are being appended', async () => {
  const store = await openDiskStore(directory)
  const total = 200
  const reading = (async () => {
    const lengths: number[] = []
    while ((lengths.at(-1) ?? 0) < total) {
      const seen: RunEvent[] = await collect(store)
      expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index))
      lengths.push(seen.length)
      await new Promise(setImmediate)
    }
  })()
  for (let seq = 0; seq < total; seq++) await store.append(callStarted(seq, `key ${seq}`))
  await reading
  await store.close()
})
