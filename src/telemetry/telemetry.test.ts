import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { expectShown } from '../../test/support/shown-output.js'
import { type TrainOptions, train } from '../app/train.js'
import type { RunEvent } from '../core/log/event.js'

/** Trainings with telemetry on and off, against a collector on loopback. */

const loaded: string[] = []
const watched = vi.hoisted(() => (name: string) => async (original: () => Promise<object>) => {
  loaded.push(name)
  return original()
})
vi.mock('@opentelemetry/sdk-trace-base', watched('sdk-trace-base'))
vi.mock('@opentelemetry/exporter-trace-otlp-http', watched('exporter'))
vi.mock('pino', watched('pino'))

const project = fileURLToPath(new URL('../../examples/quickstart', import.meta.url))

interface WireSpan {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly status: { readonly code?: number }
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[]
}

let cwd: string
let server: Server
let status: number
let received: { headers: Record<string, unknown>; service: unknown; spans: WireSpan[] }[]

beforeEach(async () => {
  status = 200
  received = []
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-telemetry-'))
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as {
        resourceSpans: {
          resource: { attributes: WireSpan['attributes'] }
          scopeSpans: { spans: WireSpan[] }[]
        }[]
      }
      for (const { resource, scopeSpans } of body.resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue
        const spans = scopeSpans.flatMap(scope => scope.spans)
        received.push({ headers: { ...request.headers, url: request.url }, service, spans })
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 })
})

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** One step on a few tasks. */
function small(telemetry: Record<string, unknown>, options: TrainOptions = {}) {
  const events: RunEvent[] = []
  const notices: string[] = []
  const flags = {
    'train.loop': 'steps',
    'evaluation.gate': 'strict',
    'train.epochs': 1,
    'train.batchSize': 60,
    'evaluation.validationSize': 4,
    'evaluation.test': [],
    ...Object.fromEntries(Object.entries(telemetry).map(([name, value]) => [`telemetry.${name}`, value])),
  }
  const work = train({
    project,
    flags,
    cwd,
    out: 'run',
    env: {},
    onEvent: event => void events.push(event),
    onNotice: text => void notices.push(text),
    ...options,
  })
  return work.then(result => ({ result, events, notices }))
}

const sent = () => received.flatMap(({ spans }) => spans)

