import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { FaultKind } from './faults.js'
import { faultFor, latencyFor } from './faults.js'
import { type LoopbackOptions, type LoopbackServer, startLoopbackServer } from './server.js'

const running: LoopbackServer[] = []

async function start(options: LoopbackOptions): Promise<LoopbackServer> {
  const server = await startLoopbackServer(options)
  running.push(server)
  return server
}

afterEach(async () => {
  for (const server of running.splice(0)) await server.close()
})

function post(server: LoopbackServer, body: object = {}, init: RequestInit = {}): Promise<Response> {
  const request = { model: 'any', messages: [{ role: 'user', content: 'Hello' }], ...body }
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(request),
    ...init,
  })
}

/** The server's reply, left untyped because the assertions check its shape. */
async function jsonOf(response: Response | Promise<Response>) {
  return JSON.parse(await (await response).text())
}

function eventsOf(stream: string) {
  const lines = stream.split('\n\n').filter(line => line.startsWith('data: ') && !line.includes('[DONE]'))
  return lines.map(line => JSON.parse(line.slice('data: '.length)))
}

const echo = {
  respond: () => ({ content: 'A reply that is long enough to be cut in two, and sent in chunks.' }),
}

describe('replies', () => {
  it('answers from the script, then from the responder', async () => {
    const server = await start({
      replies: ['first', { content: 'second' }],
      respond: () => ({ content: 'later' }),
    })
    const contents = []
    for (let turn = 0; turn < 3; turn++) {
      contents.push((await jsonOf(post(server))).choices[0].message.content)
    }
    expect(contents).toEqual(['first', 'second', 'later'])
  })

  it('says so when the script is used up', async () => {
    const response = await post(await start({ replies: [] }))
    expect(response.status).toBe(400)
    expect((await jsonOf(response)).error.code).toBe('script_exhausted')
  })

  it('hands the request to the responder and names the model and the fingerprint', async () => {
    const server = await start({ respond: request => ({ content: `${request.messages.length} messages` }) })
    const reply = await (
      await post(server, { response_format: { type: 'json_schema', json_schema: {} } })
    ).json()
    expect(reply).toMatchObject({
      model: 'any',
      object: 'chat.completion',
      system_fingerprint: 'simulated',
      choices: [{ message: { role: 'assistant', content: '1 messages' }, finish_reason: 'stop' }],
    })
  })

  it('sends tool calls, whole and streamed', async () => {
    const reply = { toolCalls: [{ name: 'look', arguments: { at: 'shelf' } }] }
    const server = await start({ replies: [reply, reply] })
    const whole = (await jsonOf(post(server))).choices[0]
    expect(whole.finish_reason).toBe('tool_calls')
    expect(whole.message.tool_calls[0].function).toEqual({ name: 'look', arguments: '{"at":"shelf"}' })
    const events = eventsOf(await (await post(server, { stream: true })).text())
    const calls = events.flatMap(event => event.choices[0]?.delta.tool_calls ?? [])
    expect(calls[0]).toMatchObject({ index: 0, type: 'function', function: { name: 'look' } })
  })

  it('streams the content in several chunks, with usage when asked for', async () => {
    const server = await start(echo)
    const response = await post(server, { stream: true, stream_options: { include_usage: true } })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const text = await response.text()
    const events = eventsOf(text)
    const deltas = events.map(event => event.choices[0]?.delta.content ?? '').filter(part => part !== '')
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.join('')).toBe(echo.respond().content)
    expect(events.at(-1).usage.completion_tokens).toBe(Math.ceil(echo.respond().content.length / 4))
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('passes scripted errors on', async () => {
    const error = { status: 400, message: 'too long', code: 'context_length_exceeded' }
    const response = await post(await start({ replies: [{ error }] }))
    expect(response.status).toBe(400)
    expect((await jsonOf(response)).error).toMatchObject({
      message: 'too long',
      code: 'context_length_exceeded',
    })
  })

  it('shows a responder that throws', async () => {
    const server = await start({
      respond: () => {
        throw new Error('broken responder')
      },
    })
    const response = await post(server)
    expect(response.status).toBe(500)
    expect((await jsonOf(response)).error).toMatchObject({
      message: 'broken responder',
      code: 'responder_failed',
    })
  })

  it('refuses what is not a chat request', async () => {
    const server = await start(echo)
    expect((await post(server, {}, { body: 'not json' })).status).toBe(400)
    expect((await post(server, { messages: [] })).status).toBe(400)
    expect((await fetch(`${server.url}/v1/embeddings`, { method: 'POST' })).status).toBe(404)
  })

  it('lists its models', async () => {
    const server = await start({ ...echo, models: ['target', 'optimizer'] })
    const list = await jsonOf(fetch(`${server.url}/v1/models`))
    expect(list.data.map((model: { id: string }) => model.id)).toEqual(['target', 'optimizer'])
  })
})

describe('faults', () => {
  const statusOf: [FaultKind, number, string | null][] = [
    ['rate-limit', 429, 'rate_limit_exceeded'],
    ['server-error', 500, null],
    ['unauthorized', 401, 'invalid_api_key'],
    ['quota', 429, 'insufficient_quota'],
    ['model-not-found', 404, 'model_not_found'],
  ]

  it.each(statusOf)('%s answers with status %i', async (fault, status, code) => {
    const server = await start({ ...echo, faults: { [fault]: 1, retryAfterSeconds: 7 } })
    const response = await post(server)
    expect(response.status).toBe(status)
    expect((await jsonOf(response)).error.code).toBe(code)
    expect(response.headers.get('retry-after')).toBe(fault === 'rate-limit' ? '7' : null)
    expect(server.counters.faults).toEqual({ [fault]: 1 })
    expect(server.counters.completions).toBe(0)
  })

  it.each([false, true])('cut drops the connection in the middle (stream: %s)', async stream => {
    const server = await start({ ...echo, faults: { cut: 1 } })
    const response = await post(server, { stream })
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  })

  it('garbage is status 200 with a body that is not JSON', async () => {
    const response = await post(await start({ ...echo, faults: { garbage: 1 } }))
    expect(response.status).toBe(200)
    await expect(response.json()).rejects.toThrow(SyntaxError)
  })

  it('silence never answers, and close() ends it', async () => {
    const server = await start({ ...echo, faults: { silence: 1 } })
    await expect(post(server, {}, { signal: AbortSignal.timeout(200) })).rejects.toThrow()
    const pending = post(server)
    pending.catch(() => undefined)
    while (server.counters.faults.silence !== 2) await new Promise(resolve => setTimeout(resolve, 5))
    await server.close()
    await expect(pending).rejects.toThrow()
    expect(server.counters.abandoned).toBe(2)
  })

  it('occur at their share, for the same requests with the same seed', () => {
    const plan = { 'rate-limit': 0.1, cut: 0.05, seed: 3 }
    const drawn = Array.from({ length: 20_000 }, (_, index) => faultFor(plan, index + 1))
    expect(drawn.filter(fault => fault === 'rate-limit').length / drawn.length).toBeCloseTo(0.1, 1.9)
    expect(drawn.filter(fault => fault === 'cut').length / drawn.length).toBeCloseTo(0.05, 1.9)
    expect(drawn).toEqual(Array.from({ length: 20_000 }, (_, index) => faultFor(plan, index + 1)))
    const other = Array.from({ length: 20_000 }, (_, index) => faultFor({ ...plan, seed: 4 }, index + 1))
    expect(other).not.toEqual(drawn)
  })

  it('can be a function of the request number, and changed at run time', async () => {
    const server = await start({ ...echo, faults: number => (number === 1 ? 'server-error' : undefined) })
    expect((await post(server)).status).toBe(500)
    expect((await post(server)).status).toBe(200)
    server.setFaults({ quota: 1 })
    expect((await post(server)).status).toBe(429)
    server.setFaults(undefined)
    expect((await post(server)).status).toBe(200)
  })

  it('with impossible shares are rejected', async () => {
    await expect(startLoopbackServer({ faults: { cut: 1.5 } })).rejects.toThrow('between 0 and 1')
    await expect(startLoopbackServer({ faults: { cut: 0.7, quota: 0.7 } })).rejects.toThrow('more than 1')
    const misspelt = { silense: 0.1 } as object
    await expect(startLoopbackServer({ faults: misspelt })).rejects.toThrow('unknown fault "silense"')
  })
})

describe('key, usage, log and latency', () => {
  it('asks for the key, which can change while it runs', async () => {
    const server = await start({ ...echo, apiKey: 'first' })
    const withKey = (key: string) => post(server, {}, { headers: { authorization: `Bearer ${key}` } })
    expect((await post(server)).status).toBe(401)
    expect((await withKey('first')).status).toBe(200)
    server.setApiKey('second')
    expect((await withKey('first')).status).toBe(401)
    expect((await withKey('second')).status).toBe(200)
    server.setApiKey(undefined)
    expect((await post(server)).status).toBe(200)
  })

  it('counts a token per four bytes, and a system message seen before as cached', async () => {
    const server = await start({ respond: () => ({ content: 'é'.repeat(6) }) })
    const messages = [
      { role: 'system', content: 's'.repeat(40) },
      { role: 'user', content: [{ type: 'text', text: 'u'.repeat(9) }] },
    ]
    const usages = []
    for (let turn = 0; turn < 2; turn++) usages.push((await jsonOf(post(server, { messages }))).usage)
    expect(usages[0]).toEqual({
      prompt_tokens: 13,
      completion_tokens: 3,
      total_tokens: 16,
      prompt_tokens_details: { cached_tokens: 0 },
    })
    expect(usages[1].prompt_tokens_details).toEqual({ cached_tokens: 10 })
    expect(server.counters).toMatchObject({ promptTokens: 26, completionTokens: 6, cachedTokens: 10 })
  })

  it('leaves usage out, or sends another, when the reply says so', async () => {
    const server = await start({ replies: [{ content: 'x', usage: null }] })
    expect(await jsonOf(post(server))).not.toHaveProperty('usage')
  })

  it('keeps and writes a log without the key in it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loopback-'))
    const logFile = join(folder, 'requests.jsonl')
    const server = await start({ ...echo, keepLog: true, logFile, apiKey: 'sk-secret', faults: { quota: 1 } })
    const headers = { authorization: 'Bearer sk-secret', 'user-agent': 'tester/1' }
    await (await post(server, {}, { headers })).text()
    await (await post(server)).text()
    await server.close()
    const written = await readFile(logFile, 'utf8')
    await rm(folder, { recursive: true })
    expect(written).not.toContain('sk-secret')
    expect(
      written
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual(server.log)
    expect(server.log[0]).toMatchObject({
      number: 1,
      status: 429,
      fault: 'quota',
      headers: { userAgent: 'tester/1' },
      body: { model: 'any' },
    })
    expect(server.log[0]?.headers.authorization).toMatch(/^[0-9a-f]{12}$/)
    expect(server.log[1]).toMatchObject({ number: 2, status: 401, fault: null })
    expect(server.counters.statuses).toEqual({ 401: 1, 429: 1 })
  })

  it('keeps no log unless asked', async () => {
    const server = await start(echo)
    await (await post(server)).text()
    expect(server.log).toEqual([])
    expect(server.counters.requests).toBe(1)
  })

  it('waits before it answers, and several requests wait together', async () => {
    const server = await start({ ...echo, latency: { kind: 'fixed', milliseconds: 120 } })
    const began = performance.now()
    await Promise.all(Array.from({ length: 5 }, async () => (await post(server)).text()))
    const waited = performance.now() - began
    expect(waited).toBeGreaterThanOrEqual(115)
    expect(server.counters.mostOpen).toBe(5)
  })

  it('draws lognormal waiting times around their median', () => {
    const latency = { kind: 'lognormal', medianMilliseconds: 200, sigma: 0.8, seed: 5 } as const
    const drawn = Array.from({ length: 4001 }, (_, index) => latencyFor(latency, index)).sort((a, b) => a - b)
    expect(drawn[2000]).toBeGreaterThan(185)
    expect(drawn[2000]).toBeLessThan(215)
    // 97.7% of values lie below two standard deviations of the logarithm.
    expect(drawn[Math.floor(4001 * 0.977)]).toBeGreaterThan(200 * Math.exp(1.6) * 0.85)
    expect(drawn[Math.floor(4001 * 0.977)]).toBeLessThan(200 * Math.exp(1.6) * 1.15)
    expect(latencyFor(latency, 17)).toBe(latencyFor(latency, 17))
  })
})
