import { createHash, createHmac } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { type SeenRequest, startFakeProvider } from '../../test/conformance/fake-provider.js'
import { type ModelConfig, modelSchema, resolveModel } from '../core/config/config.js'
import { InputError } from '../core/errors/errors.js'
import { provider } from './amazon-bedrock.js'
import { closeModels, createModel } from './index.js'
import type { Effort } from './wire/definition.js'

afterEach(closeModels)

const claude = 'amazon-bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0'
const secret = 'secret-0123456789abcdef'
const session = 'session-0123456789abcdef'
const accessKey = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: secret }

function open(env: Record<string, string>, config: Partial<ModelConfig> = {}) {
  return createModel(resolveModel(modelSchema.parse({ model: claude, ...config }), 'target'), { env })
}

describe('refused before any call', () => {
  it.each([
    ['no region', accessKey, /AWS_REGION is not set/, /AWS_REGION=/],
    ['a blank region', { ...accessKey, AWS_REGION: ' ' }, /AWS_REGION is not set/, /AWS_REGION=/],
    ['no such region', { ...accessKey, AWS_REGION: 'us-est-1' }, /"us-est-1"/, /AWS_REGION=us-east-1/],
    [
      'a zone for a region',
      { AWS_BEARER_TOKEN_BEDROCK: 'k', AWS_REGION: 'eu-west-1a' },
      /"eu-west-1a"/,
      /AWS_REGION=eu-west-1\b/,
    ],
    ['no key', { AWS_REGION: 'us-east-1' }, /AWS_SECRET_ACCESS_KEY/, /AWS_BEARER_TOKEN_BEDROCK/],
    [
      'a secret without its id',
      { AWS_REGION: 'us-east-1', AWS_SECRET_ACCESS_KEY: secret },
      /AWS_ACCESS_KEY_ID/,
      /AWS_ACCESS_KEY_ID/,
    ],
  ])('%s', async (_name, env, message, hint) => {
    const error: unknown = await open(env).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(InputError)
    expect((error as InputError).message).toMatch(message)
    expect((error as InputError).hint).toMatch(hint)
  })

  it('a signature for an endpoint that names no region', async () => {
    await expect(open(accessKey, { endpoint: 'https://gateway' })).rejects.toThrow(/AWS_REGION/)
    await expect(
      open(accessKey, { endpoint: 'https://bedrock-runtime.xx-new-1.amazonaws.com' }),
    ).resolves.toBeDefined()
  })

  it('options that the models or the API do not have', async () => {
    const env = { ...accessKey, AWS_REGION: 'us-east-1' }
    await expect(open(env, { seed: true })).rejects.toThrow(/seed/)
    await expect(open(env, { temperature: 1.5 })).rejects.toThrow(/temperature/)
    await expect(open(env, { model: 'amazon-bedrock/mistral.x', effort: 'low' })).rejects.toThrow(/effort/)
  })
})

describe('effort', () => {
  const tune = (model: string, effort: Effort) =>
    provider.tune({ model, effort, maxOutputTokens: 8000, endpointGiven: false, strict: undefined })

  it("uses the option of the model's vendor", () => {
    expect(tune('anthropic.claude-haiku-4-5-20251001-v1:0', 'low')).toEqual({
      providerOptions: { bedrock: { reasoningConfig: { type: 'enabled', budgetTokens: 2000 } } },
      maxOutputTokens: 6000,
    })
    expect(tune('eu.anthropic.claude-opus-4-6-v1', 'high').providerOptions?.bedrock).toEqual({
      reasoningConfig: { type: 'adaptive', maxReasoningEffort: 'high' },
    })
    expect(tune('anthropic.claude-opus-4-6-v1', 'none').providerOptions?.bedrock).toEqual({
      additionalModelRequestFields: { thinking: { type: 'disabled' } },
    })
    expect(tune('openai.gpt-oss-20b-1:0', 'medium').providerOptions?.bedrock).toEqual({
      reasoningConfig: { maxReasoningEffort: 'medium' },
    })
    expect(tune('us.amazon.nova-2-lite-v1:0', 'low').providerOptions?.bedrock).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' },
    })
  })
})

describe('with an access key', () => {
  it('signs the request including the extra body', async () => {
    const endpoint = await startFakeProvider()
    try {
      const env = { ...accessKey, AWS_REGION: 'eu-west-1', AWS_SESSION_TOKEN: session }
      const extraBody = { requestMetadata: { project: 'mine' } }
      const model = await open(env, { endpoint: endpoint.url, extraBody })
      await model.generate({ messages: [{ role: 'user', text: 'Grüß dich' }] }, new AbortController().signal)
      const [seen] = endpoint.requests
      if (seen === undefined) throw new Error('nothing was sent')
      expect(seen.body).toMatchObject(extraBody)
      expect(seen.headers['x-amz-security-token']).toBe(session)
      expect(seen.headers.authorization).toContain(signatureOf(seen))
    } finally {
      await endpoint.close()
    }
  })

  it('shows neither the secret nor the session token in a failure', async () => {
    const endpoint = await startFakeProvider()
    try {
      endpoint.script({ status: 403, message: `you sent ${secret} and ${session}` })
      const env = { ...accessKey, AWS_REGION: 'eu-west-1', AWS_SESSION_TOKEN: session }
      const model = await open(env, { endpoint: endpoint.url })
      const asked = model.generate({ messages: [{ role: 'user', text: 'x' }] }, new AbortController().signal)
      const failure = String(await asked.catch((error: unknown) => error))
      expect(failure).toContain('you sent [redacted] and [redacted]')
    } finally {
      await endpoint.close()
    }
  })
})

/** Computes the Signature Version 4 of the received request. */
function signatureOf({ url, headers, body }: SeenRequest): string {
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? ''
  const lines = names.split(';').map(name => `${name}:${headers[name]}\n`)
  const path = encodeURIComponent(url).replaceAll('%2F', '/')
  const request = ['POST', path, '', lines.join(''), names, sha256(JSON.stringify(body))].join('\n')
  const time = String(headers['x-amz-date'])
  const scope = [time.slice(0, 8), 'eu-west-1', 'bedrock', 'aws4_request']
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(request)].join('\n')
  const key = scope.reduce<Buffer>((last, part) => hmac(last, part), Buffer.from(`AWS4${secret}`))
  return `Credential=AKIDEXAMPLE/${scope.join('/')}, SignedHeaders=${names}, Signature=${hmac(key, text).toString('hex')}`
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
