import { describe, expect, it } from 'vitest'
import { eventsOf, jsonOf, post, serve } from '../../../test/support/loopback.js'
import type { ChatReply } from '../chat.js'

const path = '/v1/messages'
const question = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] }
const long = 'A reply that is long enough to be sent in two pieces, as this sentence shows.'
const look = { name: 'look', arguments: { at: 'shelf' } }

async function asked(body: object) {
  const server = await serve({ replies: ['x'], keepLog: true })
  const response = await post(server, path, { ...question, ...body })
  expect(response.status, await response.text()).toBe(200)
  await server.close()
  return server.log[0]?.body
}

const whole = async (reply: ChatReply) => jsonOf(post(await serve({ replies: [reply] }), path, question))
const streamed = async (reply: ChatReply) =>
  eventsOf(post(await serve({ replies: [reply] }), path, { ...question, stream: true }))

describe('a request', () => {
  it('is a conversation with tools, their calls and results', async () => {
    const request = await asked({
      system: [{ type: 'text', text: 'The skill.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'The task.' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 's' },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 't1', name: 'look', input: { at: 'shelf' } },
            { type: 'tool_use', id: 't2', name: 'wait', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: 'A cup.' },
            {
              type: 'tool_result',
              tool_use_id: 't2',
              content: [{ type: 'text', text: 'Late.' }],
              is_error: true,
            },
            { type: 'text', text: 'Go on.' },
          ],
        },
        { role: 'system', content: 'In between.' },
      ],
      tools: [
        { name: 'look', description: 'Looks.', input_schema: { type: 'object' } },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
      tool_choice: { type: 'any' },
      output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
      stop_sequences: ['END'],
      temperature: 0.5,
    })
    expect(request).toEqual({
      model: 'm',
      stream: false,
      max_tokens: 9,
      temperature: 0.5,
      stop: ['END'],
      reasoning_effort: 'low',
      messages: [
        { role: 'system', content: 'The skill.' },
        { role: 'user', content: 'The task.' },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [
            { id: 't1', type: 'function', function: { name: 'look', arguments: '{"at":"shelf"}' } },
            { id: 't2', type: 'function', function: { name: 'wait', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 't1', content: 'A cup.' },
        { role: 'tool', tool_call_id: 't2', content: 'Late.' },
        { role: 'user', content: 'Go on.' },
        { role: 'system', content: 'In between.' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } },
        },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
      tool_choice: 'required',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'response', schema: { type: 'object' } },
      },
    })
  })

  it('carries images and documents, those that a tool returned too', async () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAEC' } }
    const content = [
      { type: 'tool_result', tool_use_id: 't1', content: [image] },
      { type: 'text', text: 'Look:' },
      image,
      { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
      {
        type: 'document',
        title: 'a.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AAEC' },
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Plain.' } },
      { type: 'search_result', title: 'kept as it is' },
    ]
    const seen = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAEC' } }
    const request = await asked({ messages: [{ role: 'user', content }] })
    expect(request?.messages).toEqual([
      { role: 'tool', tool_call_id: 't1', content: [seen] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          seen,
          { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAEC' } },
          { type: 'text', text: 'Plain.' },
          { type: 'search_result', title: 'kept as it is' },
        ],
      },
    ])
  })

  it.each([
    [{ model: undefined }, 'model'],
    [{ max_tokens: undefined }, 'max_tokens'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages.0.content'],
    [{ system: 5 }, 'system'],
  ])('with %j is refused', async (body, words) => {
    const response = await post(await serve({ replies: ['x'] }), path, { ...question, ...body })
    expect(response.status).toBe(400)
    const reply = await jsonOf(response)
    expect(reply).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error' },
      request_id: 'req_1',
    })
    expect(reply.error.message).toContain(words)
  })

  it('to count its tokens needs no limit, takes no reply and meets no fault', async () => {
    const server = await serve({
      replies: ['first'],
      apiKey: 'k',
      faults: number => (number === 1 ? undefined : 'quota'),
    })
    const { max_tokens: _, ...prompt } = question
    const headers = { 'x-api-key': 'k' }
    const counting = `${path}/count_tokens`
    expect(await jsonOf(post(server, counting, prompt, headers))).toEqual({ input_tokens: 2 })
    expect((await post(server, counting, prompt)).status).toBe(401)
    expect((await post(server, counting, 'not json', headers)).status).toBe(400)
    expect(server.counters.requests).toBe(0)
    expect((await jsonOf(post(server, path, question, headers))).content[0].text).toBe('first')
  })
})

describe('a reply', () => {
  it('is a list of blocks; cached input is counted apart', async () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 3,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 8 },
    }
    expect(await whole({ content: 'Hi', toolCalls: [look], usage })).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 'toolu_1_0', name: 'look', input: { at: 'shelf' } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: {
        input_tokens: 4,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 8,
        output_tokens: 3,
      },
    })
  })

  it.each([
    [{ content: 'x' }, 'end_turn'],
    [{ content: 'x', finishReason: 'length' }, 'max_tokens'],
    [{ content: 'x', finishReason: 'content_filter' }, 'refusal'],
    [{ refusal: 'I will not.' }, 'refusal'],
  ] as const)('%j ends with %s, streamed too', async (reply, reason) => {
    expect((await whole(reply)).stop_reason).toBe(reason)
    const end = (await streamed(reply)).find(({ name }) => name === 'message_delta')
    expect(end?.data.delta.stop_reason).toBe(reason)
  })

  it('carries broken arguments as they are', async () => {
    const toolCalls = [{ name: 'look', arguments: '{"at":' }]
    expect((await whole({ toolCalls })).content[0].input).toBe('{"at":')
    const deltas = (await streamed({ toolCalls })).filter(({ name }) => name === 'content_block_delta')
    expect(deltas[0]?.data.delta.partial_json).toBe('{"at":')
  })
})

describe('a stream', () => {
  it('builds up each block in order', async () => {
    const events = await streamed({ content: long, toolCalls: [look] })
    expect(events.map(({ name }) => name)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(events.map(({ data }) => data.type)).toEqual(events.map(({ name }) => name))
  })

  it('has text and arguments in pieces, and the usage at its ends', async () => {
    const events = (await streamed({ content: long, toolCalls: [look] })).map(({ data }) => data)
    expect(events[0].message).toMatchObject({
      id: 'msg_1',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 2, output_tokens: 1 },
    })
    const deltas = events.filter(({ type }) => type === 'content_block_delta')
    expect(deltas.map(({ delta }) => delta.text ?? '').join('')).toBe(long)
    expect(deltas.map(({ delta }) => delta.partial_json ?? '').join('')).toBe('{"at":"shelf"}')
    expect(deltas.map(({ index }) => index)).toEqual([0, 0, 1])
    const starts = events.filter(({ type }) => type === 'content_block_start')
    expect(starts.map(({ content_block }) => content_block)).toEqual([
      { type: 'text', text: '' },
      { type: 'tool_use', id: 'toolu_1_0', name: 'look', input: {} },
    ])
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 24 },
    })
  })
})
