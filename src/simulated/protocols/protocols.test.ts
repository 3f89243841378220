import { describe, expect, it } from 'vitest'
import { jsonOf, post, serve } from '../../../test/support/loopback.js'
import type { ChatError } from '../chat.js'
import type { FaultKind } from '../faults.js'
import { answerSimulated } from '../responder.js'
import type { LoopbackServer } from '../server.js'
import { generateSplits } from '../world/generate.js'
import type { ProtocolName } from './protocol.js'

interface Way {
  readonly path: string
  readonly streamPath?: string
  readonly keyHeader: string
  readonly keyBefore?: string
  body(model: string, system: string, user: string): object
  textIn(reply: unknown): unknown
}

const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce((inner, key) => (inner as Record<string | number, unknown>)[key], value)

const ways: Readonly<Record<ProtocolName, Way>> = {
  chat: {
    path: '/v1/chat/completions',
    keyHeader: 'authorization',
    keyBefore: 'Bearer ',
    body: (model, system, user) => ({
      model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
    }),
    textIn: reply => at(reply, 'choices', 0, 'message', 'content'),
  },
  responses: {
    path: '/v1/responses',
    keyHeader: 'authorization',
    keyBefore: 'Bearer ',
    body: (model, instructions, input) => ({ model, instructions, input }),
    textIn: reply => at(reply, 'output', 0, 'content', 0, 'text'),
  },
  messages: {
    path: '/v1/messages',
    keyHeader: 'x-api-key',
    body: (model, system, user) => ({
      model,
      max_tokens: 99,
      system,
      messages: [{ role: 'user', content: user }],
    }),
    textIn: reply => at(reply, 'content', 0, 'text'),
  },
  gemini: {
    path: '/v1beta/models/target:generateContent',
    streamPath: '/v1beta/models/target:streamGenerateContent?alt=sse',
    keyHeader: 'x-goog-api-key',
    body: (_model, system, user) => ({
      systemInstruction: { parts: [{ text: system }] },
      contents: [{ role: 'user', parts: [{ text: user }] }],
    }),
    textIn: reply => at(reply, 'candidates', 0, 'content', 'parts', 0, 'text'),
  },
}
const names = Object.keys(ways) as ProtocolName[]
const others = names.filter(name => name !== 'chat')

function ask(
  server: LoopbackServer,
  name: ProtocolName,
  headers: Record<string, string> = {},
  stream = false,
) {
  const way = ways[name]
  const body = way.body('target', 'Rules first.', 'Hello')
  return stream
    ? post(server, way.streamPath ?? way.path, { ...body, stream: true }, headers)
    : post(server, way.path, body, headers)
}

const echo = {
  respond: () => ({ content: 'A reply that is long enough to be cut in two, and sent in chunks.' }),
}

/** Status and error name of each fault, by protocol. */
const kinds: readonly (readonly [FaultKind, Readonly<Record<ProtocolName, readonly [number, string]>>])[] = [
  [
    'rate-limit',
    {
      chat: [429, 'requests'],
      responses: [429, 'requests'],
      messages: [429, 'rate_limit_error'],
      gemini: [429, 'RESOURCE_EXHAUSTED'],
    },
  ],
  [
    'server-error',
    {
      chat: [500, 'server_error'],
      responses: [500, 'server_error'],
      messages: [500, 'api_error'],
      gemini: [500, 'INTERNAL'],
    },
  ],
  [
    'unauthorized',
    {
      chat: [401, 'invalid_request_error'],
      responses: [401, 'invalid_request_error'],
      messages: [401, 'authentication_error'],
      gemini: [401, 'UNAUTHENTICATED'],
    },
  ],
  [
    'quota',
    {
      chat: [429, 'insufficient_quota'],
      responses: [429, 'insufficient_quota'],
      messages: [402, 'billing_error'],
      gemini: [429, 'RESOURCE_EXHAUSTED'],
    },
  ],
  [
    'model-not-found',
    {
      chat: [404, 'invalid_request_error'],
      responses: [404, 'invalid_request_error'],
      messages: [404, 'not_found_error'],
      gemini: [404, 'NOT_FOUND'],
    },
  ],
]

