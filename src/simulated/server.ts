import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChatReply, ChatRequest, ChatUsage, Responder } from './chat.js'
import {
  checkFaultPlan,
  errorReply,
  type FaultKind,
  type FaultPlan,
  faultFor,
  faultReply,
  type Latency,
  latencyFor,
} from './faults.js'
import { type Counters, digestOf, newCounters, openRecordSink, type RequestRecord } from './request-log.js'
import { createUsageCounter, sendJson, streamEvents, streamHeaders, wholeBody } from './wire.js'

export interface LoopbackOptions {
  /** Given in order, one per request that no fault met; then `respond` takes over, if there is one. */
  readonly replies?: readonly (ChatReply | string)[]
  readonly respond?: Responder
  /** What GET /v1/models lists. Which models are answered is the responder's business. */
  readonly models?: readonly string[]
  readonly faults?: FaultPlan
  readonly latency?: Latency
  /** Requests must carry it as a bearer token. */
  readonly apiKey?: string
  /** 0, the default, takes any free port. */
  readonly port?: number
  /** Keeps every request in `log`. Off by default: bodies of long runs would fill memory. */
  readonly keepLog?: boolean
  /** Appends every request to this file, one JSON object per line. */
  readonly logFile?: string
}

export interface LoopbackServer {
  /** `http://127.0.0.1:PORT`; the API stands under `/v1`. */
  readonly url: string
  readonly port: number
  /** Empty unless `keepLog` was set. */
  readonly log: readonly RequestRecord[]
  readonly counters: Readonly<Counters>
  setFaults(plan: FaultPlan | undefined): void
  setLatency(latency: Latency): void
  setApiKey(key: string | undefined): void
  /** Ends open connections too, the silent ones among them. */
  close(): Promise<void>
}

