import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { modelSchema, resolveModel } from '../../core/config/config.js'
import { closeModels, createModel } from '../index.js'
import { type CustomModelProvider, createCustomModel, defineProvider } from './custom-provider.js'
import { replyLimit } from './reply-limit.js'

/** A reply beyond the output limit is not read to its end, whatever else is wrong with it. */

const mebibyte = 1024 * 1024
const maxOutputTokens = 4096
/** Includes the memory of the server in this process. */
const mostMebibytes = 150
const chunk = Buffer.alloc(mebibyte, 'x')
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
afterAll(closeModels)

/** Sends `mebibytes` of text inside a reply as fast as the client reads, and counts what was sent. */
async function serverOf(options: {
  readonly mebibytes: number
  readonly head: string
  readonly tail: string
  readonly headers?: Record<string, string>
  readonly status?: number
  readonly line?: Buffer
}) {
  const sent = { mebibytes: 0 }
  const server = createServer(async (incoming, response) => {
    incoming.resume()
    response.writeHead(options.status ?? 200, { 'content-type': 'application/json', ...options.headers })
    response.write(options.head)
    for (let part = 0; part < options.mebibytes && !response.destroyed; part++) {
      await written(response, options.line ?? chunk)
      sent.mebibytes += 1
    }
    response.end(options.tail)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => {
    const closed = new Promise(resolve => server.close(resolve))
    server.closeAllConnections()
    await closed
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, sent }
}

async function written(response: ServerResponse, data: Buffer): Promise<void> {
  if (response.write(data)) return
  await new Promise<void>(resolve => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}

async function ask(endpoint: string, options: object = {}) {
  const config = modelSchema.parse({ model: 'openai-compatible/m', endpoint, maxOutputTokens, ...options })
  const model = await createModel(resolveModel(config, 'target'), { env: {} })
  const request = { messages: [{ role: 'user', text: 'What is it?' }] } as const
  return model.generate(request, new AbortController().signal)
}

/** Peak memory of buffers and strings during the work, above the starting level. */
async function mostMemory(work: Promise<unknown>): Promise<number> {
  const used = () => {
    const { heapUsed, external, arrayBuffers } = process.memoryUsage()
    return heapUsed + external + arrayBuffers
  }
  const before = used()
  let most = 0
  let isDone = false
  const end = work.finally(() => {
    isDone = true
  })
  while (!isDone) {
    most = Math.max(most, used() - before)
    await sleep(2)
  }
  await end
  return most / mebibyte
}

const whole = {
  head: '{"id":"1","choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"',
  tail: '"}}],"usage":{"prompt_tokens":5,"completion_tokens":7}}',
}
const event = (content: string) =>
  `data: ${JSON.stringify({ id: '1', choices: [{ delta: { content } }] })}\n\n`
const events = {
  head: event('It is'),
  tail: 'data: {"id":"1","choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  headers: { 'content-type': 'text/event-stream' },
}
const fault = { kind: 'malformed', retryable: true, mayHaveCost: true }

describe('a reply far beyond the output limit', () => {
  it.each([
    ['whole', { ...whole }, {}],
    [
      'streamed in one event',
      { ...events, head: 'data: {"choices":[{"delta":{"content":"' },
      { stream: true },
    ],
    ['streamed', { ...events, line: Buffer.from(event('x'.repeat(mebibyte - 60))) }, { stream: true }],
    ['that is spaces before any reply', { ...whole, head: '', line: Buffer.alloc(mebibyte, ' ') }, {}],
    ['whole where a stream was asked for', { ...whole }, { stream: true }],
  ])('%s, is a fault of the provider, with 600 MB as with 50', async (_, server, options) => {
    for (const mebibytes of [50, 600]) {
      const { url, sent } = await serverOf({ ...server, mebibytes })
      const asked = expect(ask(url, options)).rejects.toMatchObject({
        ...fault,
        message: expect.stringMatching(/more than [\d,]+ KiB, far beyond the output limit of 4096 tokens/),
      })
      expect(await mostMemory(asked)).toBeLessThan(mostMebibytes)
      // Data in the socket buffers of both sides counts as sent.
      expect(sent.mebibytes).toBeLessThan(45)
    }
  })

  it('is not read at all if its length is announced', async () => {
    const headers = { 'content-length': String(600 * mebibyte) }
    const { url, sent } = await serverOf({ ...whole, headers, mebibytes: 600 })
    await expect(ask(url)).rejects.toMatchObject(fault)
    expect(sent.mebibytes).toBeLessThan(20)
  })

  it('is cut for an error, which is classified by its status', async () => {
    const { url, sent } = await serverOf({ ...whole, head: 'Busy. ', status: 503, mebibytes: 600 })
    await expect(ask(url)).rejects.toMatchObject({ kind: 'server', retryable: true })
    expect(sent.mebibytes).toBeLessThan(20)
  })
})

it('takes a long reply that the output limit allows, whole and streamed', async () => {
  const { text } = replyLimit(maxOutputTokens)
  const reply = await serverOf({ ...whole, head: `${whole.head}${'y'.repeat(text - 10)}`, mebibytes: 0 })
  expect((await ask(reply.url)).text).toHaveLength(text - 10)
  const stream = await serverOf({ ...events, head: event('y').repeat(20_000), mebibytes: 0 })
  expect((await ask(stream.url, { stream: true })).text).toHaveLength(20_000)
})

it('takes more for a larger output limit', async () => {
  const { url } = await serverOf({ ...whole, mebibytes: 20 })
  await expect(ask(url)).rejects.toMatchObject(fault)
  expect((await ask(url, { maxOutputTokens: 100_000 })).text).toHaveLength(20 * mebibyte)
})

describe('a provider of one’s own', () => {
  const model = (generate: CustomModelProvider['generate']) =>
    createCustomModel(
      defineProvider({ id: 'own', generate }) as CustomModelProvider,
      { ...modelSchema.parse({ model: 'own/m' }), maxOutputTokens },
      { env: {}, transport: { fetchWithLimit: () => fetch, secrets: [], close: async () => {} } },
    ).generate({ messages: [{ role: 'user', text: 'What is it?' }] }, new AbortController().signal)

  it.each([
    ['text beyond the limit', { text: 'x'.repeat(2 * mebibyte), stop: 'stop', usage: {} }],
    ['nothing', undefined],
    ['no text', { stop: 'stop', usage: { input: 1, output: 5 } }],
    ['null as text', { text: null, stop: 'stop', usage: { input: 1, output: 5 } }],
    ['an empty text', { text: '', stop: 'stop', usage: { input: 1, output: 5 } }],
    ['a stop that there is not', { text: 'x', stop: 'error', usage: {} }],
  ])('fails that returns %s', async (_, reply) => {
    await expect(model(async () => reply as never)).rejects.toMatchObject(fault)
  })

  it('accepts a valid reply', async () => {
    const reply = { text: 'a cat', stop: 'stop', usage: {} } as const
    expect(await model(async () => reply)).toEqual(reply)
  })
})
