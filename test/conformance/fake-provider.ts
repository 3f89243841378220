import {
  createServer as createPlainServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
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
      /** Puts what the client sent for its login into the message, as careless gateways do. */
      readonly echoLogin?: boolean
    }
  | 'cut'
  | 'garbage'
  | 'silence'

export interface SeenRequest {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

/** An endpoint that does as told: each request takes the next script, the last one stays. */
export interface FakeProvider {
  readonly url: string
  readonly port: number
  readonly requests: readonly SeenRequest[]
  script(...scripts: Script[]): void
  /** Resolves once a further request has arrived in whole. */
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
  const dialect = dialectOf(new URL(request.url, 'http://fake').pathname)
  const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  if (dialect === undefined) return json(404, { error: { message: `nothing at ${request.url}` } })
  if (script === 'silence') return
  const streamed = request.body.stream === true
  if (script === 'garbage') {
    if (!streamed) return json(200, '{"choices": [{"mess')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end('data: {"choices": [{"mess\n\n')
    return
  }
  if (script === 'cut')
    return cut(response, streamed ? streamedReply(dialect, { text: 'hello' })[0] : undefined)
  if ('status' in script) {
    const login = request.headers.authorization ?? request.headers['api-key'] ?? request.headers['x-api-key']
    const message = `${script.message ?? 'no'}${script.echoLogin === true ? ` (you sent ${login})` : ''}`
    return json(script.status, errorBody(dialect, message, script.code), script.headers)
  }
  if (!streamed) return json(200, wholeReply(dialect, script.reply))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(streamedReply(dialect, script.reply).join(''))
}

/** Ends the connection in the middle of the body. */
function cut(response: ServerResponse, first: string | undefined): void {
  if (first === undefined) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"id": "half')
  } else {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(first)
  }
  setTimeout(() => response.destroy(), 5)
}
