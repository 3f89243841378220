import { describe, expect, it } from 'vitest'
import { withRefusals } from './refusal.js'

async function through(body: string, options: { stream?: boolean; piece?: number; status?: number } = {}) {
  const bytes = new TextEncoder().encode(body)
  const size = options.piece ?? bytes.length
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
  const type = options.stream === true ? 'text/event-stream; charset=utf-8' : 'application/json'
  const response = new Response(stream, { status: options.status ?? 200, headers: { 'content-type': type } })
  return (await withRefusals(async () => response)('http://host', {})).text()
}

describe('a refusal', () => {
  it('of Chat Completions becomes filtered text', async () => {
    const message = { role: 'assistant', content: null, refusal: 'I will not.' }
    const text = await through(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }))
    expect(JSON.parse(text)).toEqual({
      choices: [
        {
          message: { role: 'assistant', content: 'I will not.', refusal: null },
          finish_reason: 'content_filter',
        },
      ],
    })
  })

  it.each([1, 7, 1000])('is found in a stream that comes in pieces of %i bytes', async piece => {
    const events = [
      { choices: [{ delta: { content: '' }, finish_reason: null }] },
      { choices: [{ delta: { refusal: 'I wíll ' }, finish_reason: null }] },
      { choices: [{ delta: { refusal: 'not.' }, finish_reason: null }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
    ]
    const body = `${events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]`
    const text = await through(body, { stream: true, piece })
    const data = text.split('\n').flatMap(line => (line.startsWith('data: {') ? [line.slice(6)] : []))
    const choices = data.map(
      line =>
        (JSON.parse(line) as { choices: { delta: { content?: string }; finish_reason: string }[] })
          .choices[0],
    )
    expect(choices.map(choice => choice?.delta.content ?? '').join('')).toBe('I wíll not.')
    expect(choices.at(-1)?.finish_reason).toBe('content_filter')
    expect(text.endsWith('\n\ndata: [DONE]')).toBe(true)
  })

  it.each([
    ['an answer with an empty field for it', '{"choices":[{"message":{"content":"x","refusal":null}}]}', {}],
    ['words about one', '{"choices":[{"message":{"content":"a \\"refusal\\": \\"no\\""}}]}', {}],
    ['what cannot be read', '{"refusal": "no', {}],
    ['an error', '{"refusal":"no"}', { status: 400 }],
    ['a stream without one', 'event: ping\ndata: {"a":  1}\n\n', { stream: true }],
  ])('leaves %s as it is', async (_what, body, options) => {
    expect(await through(body, options)).toBe(body)
  })
})
