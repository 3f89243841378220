import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashSeed } from '../src/core/statistics/random.js'
import { answerSimulated } from '../src/simulated/responder.js'
import { startLoopbackServer } from '../src/simulated/server.js'

/** A chat completion from the server, for faults that change a part of it. */
interface Completion {
  choices: { finish_reason: string | null; message?: { content: string | null } }[] | null
  usage?: Record<string, unknown>
}

interface Fault {
  readonly name: string
  /** True if the model was called before the fault, so that its tokens are billed. */
  readonly isBilled: boolean
  act(response: ServerResponse, body: string): void | Promise<void>
}

const json = { 'content-type': 'application/json' }
const html = { 'content-type': 'text/html' }
const page = '<html><head><title>Bad gateway</title></head><body>The answer is 42.</body></html>'

function status(
  code: number,
  body = '{"error":{"message":"no"}}',
  headers: Record<string, string> = json,
): Fault {
  return {
    name: `status ${code}${headers === html ? ' with a page' : ''}${body === '' ? ' without body' : ''}`,
    isBilled: false,
    act: response => void response.writeHead(code, headers).end(body),
  }
}

function named(name: string, fault: Fault): Fault {
  return { ...fault, name }
}

/** Status 200 with this body in place of the reply. */
function instead(name: string, body: string, headers: Record<string, string> = json): Fault {
  return {
    name: `200: ${name}`,
    isBilled: true,
    act: response => void response.writeHead(200, headers).end(body),
  }
}

/** Status 200 with a modified reply. */
function changed(name: string, change: (reply: Completion) => void): Fault {
  return {
    name: `200: ${name}`,
    isBilled: true,
    act: (response, body) => {
      const reply = JSON.parse(body) as Completion
      change(reply)
      response.writeHead(200, json).end(JSON.stringify(reply))
    },
  }
}

const withContent = (content: string | null) => (reply: Completion) => {
  for (const { message } of reply.choices ?? []) if (message !== undefined) message.content = content
}
const withUsage = (figure: unknown) => (reply: Completion) => {
  reply.usage = { prompt_tokens: figure, completion_tokens: figure, total_tokens: figure }
}

export const faults: readonly Fault[] = [
  ...[408, 409, 425, 500, 502, 503, 504, 524].map(code => status(code)),
  ...[500, 502, 520].map(code => status(code, page, html)),
  status(503, ''),
  named('status 529, overloaded', status(529, '{"error":{"type":"overloaded_error","message":"busy"}}')),
  named('status 429 with Retry-After', status(429, '{}', { ...json, 'retry-after': '0' })),
  named('status 429 with milliseconds', status(429, '{}', { ...json, 'retry-after-ms': '20' })),
  named('status 429 without', status(429)),
  named('status 401', status(401)),
  named('status 403', status(403)),
  named('status 404', status(404)),
  named('status 402, no credit', status(402, '{"error":{"message":"Insufficient Balance"}}')),
  named('status 429, no quota', status(429, '{"error":{"message":"no","code":"insufficient_quota"}}')),
  instead('nothing', ''),
  instead('a page', page, html),
  instead('a page called JSON', page),
  instead('null', 'null'),
  instead('a list', '[]'),
  instead('an empty object', '{}'),
  instead('a text', '"42"'),
  instead('bytes', '\u0000\u0001\u0002\ufffd'),
  instead('an error', '{"error":{"message":"upstream said no"}}'),
  instead('an error with a status', '{"error":{"message":"upstream said no","code":502}}'),
  changed('no choices', reply => {
    reply.choices = []
  }),
  changed('choices null', reply => {
    reply.choices = null
  }),
  changed('no message', reply => {
    for (const choice of reply.choices ?? []) delete choice.message
  }),
  changed('the server gave up', reply => {
    for (const choice of reply.choices ?? []) choice.finish_reason = 'error'
    withContent('half of it')(reply)
  }),
  changed('empty, billed', withContent('')),
  changed('null, billed', withContent(null)),
  changed('blank, billed', withContent(' \n')),
  changed('empty, not billed', reply => {
    withContent('')(reply)
    withUsage(0)(reply)
  }),
  changed('usage below zero', withUsage(-1000)),
  changed('usage of a fraction', withUsage(0.5)),
  changed('absurd usage', withUsage(1e15)),
  changed('usage that is a text', withUsage('many')),
  {
    name: '200: half of the JSON',
    isBilled: true,
    act: (response, body) => void response.writeHead(200, json).end(body.slice(0, body.length / 2)),
  },
  {
    name: '200: 50 MB',
    isBilled: true,
    act: async (response, body) => {
      response.writeHead(200, json)
      const part = Buffer.alloc(2 ** 20, ' ')
      for (let mebibytes = 0; mebibytes < 50 && !response.destroyed; mebibytes++) {
        if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')])
      }
      response.end(body)
    },
  },
  {
    name: '200: cut in the middle',
    isBilled: true,
    act: (response, body) => {
      response.writeHead(200, { ...json, 'content-length': body.length })
      response.write(body.slice(0, body.length / 2), () => response.destroy())
    },
  },
  { name: 'connection closed', isBilled: false, act: response => void response.destroy() },
  { name: 'silence', isBilled: true, act: () => {} },
  {
    name: 'a slow reply',
    isBilled: true,
    act: async (response, body) => {
      response.writeHead(200, json)
      for (let at = 0; at < body.length && !response.destroyed; at += 400) {
        response.write(body.slice(at, at + 400))
        await sleep(20)
      }
      response.end()
    },
  },
]

const once = (emitter: ServerResponse, event: string) =>
  new Promise<void>(resolve => emitter.once(event, () => resolve()))

export interface FaultyServer {
  readonly url: string
  /** Sets the share of requests that get a fault. */
  setShare(share: number): void
  /** Resets the counters. */
  reset(): void
  readonly counted: {
    readonly requests: number
    readonly tokens: number
    readonly faults: ReadonlyMap<string, number>
  }
  close(): Promise<void>
}

/** The simulated models behind a gateway that corrupts replies. All kinds of faults are equally frequent. */
export async function startFaultyServer(seed: number): Promise<FaultyServer> {
  const models = await startLoopbackServer({ respond: answerSimulated })
  let share = 0
  let counted = { requests: 0, tokens: 0, faults: new Map<string, number>() }
  let kind = 0

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    counted.requests += 1
    const isFaulty = (hashSeed(`fault ${seed} ${counted.requests}`) % 10_000) / 10_000 < share
    const fault = isFaulty ? faults[kind++ % faults.length] : undefined
    if (fault !== undefined) counted.faults.set(fault.name, (counted.faults.get(fault.name) ?? 0) + 1)
    if (fault?.isBilled === false) return fault.act(response, '')
    const reply = await fetch(new URL(incoming.url ?? '/', models.url), {
      method: 'POST',
      headers: json,
      body: Buffer.concat(chunks),
    })
    const body = await reply.text()
    const { usage } = JSON.parse(body) as { usage?: { total_tokens: number } }
    counted.tokens += usage?.total_tokens ?? 0
    if (fault === undefined) response.writeHead(reply.status, json).end(body)
    else await fault.act(response, body)
  }
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setShare: value => {
      share = value
    },
    reset: () => {
      counted = { requests: 0, tokens: 0, faults: new Map() }
    },
    get counted() {
      return counted
    },
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
      await models.close()
    },
  }
}