describe.each(names)('%s', name => {
  const kindIn = (error: { type?: string; status?: string }) =>
    name === 'gemini' ? error.status : error.type
  const scripted = async (error: ChatError) => jsonOf(ask(await serve({ replies: [{ error }] }), name))

  it.each(kinds)('tells %s in its own form', async (fault, expected) => {
    const server = await serve({ ...echo, faults: { [fault]: 1, retryAfterSeconds: 7 } })
    const response = await ask(server, name)
    const { error } = await jsonOf(response)
    expect([response.status, kindIn(error)]).toEqual(expected[name])
    expect(error.message).not.toBe('')
    expect(response.headers.get('retry-after')).toBe(fault === 'rate-limit' ? '7' : null)
  })

  it('passes scripted errors on, with another kind if they have one', async () => {
    const error = { status: 503, message: 'Too much to do', headers: { 'x-own': 'yes' } }
    const response = await ask(await serve({ replies: [{ error }] }), name)
    expect([response.status, response.headers.get('x-own')]).toEqual([503, 'yes'])
    expect((await jsonOf(response)).error.message).toBe('Too much to do')
    expect(kindIn((await scripted({ ...error, type: 'own_kind' })).error)).toBe('own_kind')
  })

  it('shows a responder that throws, and a body that is no JSON', async () => {
    const server = await serve({
      respond: () => {
        throw new Error('broken responder')
      },
    })
    const response = await ask(server, name)
    expect([response.status, (await jsonOf(response)).error.message]).toEqual([500, 'broken responder'])
    for (const body of ['not json', '[]', '5']) {
      expect((await post(server, ways[name].path, body)).status, body).toBe(400)
    }
  })

  it.each([false, true])('drops the connection in the middle (stream: %s)', async stream => {
    const server = await serve({ ...echo, faults: { cut: 1 } })
    const response = await ask(server, name, {}, stream)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain(stream ? 'event-stream' : 'json')
    await expect(response.text()).rejects.toThrow()
  })

  it('asks for the key where it belongs, and keeps it out of the log', async () => {
    const { keyHeader, keyBefore = '' } = ways[name]
    const server = await serve({ ...echo, apiKey: 'sk-secret', keepLog: true })
    const agent = { 'user-agent': 'some-agent/1.2', 'x-own-token': 'sk-other', 'x-own-beta': 'new' }
    expect((await ask(server, name, { [keyHeader]: `${keyBefore}sk-wrong` })).status).toBe(401)
    expect((await ask(server, name)).status).toBe(401)
    const response = await ask(server, name, { ...agent, [keyHeader]: `${keyBefore}sk-secret` })
    expect(response.status).toBe(200)
    await response.text()
    await server.close()
    expect(JSON.stringify(server.log)).not.toMatch(/sk-(secret|wrong|other)/)
    const digests = server.log.map(({ headers }) => headers.authorization)
    expect(digests).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/), null, expect.anything()])
    expect(digests[0]).not.toBe(digests[2])
    expect(server.log[2]).toMatchObject({
      protocol: name,
      path: ways[name].path,
      status: 200,
      headers: { userAgent: 'some-agent/1.2', all: { 'user-agent': 'some-agent/1.2', 'x-own-beta': 'new' } },
      body: { model: 'target', messages: [{ content: 'Rules first.' }, { content: 'Hello' }] },
    })
  })

  it('asks the simulated target the same, and gets the same', async () => {
    const [task] = generateSplits({ all: 1 }, 11).all ?? []
    const system = 'You work at a desk.\n\n## Skill\n\n- Work carefully.'
    const server = await serve({ respond: request => answerSimulated(request) })
    const body = ways[name].body('target', system, task?.question ?? '')
    const replies = [
      await jsonOf(post(server, ways[name].path, body)),
      await jsonOf(post(server, ways[name].path, body)),
    ].map(ways[name].textIn)
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: task?.question ?? '' },
    ]
    const expected = answerSimulated({ model: 'target', messages }).content
    expect(expected).toMatch(/\d/)
    expect(replies).toEqual([expected, expected])
  })
})

it.each(others)('a request of %s is logged as it came, too', async name => {
  const server = await serve({ ...echo, keepLog: true })
  await (await ask(server, name)).text()
  await (await post(server, ways[name].path, { strange: true })).text()
  await server.close()
  const body = ways[name].body('target', 'Rules first.', 'Hello')
  expect(server.log.map(({ received }) => received)).toEqual([body, { strange: true }])
  expect(server.log.map(record => record.body === null)).toEqual([false, true])
})

it('a request of chat is logged once', async () => {
  const server = await serve({ ...echo, keepLog: true })
  await (await ask(server, 'chat')).text()
  await server.close()
  expect(server.log[0]).not.toHaveProperty('received')
})

it('a key in the address is accepted by Gemini, and is a digest in the log', async () => {
  const server = await serve({ ...echo, apiKey: 'sk-secret', keepLog: true })
  const response = await post(server, `${ways.gemini.path}?key=sk-secret`, ways.gemini.body('m', 'a', 'b'))
  expect(response.status).toBe(200)
  await response.text()
  await server.close()
  expect(server.log[0]?.path).toMatch(/generateContent\?key=[0-9a-f]{12}$/)
  expect(server.log[0]?.headers.authorization).toMatch(/^[0-9a-f]{12}$/)
})

it('Gemini tells a limit that passes from one that does not', async () => {
  const details = async (fault: FaultKind) => {
    const server = await serve({ ...echo, faults: { [fault]: 1, retryAfterSeconds: 7 } })
    return (await jsonOf(ask(server, 'gemini'))).error.details
  }
  expect(await details('rate-limit')).toEqual([
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' },
  ])
  expect(JSON.stringify(await details('quota'))).toContain('PerDay')
})

it.each(['/v1/embeddings', '/v1beta/models/m:embedContent', '//', '/v1/messages/batches'])(
  'nothing is at %s',
  async path => {
    expect((await post(await serve(echo), path, {})).status).toBe(404)
  },
)
