import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeSession } from '../../../../test/support/fake-agent.js'
import { InterruptedError, WorldFailure } from '../../../core/errors/errors.js'
import type { Session, Tool } from '../../../core/ports/environment.js'
import { type RunningToolServer, startToolServer } from './mcp-http.js'

let server: RunningToolServer
let failures: unknown[]
let stop: AbortController
beforeEach(() => {
  failures = []
  stop = new AbortController()
})
afterEach(() => server.close())

async function serve(fields: Partial<Session>): Promise<void> {
  server = await startToolServer(fakeSession(fields), {
    signal: stop.signal,
    onFailure: error => void failures.push(error),
  })
}

const tool = (name: string, call: Tool['call'] = async given => `${name} got ${given}`): Tool => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  call,
})

interface Heard {
  readonly status: number
  readonly body: { id?: unknown; result?: Record<string, unknown>; error?: { code: number; message: string } }
  readonly headers: Headers
}

/** A plain HTTP and JSON client without any knowledge of MCP. */
async function post(body: string, changed: RequestInit & { path?: string } = {}): Promise<Heard> {
  const response = await fetch(new URL(changed.path ?? '/mcp', server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body,
    ...changed,
  })
  const text = await response.text()
  return {
    status: response.status,
    body: text === '' ? {} : (JSON.parse(text) as Heard['body']),
    headers: response.headers,
  }
}

const rpc = (method: string, params?: object, id: unknown = 7) =>
  post(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
const call = async (name: string, given?: object) => {
  const { body } = await rpc('tools/call', { name, arguments: given })
  const { content, isError } = body.result as { content: { type: string; text: string }[]; isError: boolean }
  expect(content).toHaveLength(1)
  return { text: content[0]?.text, isError }
}

describe('the tools of a session', () => {
  it.each([
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
    [undefined, '2025-11-25'],
  ])('are introduced to who speaks %s in %s', async (asked, given) => {
    await serve({ tools: [tool('look_up')] })
    const { status, body } = await rpc('initialize', { protocolVersion: asked })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      result: {
        protocolVersion: given,
        capabilities: { tools: {} },
        serverInfo: { name: 'skillopt', version: expect.stringMatching(/^\d/) },
      },
    })
    expect(await rpc('ping', undefined, 'a string')).toMatchObject({ body: { id: 'a string', result: {} } })
  })

  it('are listed with what they take', async () => {
    await serve({ tools: [tool('look_up'), { ...tool('wait'), parameters: {} }] })
    const { body } = await rpc('tools/list')
    expect(body.result?.tools).toEqual([
      {
        name: 'look_up',
        description: 'Does look_up.',
        inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
      },
      { name: 'wait', description: 'Does wait.', inputSchema: { type: 'object' } },
    ])
    expect([server.toolNames, server.replyTool]).toEqual([['look_up', 'wait'], undefined])
  })

  it('are called, one after the other however they are asked for', async () => {
    const order: string[] = []
    const slow = tool('slow', async () => {
      order.push('slow begins')
      await new Promise(resolve => setTimeout(resolve, 30))
      order.push('slow ends')
      return 'slept'
    })
    const quick = tool('quick', async given => {
      order.push('quick')
      return given
    })
    await serve({ tools: [slow, quick] })
    const both = [
      call('slow'),
      new Promise(resolve => setTimeout(resolve, 10)).then(() => call('quick', { word: 'ä' })),
    ]
    expect(await Promise.all(both)).toEqual([
      { text: 'slept', isError: false },
      { text: '{"word":"ä"}', isError: false },
    ])
    expect(order).toEqual(['slow begins', 'slow ends', 'quick'])
  })

  it('report a mistake to the agent that made it, and continue', async () => {
    const picky = tool('picky', async given => {
      if (given === '{}') throw new Error('there is no word')
      return 'fine'
    })
    await serve({ tools: [picky] })
    expect(await call('picky')).toEqual({ text: 'The tool failed: there is no word', isError: true })
    expect(await call('picky', { word: 'x' })).toEqual({ text: 'fine', isError: false })
    expect(failures).toEqual([])
  })

  it.each([
    ['a failure of the world', new WorldFailure('harness', 'no sandbox', { retryable: true })],
    ['the end of the run', new InterruptedError('It was interrupted.')],
  ])('do not hide %s behind an answer', async (_, error) => {
    await serve({ tools: [tool('broken', () => Promise.reject(error))] })
    await call('broken')
    expect(failures).toEqual([error])
  })

  it('are told of the abort', async () => {
    const seen: AbortSignal[] = []
    await serve({
      tools: [
        tool('look', async (_, signal) => {
          seen.push(signal)
          return ''
        }),
      ],
    })
    await call('look')
    expect(seen).toEqual([stop.signal])
  })
})

