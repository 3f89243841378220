import { expect, it } from 'vitest'
import { pdf, png } from '../../../test/support/pictures.js'
import { contentHash, taskHash } from '../text/hash.js'
import { filePart } from './files.js'
import { keepMessage, keyOfMessage, readMessage } from './messages.js'
import { promptParts, userMessage } from './parts.js'

function texts() {
  const kept = new Map<string, string>()
  const put = (text: string) => {
    kept.set(contentHash(text), text)
    return contentHash(text)
  }
  const get = async (ref: string) => kept.get(ref) ?? 'missing'
  return { kept, put, get }
}

const asking = (name: string, colour?: Parameters<typeof png>[0]) =>
  userMessage([filePart(name, png(colour)), { type: 'text', text: 'What colour is it?' }])

it('shows a file by its name, type and size', () => {
  expect(asking('square.png').text).toBe(
    `[image square.png, image/png, ${png().length} B]\n\nWhat colour is it?`,
  )
  expect(asking('two\nlines] [x.png').text).toContain('[image two lines x.png, image/png')
})

it('is plain text where there is no file', () => {
  expect(userMessage(promptParts('Hello.'))).toEqual({ role: 'user', text: 'Hello.' })
  const parts = [
    { type: 'text', text: 'a' },
    { type: 'text', text: '' },
    { type: 'text', text: 'b' },
  ] as const
  expect(userMessage(parts)).toEqual({ role: 'user', text: 'a\n\nb' })
})

it('keeps the bytes of a file once and out of the message, and reads it back by its name', async () => {
  const { kept, put, get } = texts()
  const first = keepMessage(asking('a.png'), put)
  const second = keepMessage(asking('b.png'), put)
  expect(kept.size).toBe(2)
  expect(JSON.stringify([first, second])).not.toContain(png().toString('base64').slice(0, 40))
  expect(await readMessage(first, get)).toEqual({ role: 'user', text: asking('a.png').text })
  expect((await readMessage(second, get)).text).toContain('b.png')
})

it('has a key that depends on the content of files and not on their names', () => {
  const { put } = texts()
  const key = (message: ReturnType<typeof asking>) => JSON.stringify(keyOfMessage(keepMessage(message, put)))
  expect(key(asking('a.png'))).toBe(key(asking('b.png')))
  expect(key(asking('a.png'))).not.toBe(key(asking('a.png', [0, 0, 0])))
  const plain = keepMessage({ role: 'user', text: 'x' }, put)
  expect(keyOfMessage(plain)).toBe(plain)
})

it('hashes a task by what its files hold', () => {
  const task = (name: string, hash: string) =>
    taskHash({ id: 't', attachments: [{ name, mediaType: 'image/png', bytes: 1, hash }] })
  expect(task('a.png', '1')).toBe(task('b.png', '1'))
  expect(task('a.png', '1')).not.toBe(task('a.png', '2'))
})

it('keeps a short reply where it stands, and a prompt or a long reply as a text of its own', async () => {
  const { kept, put, get } = texts()
  const message = (role: 'assistant' | 'user', length: number) => ({ role, text: 'x'.repeat(length) })
  expect(keepMessage(message('assistant', 600), put)).toEqual(message('assistant', 600))
  expect(kept.size).toBe(0)
  for (const long of [message('assistant', 601), message('user', 3)]) {
    const stored = keepMessage(long, put)
    expect(stored).toEqual({ role: long.role, blob: contentHash(long.text) })
    expect(await readMessage(stored, get)).toEqual(long)
  }
  expect(await readMessage({ role: 'assistant' }, get)).toEqual({ role: 'assistant', text: '' })
})

it('keeps tool calls and what they are answers to, where there are any', async () => {
  const { put, get } = texts()
  const call = {
    role: 'assistant',
    text: '',
    toolCalls: [{ id: '1', name: 'add', arguments: '{}' }],
  } as const
  const result = { role: 'tool', text: '4', toolCallId: '1' } as const
  expect(keepMessage(call, put)).toEqual(call)
  expect(await readMessage(keepMessage(result, put), get)).toEqual(result)
  expect(Object.keys(keepMessage({ role: 'assistant', text: '4' }, put))).toEqual(['role', 'text'])
})

it('keeps the pages of a document where they are known, and its words beside it in the key', () => {
  const { put } = texts()
  const words = (text: string) =>
    keepMessage(userMessage([filePart('a.pdf', pdf(3)), { type: 'text', text }]), put)
  expect(words('Sum up.').parts).toMatchObject([
    { type: 'document', pages: 3, bytes: pdf(3).length },
    { type: 'text', blob: contentHash('Sum up.') },
  ])
  expect(keyOfMessage(words('Sum up.')).parts).toMatchObject([{ name: '' }, { blob: contentHash('Sum up.') }])
  expect(keyOfMessage(words('Sum up.')).parts?.[1]).not.toHaveProperty('name')
  expect(keepMessage(asking('a.png'), put).parts?.[0]).not.toHaveProperty('pages')
})

it('keeps how closely an image is to be looked at, in the key as well', () => {
  const { put } = texts()
  const image = filePart('a.png', png())
  const looking = (detail: 'low' | 'high') =>
    keepMessage(userMessage([image.type === 'image' ? { ...image, detail } : image]), put)
  expect(looking('low').parts?.[0]).toMatchObject({ type: 'image', detail: 'low' })
  expect(keyOfMessage(looking('low'))).not.toEqual(keyOfMessage(looking('high')))
  expect(keepMessage(asking('a.png'), put).parts?.[0]).not.toHaveProperty('detail')
})

it('leaves out empty words beside a file, and takes parts as they are', () => {
  const image = filePart('a.png', png())
  const parts = [{ type: 'text', text: '' } as const, image, { type: 'text', text: 'What?' } as const]
  expect(promptParts(parts)).toBe(parts)
  expect(userMessage(parts).parts).toEqual([image, { type: 'text', text: 'What?' }])
})
