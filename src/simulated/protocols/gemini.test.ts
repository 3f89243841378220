import { describe, expect, it } from 'vitest'
import { eventsOf, jsonOf, post, serve } from '../../../test/support/loopback.js'
import type { ChatReply } from '../chat.js'

const path = '/v1beta/models/m:generateContent'
const streamPath = '/v1beta/models/m:streamGenerateContent?alt=sse'
const question = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const long = 'A reply that is long enough to be sent in two pieces, as this sentence shows.'
const look = { name: 'look', arguments: { at: 'shelf' } }

async function asked(body: object, at = path) {
  const server = await serve({ replies: ['x'], keepLog: true })
  const response = await post(server, at, { ...question, ...body })
  expect(response.status, await response.text()).toBe(200)
  await server.close()
  return server.log[0]?.body
}

const whole = async (reply: ChatReply) => jsonOf(post(await serve({ replies: [reply] }), path, question))
const streamed = async (reply: ChatReply) =>
  (await eventsOf(post(await serve({ replies: [reply] }), streamPath, question))).map(({ data }) => data)

describe('a request', () => {
  it('is a conversation with tools, their calls and results', async () => {
    const request = await asked({
      systemInstruction: { parts: [{ text: 'The skill.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'The task.' }] },
        {
          role: 'model',
          parts: [
            { text: 'Hm.', thought: true },
            { text: 'I look.' },
            { functionCall: { id: 'f1', name: 'look', args: { at: 'shelf' } }, thoughtSignature: 's' },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'f1', name: 'look', response: { output: 'A cup.' } } },
            { text: 'Go on.' },
          ],
        },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: 'look', description: 'Looks.', parameters: { type: 'OBJECT' } },
            { name: 'wait', parametersJsonSchema: { type: 'object' } },
          ],
        },
        { googleSearch: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        maxOutputTokens: 9,
        stopSequences: ['END'],
        seed: 7,
        responseMimeType: 'application/json',
        responseSchema: { type: 'OBJECT' },
      },
    })
    expect(request).toEqual({
      model: 'm',
      stream: false,
      max_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      stop: ['END'],
      seed: 7,
      messages: [
        { role: 'system', content: 'The skill.' },
        { role: 'user', content: 'The task.' },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [
            { id: 'f1', type: 'function', function: { name: 'look', arguments: '{"at":"shelf"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'f1', content: 'A cup.' },
        { role: 'user', content: 'Go on.' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks.', parameters: { type: 'OBJECT' } },
        },
        { type: 'function', function: { name: 'wait', parameters: { type: 'object' } } },
        { googleSearch: {} },
      ],
      tool_choice: 'required',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'response', schema: { type: 'OBJECT' } },
      },
    })
  })

  it('that has calls without ids gives each result to its own', async () => {
    const call = { functionCall: { name: 'look', args: {} } }
    const result = (said: object) => ({ functionResponse: { name: 'look', response: said } })
    const request = await asked({
      contents: [
        { role: 'user', parts: [{ text: 'x' }] },
        { role: 'model', parts: [call, call] },
        { role: 'user', parts: [result({ output: 'first' }), result({ seen: 2 })] },
      ],
    })
    const ids = request?.messages[1]?.tool_calls?.map(made => (made as { id: string }).id)
    expect(new Set(ids).size).toBe(2)
    expect(request?.messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: ids?.[0], content: 'first' },
      { role: 'tool', tool_call_id: ids?.[1], content: '{"seen":2}' },
    ])
  })

  it('carries images and documents', async () => {
    const parts = [
      { text: 'Look:' },
      { inlineData: { mimeType: 'image/png', data: 'AAEC' } },
      { inlineData: { mimeType: 'application/pdf', data: 'AAEC' } },
      { fileData: { mimeType: 'image/png', fileUri: 'https://example.org/a.png' } },
    ]
    const request = await asked({ contents: [{ role: 'user', parts }] })
    expect(request?.messages[0]?.content).toEqual([
      { type: 'text', text: 'Look:' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAEC' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AAEC' } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
    ])
  })

  it('names its model in the path, with more than one part or none before it', async () => {
    expect((await asked({}, '/v1beta/simulated/target:generateContent'))?.model).toBe('simulated/target')
    expect(await asked({}, '/v1/models/other:streamGenerateContent?alt=sse')).toMatchObject({
      model: 'other',
      stream: true,
    })
  })

  it.each([
    [{ contents: [] }, path, 'contents'],
    [{ contents: [{ role: 'user', parts: [{ text: 5 }] }] }, path, 'contents.0.parts.0.text'],
    [{ contents: [{ role: 'user', parts: [{ functionCall: {} }] }] }, path, 'functionCall.name'],
    [{}, '/v1beta/models/m:streamGenerateContent', 'alt=sse'],
  ])('%j at %s is refused', async (body, at, words) => {
    const response = await post(await serve({ replies: ['x'] }), at, { ...question, ...body })
    expect(response.status).toBe(400)
    const { error } = await jsonOf(response)
    expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
    expect(error.message).toContain(words)
  })

  it('can ask for the number of its tokens only', async () => {
    const server = await serve({ replies: [] })
    const counting = '/v1beta/models/m:countTokens'
    expect(await jsonOf(post(server, counting, question))).toEqual({ totalTokens: 2 })
    const nested = { generateContentRequest: { model: 'models/m', ...question } }
    expect(await jsonOf(post(server, counting, nested))).toEqual({ totalTokens: 2 })
    expect(server.counters.requests).toBe(0)
  })
})

describe('a reply', () => {
  it('is a candidate of parts', async () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 3,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 8 },
    }
    expect(await whole({ content: 'Hi', toolCalls: [look], usage })).toEqual({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'Hi' },
              { functionCall: { id: 'call_1_0', name: 'look', args: { at: 'shelf' } } },
            ],
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: 12,
        cachedContentTokenCount: 8,
        candidatesTokenCount: 3,
        totalTokenCount: 15,
      },
      modelVersion: 'm',
      responseId: 'response-1',
    })
  })

  it('omits usage if configured to', async () => {
    expect(await whole({ content: 'x', usage: null })).not.toHaveProperty('usageMetadata')
  })

  it.each([
    [{ content: 'x' }, 'STOP'],
    [{ content: 'x', finishReason: 'length' }, 'MAX_TOKENS'],
    [{ content: 'x', finishReason: 'content_filter' }, 'SAFETY'],
    [{ refusal: 'I will not.' }, 'PROHIBITED_CONTENT'],
  ] as const)('%j ends with %s, streamed too', async (reply, reason) => {
    expect((await whole(reply)).candidates[0].finishReason).toBe(reason)
    expect((await streamed(reply)).at(-1).candidates[0].finishReason).toBe(reason)
  })
})

it('a stream is several replies, each with a piece, the last with reason and usage', async () => {
  const chunks = await streamed({ content: long, toolCalls: [look] })
  const parts = chunks.flatMap(({ candidates }) => candidates[0].content.parts)
  expect(parts.map(({ text }) => text ?? '').join('')).toBe(long)
  expect(parts.filter(({ text }) => text !== undefined && text !== '')).toHaveLength(2)
  expect(parts[2]).toEqual({ functionCall: { id: 'call_1_0', name: 'look', args: { at: 'shelf' } } })
  expect(chunks.map(({ candidates }) => candidates[0].finishReason)).toEqual([
    undefined,
    undefined,
    undefined,
    'STOP',
  ])
  expect(chunks.map(({ usageMetadata }) => usageMetadata?.candidatesTokenCount)).toEqual([
    undefined,
    undefined,
    undefined,
    24,
  ])
})