describe('a world that answers', () => {
  const echo = async (text: string) => (text === 'bye' ? 'done' : `You said ${text}.`)

  it('is one more tool, until it is done', async () => {
    await serve({ reply: echo })
    expect([server.replyTool, server.turns()]).toEqual(['reply', 'under-way'])
    expect((await call('reply', { message: 'hi' })).text).toBe('You said hi.')
    expect((await call('reply', { message: 'bye' })).text).toContain('The task is over')
    expect(server.turns()).toBe('done')
    expect((await call('reply', { message: 'hi' })).text).toContain('The task is over')
  })

  it('answers as often as there are turns', async () => {
    let asked = 0
    const reply = async () => `answer ${++asked}`
    await serve({ reply, turnLimit: 2 })
    expect((await call('reply', { message: 'a' })).text).toBe('answer 1')
    expect((await call('reply', { message: 'b' })).text).toMatch(/^answer 2\n\nThe 2 turns are used up/)
    expect((await call('reply', { message: 'c' })).text).toMatch(/^The 2 turns are used up/)
    expect([asked, server.turns()]).toEqual([2, 'limit'])
  })

  it('takes no turn for an empty call', async () => {
    await serve({ reply: echo, turnLimit: 1 })
    expect((await call('reply', { text: 'hi' })).isError).toBe(true)
    expect(server.turns()).toBe('under-way')
    expect((await call('reply', { message: 'bye' })).text).toContain('The task is over')
  })

  it('yields to a tool of the same name', async () => {
    await serve({ reply: echo, tools: [tool('reply')] })
    expect([server.replyTool, server.toolNames]).toEqual(['take_turn', ['reply', 'take_turn']])
    expect((await call('take_turn', { message: 'hi' })).text).toBe('You said hi.')
  })

  it('is not offered if the environment does not reply', async () => {
    await serve({ tools: [tool('look')] })
    expect([server.replyTool, server.turns()]).toEqual([undefined, 'none'])
  })
})

describe('the server', () => {
  const touched: string[] = []
  beforeEach(async () => {
    touched.length = 0
    await serve({
      tools: [
        tool('touch', async given => {
          touched.push(given)
          return 'touched'
        }),
      ],
    })
  })
  const touch = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'touch' } })

  it('listens on the loopback, with a token that is another each time', async () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
    const other = await startToolServer(fakeSession(), { signal: stop.signal, onFailure: () => undefined })
    expect(other.token).not.toBe(server.token)
    expect(server.token).toMatch(/^[\w-]{43}$/)
    await other.close()
  })

  it.each([
    ['no token', {}],
    ['a wrong one', { authorization: 'Bearer nothing' }],
    ['another scheme', { authorization: 'Basic nothing' }],
    ['one of the same length', { authorization: `Bearer ${'a'.repeat(43)}` }],
  ])('refuses who has %s', async (_, headers) => {
    const { status, headers: answered } = await post(touch, { headers })
    expect([status, answered.get('www-authenticate'), touched]).toEqual([401, 'Bearer', []])
  })

  it('refuses a web page, even with the token', async () => {
    const headers = { authorization: `Bearer ${server.token}`, origin: 'http://127.0.0.1:1234' }
    expect([(await post(touch, { headers })).status, touched]).toEqual([403, []])
  })

  it('has one path, and one way to it', async () => {
    expect((await post(touch, { path: '/' })).status).toBe(404)
    const headers = { authorization: `Bearer ${server.token}` }
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await fetch(server.url, { method, headers })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    }
    expect(touched).toEqual([])
  })

  it.each([
    ['no JSON', 'hello', 400, -32700],
    ['half of it', '{"jsonrpc":"2.0",', 400, -32700],
    ['nothing', '', 400, -32700],
    ['no message', '{}', 400, -32600],
    ['null', 'null', 400, -32600],
    ['several at once', `[${touch}]`, 400, -32600],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
    ['a strange id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"resources/list"}', 200, -32601],
    ['a call of nothing', '{"jsonrpc":"2.0","id":1,"method":"tools/call"}', 200, -32602],
    [
      'an unknown tool',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fly"}}',
      200,
      -32602,
    ],
    [
      'arguments that are none',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"touch","arguments":[1]}}',
      200,
      -32602,
    ],
  ])('answers %s with an error', async (_, body, status, code) => {
    const heard = await post(body)
    expect([heard.status, heard.body.error?.code, touched]).toEqual([status, code, []])
    expect(heard.body.error?.message).toMatch(/\.$/)
  })

  it('takes a notification without a word', async () => {
    const { status, body } = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    expect([status, body]).toEqual([202, {}])
  })

  it('refuses a message that is too long, and answers the next', async () => {
    expect((await post('x'.repeat(9 * 1024 * 1024))).status).toBe(413)
    expect((await post(touch)).status).toBe(200)
  })

  it('lets nobody wait when it is closed', async () => {
    let began = () => {}
    const called = new Promise<void>(resolve => {
      began = resolve
    })
    const wait = tool('wait', () => {
      began()
      return new Promise(() => undefined)
    })
    await server.close()
    await serve({ tools: [wait] })
    const waiting = rpc('tools/call', { name: 'wait' }).then(
      () => 'answered',
      () => 'cut',
    )
    await called
    await server.close()
    expect(await waiting).toBe('cut')
    expect(failures).toEqual([])
    await serve({})
  })

  it('survives a client that disconnects in the middle of a message', async () => {
    const { port } = new URL(server.url)
    const socket = connect(Number(port), '127.0.0.1')
    const head = `POST /mcp HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\ncontent-length: 100\r\n\r\n{`
    await new Promise<void>(resolve => socket.write(head, () => resolve()))
    await post(touch)
    socket.resetAndDestroy()
    await post(touch)
    expect([failures, touched]).toEqual([[], ['{}', '{}']])
  })
})
