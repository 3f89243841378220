import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { type ModelConfig, modelSchema, resolveModel } from '../../src/core/config/config.js'
import { InputError, WorldFailure } from '../../src/core/errors/errors.js'
import { closeModels, createModel, type ModelContext } from '../../src/models/index.js'
import { type FakeProvider, startFakeProvider } from './fake-provider.js'
import { startProxy, type TinyProxy } from './proxy.js'

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))
const tls = {
  key: readFileSync(fixture('localhost.key.pem'), 'utf8'),
  cert: readFileSync(fixture('localhost.cert.pem'), 'utf8'),
}

const open: { close(): Promise<void> }[] = []
async function provider(secure = false): Promise<FakeProvider> {
  const started = await startFakeProvider(secure ? tls : undefined)
  open.push(started)
  return started
}
async function proxy(): Promise<TinyProxy> {
  const started = await startProxy()
  open.push(started)
  return started
}
afterEach(async () => {
  await closeModels()
  await Promise.all(open.splice(0).map(server => server.close()))
})

async function ask(
  endpoint: string,
  env: ModelContext['env'],
  config: Partial<ModelConfig> = {},
  token?: () => Promise<string>,
) {
  const full = modelSchema.parse({ model: 'openai-compatible/m', endpoint: `${endpoint}/v1`, ...config })
  const context = token === undefined ? { env } : { env, token }
  const model = await createModel(resolveModel(full, 'target'), context)
  return model.generate({ messages: [{ role: 'user', text: 'x' }] }, new AbortController().signal)
}

describe('proxies', () => {
  it('sends plain HTTP through HTTP_PROXY', async () => {
    const [endpoint, between] = [await provider(), await proxy()]
    expect((await ask(endpoint.url, { HTTP_PROXY: between.url })).text).toBe('hello')
    expect(between.seen).toEqual([`POST ${endpoint.url}/v1/chat/completions`])
    expect(endpoint.requests).toHaveLength(1)
  })

  it('tunnels HTTPS through HTTPS_PROXY', async () => {
    const [endpoint, between] = [await provider(true), await proxy()]
    const env = { HTTPS_PROXY: between.url, SSL_CERT_FILE: fixture('localhost.cert.pem') }
    expect((await ask(endpoint.url, env)).text).toBe('hello')
    expect(between.seen).toEqual([`CONNECT 127.0.0.1:${endpoint.port}`])
  })

  it('accepts lower-case variable names too', async () => {
    const [endpoint, between] = [await provider(), await proxy()]
    await ask(endpoint.url, { http_proxy: between.url })
    expect(between.seen).toHaveLength(1)
  })

  it.each(['127.0.0.1', '*', 'example.org,127.0.0.1'])(
    'goes around the proxy for NO_PROXY=%s',
    async noProxy => {
      const [endpoint, between] = [await provider(), await proxy()]
      expect((await ask(endpoint.url, { HTTP_PROXY: between.url, NO_PROXY: noProxy })).text).toBe('hello')
      expect(between.seen).toEqual([])
    },
  )

  it('uses the proxy for hosts that NO_PROXY does not name', async () => {
    const [endpoint, between] = [await provider(), await proxy()]
    await ask(endpoint.url, { HTTP_PROXY: between.url, NO_PROXY: 'example.org' })
    expect(between.seen).toHaveLength(1)
  })

  it('reports a proxy that is not there as transport, without its password', async () => {
    const [endpoint, between] = [await provider(), await proxy()]
    await between.close()
    const env = { HTTP_PROXY: `http://user:proxy-password@127.0.0.1:${between.port}` }
    const error: unknown = await ask(endpoint.url, env).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(WorldFailure)
    expect(error).toMatchObject({ kind: 'transport', retryable: true })
    expect(inspect(error)).not.toContain('proxy-password')
    expect(endpoint.requests).toHaveLength(0)
  })

  it('refuses a proxy that is no URL', async () => {
    await expect(ask('http://127.0.0.1:9', { HTTPS_PROXY: 'my proxy' })).rejects.toThrow(InputError)
  })
})

describe('certificates', () => {
  it('rejects an untrusted certificate without a retry', async () => {
    const endpoint = await provider(true)
    await expect(ask(endpoint.url, {})).rejects.toMatchObject({ kind: 'transport', retryable: false })
    expect(endpoint.requests).toHaveLength(0)
  })

  it.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])('accepts what %s adds', async variable => {
    const endpoint = await provider(true)
    expect((await ask(endpoint.url, { [variable]: fixture('localhost.cert.pem') })).text).toBe('hello')
  })

  it('refuses a file that is not there', async () => {
    const refused = ask('https://127.0.0.1:9', { SSL_CERT_FILE: fixture('no-such.pem') })
    await expect(refused).rejects.toThrow(/SSL_CERT_FILE/)
  })
})

describe('Entra ID', () => {
  const entra = { model: 'azure/my-deployment', auth: 'entra' } as const

  it('sends the token instead of a key', async () => {
    const endpoint = await provider()
    const env = { AZURE_OPENAI_API_KEY: 'a-key-that-is-not-to-be-used' }
    expect((await ask(endpoint.url, env, entra, async () => 'token-of-the-day')).text).toBe('hello')
    const [seen] = endpoint.requests
    expect(seen?.headers.authorization).toBe('Bearer token-of-the-day')
    expect(seen?.headers['api-key']).toBeUndefined()
  })

  it('asks for a token with each call, so that it never goes stale', async () => {
    const endpoint = await provider()
    let count = 0
    const full = modelSchema.parse({ ...entra, endpoint: `${endpoint.url}/openai/v1` })
    const model = await createModel(resolveModel(full, 'target'), {
      env: {},
      token: async () => `token-${++count}`,
    })
    const request = { messages: [{ role: 'user' as const, text: 'x' }] }
    await model.generate(request, new AbortController().signal)
    await model.generate(request, new AbortController().signal)
    expect(endpoint.requests.map(seen => seen.headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ])
  })

  it('passes a failed sign-in through unchanged', async () => {
    const endpoint = await provider()
    const failure = new WorldFailure('login', 'Signing in failed.', { retryable: false })
    const asked = ask(endpoint.url, {}, entra, () => Promise.reject(failure))
    await expect(asked).rejects.toMatchObject({
      kind: 'login',
      retryable: false,
      message: 'Signing in failed.',
    })
  })

  it('is refused for others than Azure, and together with a key', async () => {
    await expect(ask('http://127.0.0.1:9', {}, { auth: 'entra' })).rejects.toThrow(/azure/)
    await expect(ask('http://127.0.0.1:9', {}, { ...entra, apiKeyEnv: 'KEY' })).rejects.toThrow(/apiKeyEnv/)
  })
})

describe('Azure', () => {
  it('has a URL per deployment with a dated API version, and none without', async () => {
    const endpoint = await provider()
    const env = { AZURE_OPENAI_API_KEY: 'k' }
    await ask(endpoint.url, env, { model: 'azure/mine', apiVersion: '2024-10-21' })
    await ask(endpoint.url, env, { model: 'azure/mine' })
    expect(endpoint.requests.map(seen => seen.url)).toEqual([
      '/v1/deployments/mine/chat/completions?api-version=2024-10-21',
      '/v1/responses',
    ])
  })
})
