import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fieldOf, readItems } from './json-items.js'
import { tooLong } from './lines.js'

describe('the items of a document', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'items-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  async function itemsOf(content: string | Uint8Array, longest?: number) {
    const file = join(folder, 'file')
    await writeFile(file, content)
    const items: unknown[] = []
    for await (const some of readItems(file, 'steps', { signal: new AbortController().signal, longest }))
      items.push(...some)
    return items.map(item => (item === tooLong ? 'too long' : parsed(String(item))))
  }
  const parsed = (text: string): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return `torn ${text}`
    }
  }
  const document = { id: 'a,]}"\\', agent: { steps: [1] }, steps: [{ n: 1 }, [2], 'x', 3, null], end: [{}] }
  const read = [{ id: 'a,]}"\\' }, { agent: { steps: [1] } }, { n: 1 }, [2], 'x', 3, null, { end: [{}] }]

  it('come one by one, with the fields beside them', async () => {
    expect(await itemsOf(JSON.stringify(document))).toEqual(read)
    expect(await itemsOf(` \n${JSON.stringify(document, null, 2)}\n`)).toEqual(read)
    expect(await itemsOf('{}')).toEqual([])
    expect(await itemsOf('{ "steps" : [ ] }')).toEqual([])
    expect(await itemsOf('')).toEqual([])
  })

  it('are those of the list itself, and of no other with its name', async () => {
    expect(await itemsOf('{"steps":{"steps":[1]}}')).toEqual([{ steps: { steps: [1] } }])
    expect(await itemsOf('{"text":"\\"steps\\":[","steps":[{"steps":[1]}]}')).toEqual([
      { text: '"steps":[' },
      { steps: [1] },
    ])
  })

  it('are read as far as they are written, and a truncation is reported', async () => {
    const whole = '{"id":1,"steps":[{"a":"b"},{"c":"d"}]}'
    expect(await itemsOf(whole.slice(0, -4))).toEqual([{ id: 1 }, { a: 'b' }, 'torn {"c":"d'])
    expect(await itemsOf(whole.slice(0, -2))).toEqual([{ id: 1 }, { a: 'b' }, { c: 'd' }, 'torn {'])
    expect(await itemsOf(whole.slice(0, 27))).toEqual([{ id: 1 }, { a: 'b' }, 'torn {'])
    for (let size = 1; size < whole.length; size += 1)
      expect(
        (await itemsOf(whole.slice(0, size))).filter(item => String(item).startsWith('torn')),
      ).not.toEqual([])
  })

  it('keep characters whole that lie between two chunks, and leave long ones out', async () => {
    const long = 'ü🙂"'.repeat(400_000)
    expect(await itemsOf(JSON.stringify({ x: long, steps: [long, { y: long }] }))).toEqual([
      { x: long },
      long,
      { y: long },
    ])
    expect(await itemsOf(JSON.stringify({ x: long, steps: [long, { n: 1 }] }), 1_000)).toEqual([
      'too long',
      'too long',
      { n: 1 },
    ])
  })

  it.each([0, 1, 2, 3])('know an escaped quote %i bytes off the edge of a chunk', async shift => {
    const text = `${'x'.repeat(shift)}${'\\"'.repeat(400_000)}`
    expect(await itemsOf(JSON.stringify({ text, steps: [text, { n: 1 }] }))).toEqual([
      { text },
      text,
      { n: 1 },
    ])
  })

  it('are torn where there is no document', async () => {
    expect(await itemsOf('[1,2]')).toEqual([[1, 2]])
    expect(await itemsOf('no JSON')).toEqual(['torn no JSON'])
    expect(await itemsOf(']]}},{"steps":[{"n":1}]}')).toEqual(['torn ]]}},', { n: 1 }])
  })

  it('stop when they are told to', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '{"steps":[1]}')
    await expect(readItems(file, 'steps', { signal: AbortSignal.abort() }).next()).rejects.toThrow('abort')
    await expect(
      readItems(join(folder, 'none'), 'steps', { signal: new AbortController().signal }).next(),
    ).rejects.toThrow('ENOENT')
  })
})

describe('a field beside the list', () => {
  it('is known from an item', () => {
    expect(fieldOf({ session_id: 'a' })).toEqual(['session_id', 'a'])
    expect(fieldOf({ step_id: 1, source: 'user' })).toBeUndefined()
    expect(fieldOf({ type: 'new' })).toBeUndefined()
    expect(fieldOf({})).toBeUndefined()
  })
})
