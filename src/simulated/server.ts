import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChatError, ChatReply, ChatRequest, ChatUsage, Responder } from './chat.js'
import {
  checkFaultPlan,
  type FaultKind,
  type FaultPlan,
  faultFor,
  faultReply,
  type Latency,
  latencyFor,
  wrongKey,
} from './faults.js'
import { loadProtocol, type Route, routeOf } from './protocols/index.js'
import { openaiError } from './protocols/openai-error.js'
import type { JsonObject, Protocol } from './protocols/protocol.js'
import { type Counters, newCounters, openRecordSink, originOf, type RequestRecord } from './request-log.js'
import { createUsageCounter, promptTokensOf, sendError, sendHalf, sendJson, sendReply } from './wire.js'

export interface LoopbackOptions {
  /** Scripted replies, one for each request without a fault. Afterwards `respond` answers. */
  readonly replies?: readonly (ChatReply | string)[]
  readonly respond?: Responder
  /** Names of the models in GET /v1/models. The responder decides which models it answers for. */
  readonly models?: readonly string[]
  readonly faults?: FaultPlan
  readonly latency?: Latency
  /** The required API key. The protocol decides the header: bearer token, `x-api-key`, `x-goog-api-key`. */
  readonly apiKey?: string
  /** Port to listen on. The default, 0, picks a free one. */
  readonly port?: number
  /** Keeps every request in `log`. Off by default, because a long run would fill the memory. */
  readonly keepLog?: boolean
  /** File to which every request is appended, one JSON object per line. */
  readonly logFile?: string
}

export interface LoopbackServer {
  /** `http://127.0.0.1:PORT`. The path of the APIs is `/v1`, for Gemini `/v1beta`. */
  readonly url: string
  readonly port: number
  /** All requests, if `keepLog` is set; otherwise empty. */
  readonly log: readonly RequestRecord[]
  readonly counters: Readonly<Counters>
  setFaults(plan: FaultPlan | undefined): void
  setLatency(latency: Latency): void
  setApiKey(key: string | undefined): void
  /** Closes the server and all open connections, including silent ones. */
  close(): Promise<void>
}

