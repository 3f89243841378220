import { expect, it } from 'vitest'
import type { ModelRequest } from '../../src/core/ports/model.js'
import { provider } from '../../src/models/openai.js'
import type { Fetch, ProviderSettings } from '../../src/models/wire/definition.js'
import { type CallSettings, toCallOptions } from '../../src/models/wire/request.js'

/**
 * OpenAI's own endpoint cannot be configured, so its request is intercepted before it leaves instead of on
 * loopback.
 */

const request: ModelRequest = {
  messages: [
    { role: 'system', text: 'The skill.' },
    { role: 'user', text: 'The task.' },
  ],
  tools: [
    { name: 'look_up', description: 'Looks a word up.', parameters: { type: 'object', properties: {} } },
  ],
  schema: {
    name: 'verdict',
    schema: {
      type: 'object',
      properties: { mark: { type: 'string' } },
      required: ['mark'],
      additionalProperties: false,
    },
  },
}

it('the request to OpenAI itself is as recorded', async () => {
  const sent: string[] = []
  const fetch: Fetch = async (url, init) => {
    const headers = init?.headers as Record<string, string>
    const lines = ['authorization', 'content-type'].map(name => `${name}: ${headers[name]}`)
    const body = JSON.stringify(JSON.parse(String(init?.body)), null, 2)
    sent.push(`${[`POST ${String(url)}`, ...lines].join('\n')}\n\n${body}\n`)
    return new Response('{}', { status: 500 })
  }
  const settings: ProviderSettings = {
    model: 'gpt-5-mini',
    endpoint: 'https://api.openai.com/v1',
    endpointGiven: false,
    key: 'key-0123456789abcdef',
    keyVariable: 'OPENAI_API_KEY',
    token: undefined,
    apiVersion: undefined,
    structured: 'schema',
    env: {},
    fetch,
  }
  const call: CallSettings = {
    definition: provider,
    provider: settings,
    temperature: undefined,
    effort: 'low',
    maxOutputTokens: 4000,
    structured: 'schema',
    sendSeed: false,
  }
  const client = await provider.create(settings)
  await expect(client.doGenerate(toCallOptions(request, call))).rejects.toThrow()
  expect(sent).toHaveLength(1)
  await expect(sent[0]).toMatchFileSnapshot('fixtures/requests/openai.http')
})