/** An OpenAI-compatible server on 127.0.0.1 for tests, load figures and the simulated model. */
export async function startLoopbackServer(options: LoopbackOptions = {}): Promise<LoopbackServer> {
  checkFaultPlan(options.faults)
  const counters = newCounters()
  const log: RequestRecord[] = []
  const sink = openRecordSink(options.keepLog === true ? log : undefined, options.logFile)
  const recording = options.keepLog === true || options.logFile !== undefined
  const countUsage = createUsageCounter()
  const timers = new Set<NodeJS.Timeout>()
  let { faults, apiKey } = options
  let latency: Latency = options.latency ?? { kind: 'none' }
  let nextReply = 0
  let onIdle: (() => void) | undefined

  async function replyTo(request: ChatRequest): Promise<ChatReply> {
    const scripted = options.replies?.[nextReply]
    if (scripted !== undefined) {
      nextReply += 1
      return typeof scripted === 'string' ? { content: scripted } : scripted
    }
    if (options.respond !== undefined) return options.respond(request)
    const message = `loopback server: no reply is left for this request; ${nextReply} were scripted`
    return { error: { status: 400, message, code: 'script_exhausted' } }
  }

  async function complete(exchange: Exchange, body: string): Promise<void> {
    const { response, number } = exchange
    const refuse = (reply: ReturnType<typeof errorReply>): void =>
      sendJson(response, reply.status, JSON.stringify(reply.body), reply.headers)

    if (apiKey !== undefined && exchange.authorization !== `Bearer ${apiKey}`) {
      return refuse(errorReply(401, 'Incorrect API key provided', 'invalid_api_key'))
    }
    const request = parseRequest(body)
    if (typeof request === 'string') return refuse(errorReply(400, request, null))
    exchange.request = request

    const fault = faultFor(faults, number)
    if (fault !== undefined) {
      exchange.fault = fault
      counters.faults[fault] = (counters.faults[fault] ?? 0) + 1
      if (fault === 'silence') return
      const refusal = faultReply(fault, faults, request.model)
      if (refusal !== undefined) return refuse(refusal)
      if (fault === 'garbage') {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end('<html><body>upstream said nothing that makes sense {"choices":[')
        return
      }
    }

    const reply = await replyTo(request)
    if (reply.error !== undefined) {
      const { status, message, code, type, headers } = reply.error
      return refuse(errorReply(status, message, code ?? null, type, headers))
    }
    const usage = reply.usage === undefined ? countUsage(request, reply) : reply.usage
    if (fault === 'cut') return cutShort(response, request, reply, usage, number)
    exchange.usage = usage
    if (request.stream === true) {
      response.writeHead(200, streamHeaders)
      for (const event of streamEvents(request, reply, usage, number)) response.write(event)
      response.end()
    } else {
      sendJson(response, 200, wholeBody(request, reply, usage, number))
    }
  }

  function settle(exchange: Exchange): void {
    const { response, usage } = exchange
    const whole = response.writableFinished
    const status = response.headersSent ? response.statusCode : null
    counters.open -= 1
    if (status !== null) counters.statuses[status] = (counters.statuses[status] ?? 0) + 1
    if (!whole && exchange.fault !== 'cut') counters.abandoned += 1
    if (whole && status === 200 && exchange.fault === undefined) {
      counters.completions += 1
      counters.promptTokens += usage?.prompt_tokens ?? 0
      counters.completionTokens += usage?.completion_tokens ?? 0
      counters.cachedTokens += usage?.prompt_tokens_details.cached_tokens ?? 0
    }
    if (recording) record(exchange, status)
    if (counters.open === 0) onIdle?.()
  }

  function record(exchange: Exchange, status: number | null): void {
    sink.write({
      number: exchange.number,
      headers: { authorization: digestOf(exchange.authorization), userAgent: exchange.userAgent ?? null },
      body: exchange.request ?? null,
      status,
      fault: exchange.fault ?? null,
      usage: exchange.usage ?? null,
      startedAt: exchange.startedAt,
      finishedAt: Date.now(),
    })
  }

  function answer(incoming: IncomingMessage, response: ServerResponse): void {
    counters.requests += 1
    counters.open += 1
    counters.mostOpen = Math.max(counters.mostOpen, counters.open)
    const exchange: Exchange = {
      number: counters.requests,
      startedAt: Date.now(),
      authorization: incoming.headers.authorization,
      userAgent: incoming.headers['user-agent'],
      response,
    }
    response.on('close', () => settle(exchange))
    readBody(incoming, body => {
      const respond = (): void => {
        // A client that hung up while waiting must not use up a scripted reply.
        if (response.destroyed) return
        complete(exchange, body).catch((error: unknown) => {
          // A responder that throws is the test's mistake: say it where the client can see it.
          const message = error instanceof Error ? error.message : String(error)
          if (response.headersSent) response.destroy()
          else sendJson(response, 500, JSON.stringify(errorReply(500, message, 'responder_failed').body))
        })
      }
      const delay = latencyFor(latency, exchange.number)
      if (delay <= 0) return respond()
      const timer = setTimeout(() => {
        timers.delete(timer)
        respond()
      }, delay)
      timers.add(timer)
    })
  }

  const server = createServer((incoming, response) => {
    if (incoming.method === 'POST' && incoming.url === '/v1/chat/completions')
      return answer(incoming, response)
    if (incoming.method === 'GET' && incoming.url === '/v1/models') {
      const data = (options.models ?? ['loopback']).map(id => ({
        id,
        object: 'model',
        owned_by: 'simulated',
      }))
      return sendJson(response, 200, JSON.stringify({ object: 'list', data }))
    }
    const message = `loopback server: there is nothing at ${incoming.method} ${incoming.url}`
    sendJson(response, 404, JSON.stringify(errorReply(404, message, null).body))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    log,
    counters,
    setFaults(plan) {
      checkFaultPlan(plan)
      faults = plan
    },
    setLatency(value) {
      latency = value
    },
    setApiKey(key) {
      apiKey = key
    },
    async close() {
      for (const timer of timers) clearTimeout(timer)
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
      // Connections report their end a moment later; counters and log are whole only then.
      if (counters.open > 0) await new Promise<void>(resolve => (onIdle = resolve))
      await sink.close()
    },
  }
}

interface Exchange {
  readonly number: number
  readonly startedAt: number
  readonly authorization: string | undefined
  readonly userAgent: string | undefined
  readonly response: ServerResponse
  request?: ChatRequest
  fault?: FaultKind
  usage?: ChatUsage | null
}

function readBody(incoming: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => done(chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString()))
}

/** The request, or a sentence that says what is wrong with it. */
function parseRequest(body: string): ChatRequest | string {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return 'The request body is not JSON'
  }
  if (typeof parsed !== 'object' || parsed === null) return 'The request body is not a JSON object'
  const candidate = parsed as Partial<ChatRequest>
  if (typeof candidate.model !== 'string') return 'The request names no model'
  if (!Array.isArray(candidate.messages) || candidate.messages.length === 0)
    return 'The request has no messages'
  return candidate as ChatRequest
}

/** Sends about half of the reply, then drops the connection. */
function cutShort(
  response: ServerResponse,
  request: ChatRequest,
  reply: ChatReply,
  usage: ChatUsage | null,
  number: number,
): void {
  const drop = (): void => {
    response.destroy()
  }
  if (request.stream === true) {
    const events = streamEvents(request, reply, usage, number)
    response.writeHead(200, streamHeaders)
    response.write(events.slice(0, Math.ceil(events.length / 2)).join(''), drop)
    return
  }
  const body = Buffer.from(wholeBody(request, reply, usage, number))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.write(body.subarray(0, body.length >> 1), drop)
}
