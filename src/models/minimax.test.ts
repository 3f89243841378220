import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { modelSchema, resolveModel } from '../core/config/config.js'
import { closeModels, createModel } from './index.js'

const servers: Server[] = []
afterEach(async () => {
  await closeModels()
  for (const server of servers.splice(0)) server.close()
})

/** Calls an endpoint that answers every request with this body and status 200. */
async function ask(body: unknown) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const config = resolveModel(modelSchema.parse({ model: 'minimax/MiniMax-M2.1', endpoint }), 'target')
  const model = await createModel(config, { env: { MINIMAX_API_KEY: 'k' } })
  return model.generate({ messages: [{ role: 'user', text: 'x' }] }, new AbortController().signal)
}

const refusal = (code: number, message: string) => ({
  choices: null,
  base_resp: { status_code: code, status_msg: message },
})

describe('a refusal with status 200', () => {
  it.each([
    [1001, 'server', true],
    [1002, 'rate-limit', true],
    [1004, 'login', false],
    [1008, 'quota', false],
    [1013, 'server', true],
    [1028, 'quota', false],
    [1030, 'quota', false],
    [1039, 'rate-limit', true],
    [2013, 'rejected', false],
    [2045, 'rate-limit', true],
    [2049, 'login', false],
    [2056, 'quota', false],
    [2061, 'quota', false],
    [9999, 'server', true],
  ])('with the code %i is a failure of the kind %s', async (code, kind, retryable) => {
    const failure: unknown = await ask(refusal(code, 'their words')).catch((error: unknown) => error)
    expect(failure).toMatchObject({ kind, retryable })
    expect(String(failure)).toContain(`their words (${code})`)
  })

  it.each([1026, 1027])('with the code %i is a filtered reply', async code => {
    expect(await ask(refusal(code, 'sensitive'))).toEqual({ text: '', stop: 'content-filter', usage: {} })
  })
})

it('accepts a reply whose code is zero, without its reasoning', async () => {
  const message = { role: 'assistant', content: 'A cat.', reasoning_details: [{ text: 'Let me see.' }] }
  const reply = { choices: [{ index: 0, message, finish_reason: 'stop' }] }
  const said = await ask({ ...reply, base_resp: { status_code: 0, status_msg: '' } })
  expect([said.text, said.stop]).toEqual(['A cat.', 'stop'])
})
