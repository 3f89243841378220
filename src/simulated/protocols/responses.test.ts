import { describe, expect, it } from 'vitest'
import { eventsOf, jsonOf, post, serve } from '../../../test/support/loopback.js'
import type { ChatReply } from '../chat.js'

const path = '/v1/responses'
const question = { model: 'm', input: 'Hello' }
const long = 'A reply that is long enough to be sent in two pieces, as this sentence shows.'
const look = { name: 'look', arguments: { at: 'shelf' } }

/** Sends a request in this protocol and returns the converted request that the model receives. */
async function asked(body: object) {
  const server = await serve({ replies: ['x'], keepLog: true })
  const response = await post(server, path, body)
  expect(response.status, await response.text()).toBe(200)
  await server.close()
  return server.log[0]?.body
}

const whole = async (reply: ChatReply, body: object = {}) =>
  jsonOf(post(await serve({ replies: [reply] }), path, { ...question, ...body }))
const streamed = async (reply: ChatReply, body: object = {}) =>
  eventsOf(post(await serve({ replies: [reply] }), path, { ...question, stream: true, ...body }))

describe('a request', () => {
  it('is a conversation with tools, their calls and results', async () => {
    const request = await asked({
      model: 'm',
      instructions: 'The skill.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'The task.' }] },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"at":"shelf"}' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: '*** Begin' },
        { type: 'function_call_output', call_id: 'c1', output: 'A cup.' },
        { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'Done.' }] },
      ],
      tools: [
        { type: 'function', name: 'look', description: 'Looks.', parameters: { type: 'object' } },
        { type: 'custom', name: 'patch', format: { type: 'grammar' } },
        { type: 'web_search' },
      ],
      tool_choice: { type: 'function', name: 'look' },
      text: { format: { type: 'json_schema', name: 'verdict', strict: true, schema: { type: 'object' } } },
      reasoning: { effort: 'low' },
      max_output_tokens: 9,
    })
    expect(request).toEqual({
      model: 'm',
      stream: false,
      max_completion_tokens: 9,
      reasoning_effort: 'low',
      messages: [
        { role: 'system', content: 'The skill.' },
        { role: 'user', content: 'The task.' },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"shelf"}' } },
            { id: 'c2', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'A cup.' },
        { role: 'tool', tool_call_id: 'c2', content: 'Done.' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } },
        },
        { type: 'custom', name: 'patch', format: { type: 'grammar' } },
        { type: 'web_search' },
      ],
      tool_choice: { type: 'function', function: { name: 'look' } },
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'verdict', strict: true, schema: { type: 'object' } },
      },
    })
  })

  it('carries images and documents', async () => {
    const content = [
      { type: 'input_text', text: 'Look:' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAEC', detail: 'high' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAEC' },
    ]
    const request = await asked({ model: 'm', input: [{ role: 'user', content }] })
    expect(request?.messages[0]?.content).toEqual([
      { type: 'text', text: 'Look:' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAEC' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAEC' } },
    ])
  })

  it.each([
    [{ input: 'x' }, 'model'],
    [{ model: 'm' }, 'input'],
    [{ model: 'm', input: [] }, 'input'],
    [{ model: 'm', input: [{ role: 'user', content: [{ type: 'input_text' }] }] }, 'input.0.content'],
    [{ model: 'm', input: [{ type: 'function_call', name: 'look' }] }, 'input.0.call_id'],
    [{ ...question, previous_response_id: 'resp_1' }, 'nothing is stored here'],
    [{ model: 'm', input: [{ type: 'item_reference', id: 'msg_1' }] }, 'send each of them whole'],
  ])('%j is refused', async (body, words) => {
    const response = await post(await serve({ replies: ['x'] }), path, body)
    expect(response.status).toBe(400)
    const { error } = await jsonOf(response)
    expect(error).toMatchObject({ type: 'invalid_request_error', param: null })
    expect(error.message).toContain(words)
  })
})

