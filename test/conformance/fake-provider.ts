import {
  createServer as createPlainServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dialectOf, errorBody, type ScriptedReply, streamedReply, wholeReply } from './wire-formats.js'

export type Script =
  | { readonly reply: ScriptedReply }
  | {
      readonly status: number
      readonly message?: string
      readonly code?: string
      readonly headers?: Readonly<Record<string, string>>
      /** Echoes the client's credentials in the message, as careless gateways do. */
      readonly echoLogin?: boolean
    }
  /** This text with status 200, whatever was asked. */
  | { readonly body: string; readonly type?: string }
  | 'cut'
  | 'garbage'
  | 'silence'

/** Headers in which providers expect the key. */
export const loginHeaders = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'] as const

export interface SeenRequest {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

/** A scripted endpoint: each request takes the next script, and the last one repeats. */
export interface FakeProvider {
  readonly url: string
  readonly port: number
  readonly requests: readonly SeenRequest[]
  script(...scripts: Script[]): void
  /** Resolves when a further request has fully arrived. */
  arrival(): Promise<void>
  close(): Promise<void>
}

export async function startFakeProvider(tls?: { key: string; cert: string }): Promise<FakeProvider> {
  const requests: SeenRequest[] = []
  let scripts: Script[] = [{ reply: { text: 'hello' } }]
  let waiting: (() => void)[] = []
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    incoming.on('data', chunk => chunks.push(chunk))
    incoming.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>
      const request = { url: incoming.url ?? '', headers: incoming.headers, body }
      requests.push(request)
      const script = scripts.length > 1 ? scripts.shift() : scripts[0]
      if (script !== undefined) perform(script, request, response)
      for (const arrived of waiting) arrived()
      waiting = []
    })
  }
  const server = tls === undefined ? createPlainServer(listener) : createTlsServer(tls, listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    script: (...next) => {
      scripts = next
    },
    arrival: () => new Promise(resolve => waiting.push(resolve)),
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

function perform(script: Script, request: SeenRequest, response: ServerResponse): void {
  const { pathname } = new URL(request.url, 'http://fake')
  const dialect = dialectOf(pathname)
  const streamed = request.body.stream === true || /:streamGenerateContent$|\/converse-stream$/.test(pathname)
  if (script === 'silence') return
  if (dialect === undefined) sendJson(response, 404, { error: { message: `nothing at ${request.url}` } })
  else if (script === 'garbage')
    send(response, streamed, `${streamed ? 'data: ' : ''}{"choices": [{"mess\n\n`)
  else if (script === 'cut')
    cut(response, streamed ? streamedReply(dialect, { text: 'hello' })[0] : undefined)
  else if ('body' in script) {
    response.writeHead(200, { 'content-type': script.type ?? 'application/json' })
    response.end(script.body)
  } else if ('reply' in script) {
    const { reply } = script
    const body = streamed
      ? Buffer.concat(streamedReply(dialect, reply).map(part => Buffer.from(part)))
      : JSON.stringify(wholeReply(dialect, reply))
    send(response, streamed, body)
  } else {
    const login = loginHeaders.map(name => request.headers[name]).find(value => value !== undefined)
    const echo = script.echoLogin === true ? ` (you sent ${login})` : ''
    const body = errorBody(dialect, script.status, `${script.message ?? 'no'}${echo}`, script.code)
    sendJson(response, script.status, body, script.headers)
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

function send(response: ServerResponse, streamed: boolean, body: string | Buffer): void {
  response.writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' })
  response.end(body)
}

/** Closes the connection in the middle of the body. */
function cut(response: ServerResponse, first: string | Buffer | undefined): void {
  if (first === undefined) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"id": "half')
  } else {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(first)
  }
  setTimeout(() => response.destroy(), 5)
}