/**
 * Starts a server on 127.0.0.1 for tests, load measurements and the simulated models. It speaks Chat
 * Completions, Responses, Messages and Gemini; the request's path decides which.
 */
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

  /** Parses a request, or returns the reason for refusing it. */
  function understand({ incoming, url }: Inquiry, protocol: Protocol, body: string): Understood {
    if (apiKey !== undefined && protocol.keyOf(incoming.headers, url) !== apiKey) return { refusal: wrongKey }
    const received = parseBody(body)
    if (typeof received === 'string') return { refusal: { status: 400, message: received } }
    const request = protocol.read(received, url)
    return typeof request === 'string'
      ? { received, refusal: { status: 400, message: request } }
      : { received, request }
  }

  async function complete(exchange: Exchange, protocol: Protocol, body: string): Promise<void> {
    const { response, number } = exchange
    const refuse = (error: ChatError): void => sendError(response, protocol.refuse(error, number))
    const { received, request, refusal } = understand(exchange, protocol, body)
    exchange.received = received
    if (refusal !== undefined) return refuse(refusal)
    exchange.request = request

    const fault = faultFor(faults, number)
    if (fault !== undefined) {
      exchange.fault = fault
      counters.faults[fault] = (counters.faults[fault] ?? 0) + 1
      if (fault === 'silence') return
      const error = faultReply(fault, faults, request.model)
      if (error !== undefined) return refuse(error)
      if (fault === 'garbage') {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end('<html><body>upstream said nothing that makes sense {"choices":[')
        return
      }
    }

    const reply = await replyTo(request)
    if (reply.error !== undefined) return refuse(reply.error)
    const usage = reply.usage === undefined ? countUsage(request, reply) : reply.usage
    const answer = { request, received, reply, usage, number }
    const written = request.stream === true ? protocol.events(answer) : protocol.whole(answer)
    if (fault === 'cut') return sendHalf(response, written)
    exchange.usage = usage
    sendReply(response, written)
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
      protocol: exchange.route.name,
      ...originOf(exchange.incoming.headers, exchange.url),
      body: exchange.request ?? null,
      ...(exchange.received === exchange.request ? {} : { received: exchange.received }),
      status,
      fault: exchange.fault ?? null,
      usage: exchange.usage ?? null,
      startedAt: exchange.startedAt,
      finishedAt: Date.now(),
    })
  }

  async function serve(
    { response, route }: Inquiry,
    number: number,
    work: (protocol: Protocol) => void | Promise<void>,
  ): Promise<void> {
    const protocol = await loadProtocol(route.name)
    // A client may disconnect while it waits. It must not use up a scripted reply.
    if (response.destroyed) return
    try {
      await work(protocol)
    } catch (error) {
      // A responder that throws is a bug in the test. The client gets the error, so that it is seen.
      const message = error instanceof Error ? error.message : String(error)
      if (response.headersSent) response.destroy()
      else sendError(response, protocol.refuse({ status: 500, message, code: 'responder_failed' }, number))
    }
  }

  /** Answers a request to count tokens. It is no completion: not counted, not logged, without faults. */
  function count(inquiry: Inquiry): void {
    const { incoming, response } = inquiry
    const number = counters.requests
    readBody(incoming, body =>
      serve(inquiry, number, protocol => {
        const { request, refusal } = understand(inquiry, protocol, body)
        if (refusal !== undefined) sendError(response, protocol.refuse(refusal, number))
        else sendJson(response, 200, protocol.counted?.(promptTokensOf(request)) ?? {})
      }),
    )
  }

  function answer(inquiry: Inquiry): void {
    counters.requests += 1
    counters.open += 1
    counters.mostOpen = Math.max(counters.mostOpen, counters.open)
    const exchange: Exchange = { ...inquiry, number: counters.requests, startedAt: Date.now() }
    inquiry.response.on('close', () => settle(exchange))
    readBody(inquiry.incoming, body => {
      const respond = (): Promise<void> =>
        serve(exchange, exchange.number, protocol => complete(exchange, protocol, body))
      const delay = latencyFor(latency, exchange.number)
      if (delay <= 0) {
        respond()
        return
      }
      const timer = setTimeout(() => {
        timers.delete(timer)
        respond()
      }, delay)
      timers.add(timer)
    })
  }

  const server = createServer((incoming, response) => {
    const address = `http://127.0.0.1${incoming.url}`
    const url = new URL(URL.canParse(address) ? address : 'http://127.0.0.1')
    const route = incoming.method === 'POST' ? routeOf(url.pathname) : undefined
    if (route !== undefined) return (route.counts ? count : answer)({ incoming, response, url, route })
    if (incoming.method === 'GET' && url.pathname === '/v1/models')
      return sendJson(response, 200, modelList(options.models ?? ['loopback']))
    const message = `loopback server: there is nothing at ${incoming.method} ${incoming.url}`
    sendError(response, openaiError({ status: 404, message }))
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
      // Connections report their end a little later. Only then are the counters and the log complete.
      if (counters.open > 0) await new Promise<void>(resolve => (onIdle = resolve))
      await sink.close()
    },
  }
}

/** The request line and headers of a request. */
interface Inquiry {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  readonly route: Route
}

interface Exchange extends Inquiry {
  readonly number: number
  readonly startedAt: number
  received?: JsonObject | undefined
  request?: ChatRequest
  fault?: FaultKind
  usage?: ChatUsage | null
}

type Understood =
  | { readonly received: JsonObject; readonly request: ChatRequest; readonly refusal?: undefined }
  | { readonly received?: JsonObject; readonly request?: undefined; readonly refusal: ChatError }

function readBody(incoming: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => done(chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString()))
}

/** The parsed body, or an error message. */
function parseBody(body: string): JsonObject | string {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return 'The request body is not JSON'
  }
  if (typeof parsed !== 'object' || parsed === null) return 'The request body is not a JSON object'
  return parsed as JsonObject
}

function modelList(models: readonly string[]): object {
  return { object: 'list', data: models.map(id => ({ id, object: 'model', owned_by: 'simulated' })) }
}