describe('a reply', () => {
  it('is a list of items and echoes the request settings', async () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 3,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 8 },
    }
    const reply = await whole({ content: 'Hi', toolCalls: [look], usage }, { temperature: 0.5 })
    expect(reply).toMatchObject({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'm',
      error: null,
      incomplete_details: null,
      instructions: null,
      temperature: 0.5,
      tools: [],
      usage: {
        input_tokens: 12,
        input_tokens_details: { cached_tokens: 8 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 15,
      },
    })
    expect(reply.output).toEqual([
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
      },
      {
        type: 'function_call',
        id: 'fc_1_0',
        status: 'completed',
        call_id: 'call_1_0',
        name: 'look',
        arguments: '{"at":"shelf"}',
      },
    ])
  })

  it('omits usage if configured to', async () => {
    expect((await whole({ content: 'x', usage: null })).usage).toBeNull()
  })

  it.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const)('that ended by %s is incomplete', async (finishReason, reason) => {
    const expected = { status: 'incomplete', incomplete_details: { reason } }
    expect(await whole({ content: 'Hal', finishReason })).toMatchObject(expected)
    const last = (await streamed({ content: 'Hal', finishReason })).at(-1)
    expect(last).toMatchObject({ name: 'response.incomplete', data: { response: expected } })
  })

  it('can be a refusal', async () => {
    const reply = await whole({ refusal: 'I will not.' })
    expect(reply.output[0].content).toEqual([{ type: 'refusal', refusal: 'I will not.' }])
    const names = (await streamed({ refusal: 'I will not.' })).map(({ name }) => name)
    expect(names).toContain('response.refusal.delta')
    expect(names).toContain('response.refusal.done')
  })

  it('calls a tool in its namespace, and one that takes text with text', async () => {
    const inner = { type: 'function', name: 'look', parameters: { type: 'object' } }
    const tools = [
      { type: 'namespace', name: 'mcp__house', description: 'A house.', tools: [inner] },
      { type: 'custom', name: 'patch' },
    ]
    const toolCalls = [
      { name: 'mcp__house__look', arguments: { at: 'shelf' } },
      { name: 'patch', arguments: '*** Begin' },
    ]
    expect((await whole({ toolCalls }, { tools })).output).toMatchObject([
      { type: 'function_call', name: 'look', namespace: 'mcp__house', arguments: '{"at":"shelf"}' },
      { type: 'custom_tool_call', name: 'patch', input: '*** Begin' },
    ])
    const names = (await streamed({ toolCalls }, { tools })).map(({ name }) => name)
    expect(names).toContain('response.custom_tool_call_input.delta')
    const called = {
      type: 'function_call',
      call_id: 'c',
      namespace: 'mcp__house',
      name: 'look',
      arguments: '{}',
    }
    const request = await asked({ model: 'm', tools, input: [{ role: 'user', content: 'x' }, called] })
    expect(request?.tools).toMatchObject([{ function: { name: 'mcp__house__look' } }, { name: 'patch' }])
    expect(request?.messages[1]?.tool_calls).toMatchObject([{ function: { name: 'mcp__house__look' } }])
  })
})

describe('a stream', () => {
  it('builds up each item in order', async () => {
    const events = await streamed({ content: long, toolCalls: [look] })
    expect(events.map(({ name }) => name)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map(({ data }) => data.type)).toEqual(events.map(({ name }) => name))
    expect(events.map(({ data }) => data.sequence_number)).toEqual([...events.keys()])
  })

  it('begins with nothing and ends with the whole', async () => {
    const events = await streamed({ content: long, toolCalls: [look] })
    const ofType = (type: string) => events.filter(({ name }) => name === type).map(({ data }) => data)
    expect(ofType('response.created')[0].response).toMatchObject({
      status: 'in_progress',
      output: [],
      usage: null,
    })
    expect(ofType('response.output_item.added').map(({ item }) => item)).toMatchObject([
      { type: 'message', status: 'in_progress', content: [] },
      { type: 'function_call', status: 'in_progress', name: 'look', arguments: '' },
    ])
    const deltas = ofType('response.output_text.delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe(long)
    expect(deltas[0]).toMatchObject({ item_id: 'msg_1', output_index: 0, content_index: 0 })
    expect(ofType('response.output_text.done')[0].text).toBe(long)
    expect(ofType('response.function_call_arguments.done')[0]).toMatchObject({
      item_id: 'fc_1_0',
      output_index: 1,
      arguments: '{"at":"shelf"}',
    })
    const { response } = ofType('response.completed')[0]
    expect(response.output).toEqual(ofType('response.output_item.done').map(({ item }) => item))
    expect(response.usage.output_tokens).toBeGreaterThan(0)
  })
})
