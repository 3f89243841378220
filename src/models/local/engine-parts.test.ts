import { describe, expect, it } from 'vitest'
import { chatItems, readChatRequest } from './chat-request.js'
import type { Sequence } from './engine-types.js'
import { grammarSchema } from './schema.js'
import { Slots } from './slots.js'

const user = { role: 'user', content: 'Hi' }

describe('a request to the engine', () => {
  it('becomes a chat that ends with an open reply', () => {
    const request = readChatRequest({
      model: 'm',
      messages: [
        { role: 'system', content: 'Rules' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'assistant', content: 'c' },
      ],
    })
    if (typeof request === 'string') throw new Error(request)
    expect(chatItems(request)).toEqual([
      { type: 'system', text: 'Rules' },
      { type: 'user', text: 'a\n\nb' },
      { type: 'model', response: ['c'] },
      { type: 'model', response: [] },
    ])
  })

  it.each([
    ['an unknown field', { model: 'm', messages: [user], mirostat: 2 }, 'mirostat'],
    ['tools', { model: 'm', messages: [user], tools: [{}] }, 'no tools'],
    ['a picture', { model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }, 'messages'],
    ['nothing', null, 'model'],
  ])('is refused with %s', (_name, body, problem) => {
    expect(readChatRequest(body)).toContain(problem)
  })
})

it('turns a schema into the subset of the grammar', () => {
  const schema = {
    type: 'object',
    properties: {
      score: { type: 'number', minimum: 0, maximum: 1 },
      edits: { type: 'array', maxItems: 3, items: { anyOf: [{ const: 'a' }, { type: 'null' }] } },
    },
    required: ['score'],
    additionalProperties: false,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
  }
  expect(grammarSchema(schema)).toEqual({
    type: 'object',
    properties: {
      score: { type: 'number' },
      edits: { type: 'array', maxItems: 3, items: { oneOf: [{ const: 'a' }, { type: 'null' }] } },
    },
    additionalProperties: false,
  })
})

describe('slots', () => {
  const sequence = (state: readonly number[]) =>
    ({
      compareContextTokens: (tokens: readonly number[]) => {
        const different = tokens.findIndex((token, index) => token !== state[index])
        return { firstDifferentIndex: different < 0 ? tokens.length : different }
      },
    }) as Sequence
  const never = new AbortController().signal

  it('give a call the sequence with the longest common prefix', async () => {
    const [far, near] = [sequence([9]), sequence([1, 2, 3])]
    const slots = new Slots([far, near])
    expect(await slots.use([1, 2, 4], never, async used => used)).toBe(near)
  })

  it('let calls wait in order, and forget one that is aborted', async () => {
    const slots = new Slots([sequence([])])
    const order: string[] = []
    let release: () => void = () => undefined
    const first = slots.use([], never, () => new Promise<void>(resolve => (release = resolve)))
    const gone = new AbortController()
    const aborted = slots.use([], gone.signal, async () => void order.push('aborted'))
    const second = slots.use([], never, async () => void order.push('second'))
    const third = slots.use([], never, async () => void order.push('third'))
    gone.abort(new Error('gone'))
    await expect(aborted).rejects.toThrow('gone')
    release()
    await Promise.all([first, second, third])
    expect(order).toEqual(['second', 'third'])
  })
})