describe('telemetry', () => {
  // Must be the first test: a library is loaded once and then stays for the others.
  it('makes no connection and loads no library when it is off', async () => {
    const connect = vi.spyOn(net.Socket.prototype, 'connect')
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: address(), OTEL_TRACES_EXPORTER: 'otlp' }
    const { result } = await small({}, { env })
    // The simulated models are on loopback too, so only other connections count.
    const { port } = server.address() as AddressInfo
    const ports = connect.mock.calls.map(([options]) => (options as unknown as { port?: unknown }[])[0]?.port)
    connect.mockRestore()
    expect(result.outcome).toBe('finished')
    expect(ports.map(Number).filter(number => number > 0).length).toBeGreaterThan(0)
    expect(ports.map(Number)).not.toContain(port)
    expect(received).toEqual([])
    expect(loaded).toEqual([])
  })

  it('sends the tree of the run to a collector', async () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: address(),
      OTEL_EXPORTER_OTLP_HEADERS: 'x-token=canary-of-the-collector',
      OTEL_SERVICE_NAME: 'trainer',
    }
    const { result, events, notices } = await small({ spans: true }, { env })
    expect([result.outcome, notices]).toEqual(['finished', []])
    expect(received[0]?.headers).toMatchObject({ url: '/v1/traces', 'x-token': 'canary-of-the-collector' })
    expect(received[0]?.service).toBe('trainer')

    const byId = new Map(sent().map(span => [span.spanId, span]))
    const path = (span: WireSpan): string => {
      const parent = byId.get(span.parentSpanId ?? '')
      return parent === undefined ? span.name : `${path(parent)} > ${span.name}`
    }
    const paths = sent().map(path)
    const of = (type: RunEvent['type'], stage: string) =>
      events.filter(event => event.type === type && 'stage' in event.body && event.body.stage === stage)
    const step = 'run run > epoch 1 > step 1'
    expect(paths).toEqual(expect.arrayContaining(['run run', 'run run > epoch 1', step, `${step} > gate`]))
    for (const stage of ['rollout', 'reflect']) {
      const calls = paths.filter(name => name.startsWith(`${step} > ${stage} > chat `))
      expect(calls).toHaveLength(of('call.finished', stage).length)
    }
    const attempts = paths.filter(name => name.startsWith(`${step} > rollout > attempt `))
    expect(attempts).toHaveLength(of('attempt.finished', 'rollout').length)
    const calls = sent().filter(({ name }) => name === 'chat target')
    const tokens = calls.flatMap(({ attributes }) =>
      attributes.filter(({ key }) => key === 'gen_ai.usage.input_tokens'),
    )
    expect(tokens).toHaveLength(calls.length)
    const questions = (await readFile(join(project, 'tasks', 'train.jsonl'), 'utf8')).trim().split('\n')
    const { question } = JSON.parse(questions[0] ?? '') as { question: string }
    expect(JSON.stringify(sent())).not.toContain(JSON.stringify(question).slice(1, -1))
    expect(JSON.stringify(sent())).not.toContain('canary')
  })

  it('of a resumed run sends nothing twice', async () => {
    const stop = new AbortController()
    let calls = 0
    const first = await small(
      { spans: true, endpoint: address() },
      {
        signal: stop.signal,
        onEvent: event => {
          if (event.type === 'call.finished' && ++calls === 20) stop.abort()
        },
      },
    )
    expect(first.result.outcome).toBe('interrupted')
    const before = sent().filter(({ name, status: { code } }) => name.startsWith('chat') && code !== 2).length
    received = []
    const second = await small({ spans: true, endpoint: address() })
    const made = second.events.filter(({ type }) => type === 'call.finished').length
    const after = sent().filter(({ name }) => name.startsWith('chat')).length
    expect(second.result.outcome).toBe('finished')
    expect(after).toBe(made)
    expect(before + after).toBe(second.result.view?.spending.total.calls)
  })

  it.each([
    ['is away', 0, /^Spans do not reach .*ECONNREFUSED/],
    ['refuses', 401, /^Spans do not reach .*Unauthorized/],
  ])('costs the run nothing where the collector %s', async (_what, answer, words) => {
    const endpoint = address()
    if (answer === 0) await new Promise(resolve => server.close(resolve))
    else status = answer
    // Short enough that the library does not retry.
    const env = { OTEL_EXPORTER_OTLP_TIMEOUT: '200' }
    const { result, notices } = await small({ spans: true, endpoint }, { env })
    expect(result.outcome).toBe('finished')
    expect(notices).toHaveLength(2)
    expect(notices[0]).toMatch(words)
    const shown = notices[0]?.replaceAll(new URL(endpoint).port, '4318') ?? ''
    if (answer === 0) expectShown('docs/telemetry.md', 'away', shown)
    expect(notices[1]).toMatch(/^(\d+) of \1 spans did not reach /)
  })

  it('writes a log file, and both hold texts if asked', async () => {
    const { result } = await small({
      spans: true,
      endpoint: address(),
      texts: true,
      logFile: join(cwd, 'run.log'),
      logLevel: 'debug',
    })
    const lines = (await readFile(join(cwd, 'run.log'), 'utf8')).trim().split('\n')
    expect(lines).toHaveLength(result.view?.events ?? 0)
    expect(lines.filter(line => line.includes('"prompt":[{"role":"system"')).length).toBeGreaterThan(10)
    expect(JSON.stringify(sent())).toContain('gen_ai.input.messages')
    expect(loaded.sort()).toEqual(['exporter', 'pino', 'sdk-trace-base'])
  })

  it('is refused before anything is done if its settings are wrong', async () => {
    await expect(small({ spans: true, endpoint: 'collector' })).rejects.toThrow(
      /telemetry\.endpoint is not a URL/,
    )
    await expect(small({ logFile: project })).rejects.toThrow(/telemetry\.logFile: .* cannot be written/)
    await expect(small({ spans: 'perhaps' })).rejects.toThrow(/telemetry\.spans must be true or false/)
  })
})
