import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { messageOf, WorldFailure } from '../../../core/errors/errors.js'
import type { Session } from '../../../core/ports/environment.js'
import type { ToolServer } from './definition.js'
import { createSessionTools, refused, rpcReply, type SessionTools } from './mcp.js'

/** The server's name as the agent sees it; most agents prefix tool names with it. */
const serverName = 'task'
const path = '/mcp'
const mostBytes = 8 * 1024 * 1024

export interface RunningToolServer extends ToolServer {
  turns(): ReturnType<SessionTools['turns']>
  calls(): ReturnType<SessionTools['calls']>
  close(): Promise<void>
}

/**
 * Serves a session's tools to one agent: MCP over streamable HTTP, stateless, with JSON responses. The server
 * listens on the loopback interface only and requires the token, because other programs on this machine could
 * connect too.
 */
export async function startToolServer(
  session: Session,
  { signal, onFailure }: { readonly signal: AbortSignal; readonly onFailure: (error: unknown) => void },
): Promise<RunningToolServer> {
  const tools = createSessionTools({ session, signal, onFailure })
  const token = randomBytes(32).toString('base64url')
  const server = createServer((request, response) => {
    answer(request, response, tools, token).catch((error: unknown) => {
      // Either the agent disconnected during the response, or our own code failed. Our own failure must not
      // count as the agent's.
      if (!response.destroyed) onFailure(error)
      response.destroy()
    })
  })
  const port = await listen(server)
  return {
    name: serverName,
    url: `http://127.0.0.1:${port}${path}`,
    token,
    toolNames: tools.toolNames,
    replyTool: tools.replyTool,
    turns: tools.turns,
    calls: tools.calls,
    close: () =>
      new Promise((resolve, reject) => {
        server.close(error => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: unknown) => {
      const message = `The server for the task's tools could not be started: ${messageOf(error)}.`
      reject(new WorldFailure('harness', message, { retryable: true, cause: error }))
    }
    server.once('error', failed)
    server.listen(0, '127.0.0.1', () => {
      server.off('error', failed)
      const address = server.address()
      if (address === null || typeof address === 'string') return failed(new Error('it has no port'))
      resolve(address.port)
    })
  })
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  tools: SessionTools,
  token: string,
): Promise<void> {
  const refusal = refusalOf(request, token)
  if (refusal !== undefined) {
    send(response, refusal.status, rpcReply(null, refused('request', refusal.message)), refusal.headers)
    return
  }
  const body = await readBody(request)
  if (body === undefined) {
    send(response, 413, rpcReply(null, refused('request', 'This message is too long.')))
    return
  }
  const message = parsed(body)
  if (message === undefined) {
    send(response, 400, rpcReply(null, refused('parse', 'This is no JSON.')))
    return
  }
  const reply = await tools.handle(message.value)
  if (reply === undefined) response.writeHead(202).end()
  else send(response, reply.id === null ? 400 : 200, reply)
}

interface Refusal {
  readonly status: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

function refusalOf({ method, url, headers }: IncomingMessage, token: string): Refusal | undefined {
  // Only browsers send an `Origin` header; agents do not.
  if (headers.origin !== undefined) return { status: 403, message: 'Web pages are not answered.' }
  if (!isSame(headers.authorization ?? '', `Bearer ${token}`)) {
    return {
      status: 401,
      message: 'The token is missing or wrong.',
      headers: { 'www-authenticate': 'Bearer' },
    }
  }
  if (url !== path) return { status: 404, message: `There is nothing here but ${path}.` }
  if (method === 'POST') return undefined
  return { status: 405, message: 'Messages are sent by POST.', headers: { allow: 'POST' } }
}

/** Compares two strings in constant time. */
function isSame(given: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * Reads the request body; undefined if it is too long. A long body is still read to its end, because a client
 * reads the refusal only after it has sent everything.
 */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= mostBytes) chunks.push(chunk)
  }
  return size > mostBytes ? undefined : Buffer.concat(chunks).toString('utf8')
}

function parsed(body: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(body) as unknown }
  } catch {
    return undefined
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
