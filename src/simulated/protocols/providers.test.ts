import { afterAll, describe, expect, it } from 'vitest'
import { serve } from '../../../test/support/loopback.js'
import { modelSchema, resolveModel } from '../../core/config/config.js'
import { WorldFailure } from '../../core/errors/errors.js'
import type { Model, ModelRequest } from '../../core/ports/model.js'
import { closeModels, createModel } from '../../models/index.js'
import { provider as openai } from '../../models/openai.js'
import type { Fetch, ProviderSettings } from '../../models/wire/definition.js'
import { toCallOptions } from '../../models/wire/request.js'
import type { FaultKind } from '../faults.js'
import type { LoopbackServer } from '../server.js'
import type { ProtocolName } from './protocol.js'

/**
 * Runs the providers' own client libraries against this server; they reject anything their vendor would not
 * send.
 */

const families = [
  ['azure/deployed', 'responses', '/openai/v1', 'AZURE_OPENAI_API_KEY'],
  ['anthropic/claude-sonnet-4-6', 'messages', '', 'ANTHROPIC_API_KEY'],
  ['google/gemini-2.5-flash', 'gemini', '', 'GEMINI_API_KEY'],
] as const

const cases = families.flatMap(([model, protocol, path, variable]) =>
  [false, true].map(stream => ({ model, protocol, path, variable, stream })),
)

type Case = (typeof cases)[number]

afterAll(closeModels)

function open({ model, path, variable, stream }: Case, server: LoopbackServer, key = 'k'): Promise<Model> {
  const config = modelSchema.parse({ model, endpoint: `${server.url}${path}`, maxOutputTokens: 99, stream })
  return createModel(resolveModel(config, 'target'), { env: { [variable]: key } })
}

const question: ModelRequest = {
  messages: [
    { role: 'system', text: 'Rules first.' },
    { role: 'user', text: 'What is on the shelf?' },
  ],
  tools: [
    {
      name: 'look',
      description: 'Looks.',
      parameters: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
    },
  ],
}
const signal = new AbortController().signal

describe.each(cases)('$model, stream: $stream', one => {
  it('gets text, usage and the cached part of it', async () => {
    const server = await serve({ respond: () => ({ content: 'A cup.' }), apiKey: 'k' })
    const model = await open(one, server)
    const usual = { text: 'A cup.', stop: 'stop' }
    expect(await model.generate(question, signal)).toMatchObject({ ...usual, usage: { input: 9, output: 2 } })
    expect((await model.generate(question, signal)).usage).toMatchObject({
      input: 9,
      output: 2,
      cachedInput: 3,
    })
  })

  it('calls a tool and brings its result', async () => {
    const call = { name: 'look', arguments: { at: 'shelf' } }
    const server = await serve({
      replies: [{ content: 'I look.', toolCalls: [call] }, 'A cup.'],
      keepLog: true,
    })
    const model = await open(one, server)
    const first = await model.generate(question, signal)
    expect(first).toMatchObject({ text: 'I look.', stop: 'tool-calls' })
    const [made] = first.toolCalls ?? []
    expect(made).toMatchObject({ name: 'look', arguments: '{"at":"shelf"}' })
    const messages = [
      ...question.messages,
      { role: 'assistant', text: first.text, toolCalls: first.toolCalls ?? [] },
      { role: 'tool', text: 'Seen: a cup.', toolCallId: made?.id ?? '' },
    ] as const
    expect((await model.generate({ ...question, messages }, signal)).text).toBe('A cup.')
    await server.close()
    const [asked, later] = server.log
    expect(asked?.body?.tools).toMatchObject([{ type: 'function', function: { name: 'look' } }])
    expect(later).toMatchObject({ protocol: one.protocol satisfies ProtocolName })
    expect(later?.headers.userAgent).toMatch(/^skillopt\//)
    expect(later?.body?.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: made?.id, type: 'function', function: { name: 'look', arguments: '{"at":"shelf"}' } },
        ],
      },
      { role: 'tool', tool_call_id: made?.id, content: 'Seen: a cup.' },
    ])
  })

  it('tells why a reply ended', async () => {
    const server = await serve({
      replies: [
        { content: 'A c', finishReason: 'length' },
        { content: '', finishReason: 'content_filter' },
        { refusal: 'I will not.' },
      ],
    })
    const model = await open(one, server)
    const replies = []
    for (let turn = 0; turn < 3; turn++) replies.push(await model.generate(question, signal))
    expect(replies.map(({ stop }) => stop)).toEqual(['length', 'content-filter', 'content-filter'])
    expect(replies[2]?.text).toBe('I will not.')
  })

  it.each([
    ['rate-limit', { kind: 'rate-limit', retryable: true, retryAfterMs: 7000 }],
    ['server-error', { kind: 'server', retryable: true }],
    ['unauthorized', { kind: 'login', retryable: false }],
    ['quota', { kind: 'quota', retryable: false }],
    ['model-not-found', { kind: 'not-found', retryable: false }],
    ['cut', { kind: 'transport', retryable: true }],
    ['garbage', { retryable: true, mayHaveCost: true }],
  ] as const satisfies readonly (readonly [FaultKind, object])[])('meets %s', async (fault, expected) => {
    const server = await serve({
      respond: () => ({ content: 'A cup.' }),
      faults: { [fault]: 1, retryAfterSeconds: 7 },
    })
    const model = await open(one, server)
    const failure = await model.generate(question, signal).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(WorldFailure)
    expect(failure).toMatchObject(expected)
  })

  it('is turned away with a wrong key', async () => {
    const server = await serve({ respond: () => ({ content: 'A cup.' }), apiKey: 'k' })
    const model = await open(one, server, 'wrong')
    await expect(model.generate(question, signal)).rejects.toMatchObject({ kind: 'login' })
  })
})

it('OpenAI itself is asked by Responses, as it would be elsewhere', async () => {
  const server = await serve({ respond: () => ({ content: 'A cup.' }), apiKey: 'k' })
  const send: Fetch = (input, init) => fetch(input, init)
  const settings: ProviderSettings = {
    model: 'gpt-5-mini',
    endpoint: `${server.url}/v1`,
    endpointGiven: false,
    key: 'k',
    env: {},
    keyVariable: 'OPENAI_API_KEY',
    token: undefined,
    apiVersion: undefined,
    structured: 'text',
    fetch: send,
  }
  const client = await openai.create(settings)
  const reply = await client.doGenerate(
    toCallOptions(question, {
      definition: openai,
      provider: settings,
      temperature: undefined,
      effort: 'low',
      maxOutputTokens: 99,
      structured: 'text',
      sendSeed: false,
    }),
  )
  expect(reply.content).toMatchObject([{ type: 'text', text: 'A cup.' }])
})
