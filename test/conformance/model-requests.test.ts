import { afterAll, describe, expect, it } from 'vitest'
import { modelSchema, resolveModel } from '../../src/core/config.js'
import type { ModelRequest } from '../../src/core/ports.js'
import { closeModels, createModel } from '../../src/models/index.js'
import { loginHeaders, type SeenRequest, startFakeProvider } from './fake-provider.js'

/**
 * What goes over the wire, to the byte, against a recording in `fixtures/requests`. A new version of a client library
 * that asks otherwise than before shows here. `npx vitest run -u` records anew: read the difference.
 */
interface Recording {
  readonly name: string
  readonly config: { readonly model: string; readonly [option: string]: unknown }
  readonly path: string
  readonly env: Readonly<Record<string, string>>
}

const key = 'key-0123456789abcdef'

const recordings: readonly Recording[] = [
  {
    name: 'openrouter',
    config: { model: 'openrouter/openai/gpt-5-mini', effort: 'low', seed: true },
    path: '/api/v1',
    env: { OPENROUTER_API_KEY: key },
  },
  {
    name: 'minimax',
    config: { model: 'minimax/MiniMax-M3', effort: 'none', temperature: 0.5 },
    path: '/v1',
    env: { MINIMAX_API_KEY: key },
  },
  {
    name: 'deepseek',
    config: { model: 'deepseek/deepseek-flash', temperature: 0 },
    path: '',
    env: { DEEPSEEK_API_KEY: key },
  },
  {
    name: 'qwen',
    config: { model: 'qwen/qwen-plus' },
    path: '/compatible-mode/v1',
    env: { DASHSCOPE_API_KEY: key },
  },
  {
    name: 'qwen-thinking',
    config: { model: 'qwen/qwen-plus', effort: 'low', stream: true, structured: 'text' },
    path: '/compatible-mode/v1',
    env: { DASHSCOPE_API_KEY: key },
  },
  {
    name: 'qwen-not-thinking',
    config: { model: 'qwen/qwen-plus', effort: 'none' },
    path: '/compatible-mode/v1',
    env: { DASHSCOPE_API_KEY: key },
  },
  {
    name: 'google',
    config: { model: 'google/gemini-3-flash', effort: 'low', temperature: 0.5, seed: true },
    path: '',
    env: { GEMINI_API_KEY: key },
  },
  {
    name: 'amazon-bedrock',
    config: { model: 'amazon-bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', effort: 'low' },
    path: '',
    env: { AWS_BEARER_TOKEN_BEDROCK: key, AWS_REGION: 'eu-west-1' },
  },
]

const request: ModelRequest = {
  messages: [
    { role: 'system', text: 'The skill.' },
    { role: 'user', text: 'The task.' },
    {
      role: 'assistant',
      text: 'I look it up.',
      toolCalls: [{ id: 'call_1', name: 'look_up', arguments: '{"word":"cat"}' }],
    },
    { role: 'tool', text: 'A small animal.', toolCallId: 'call_1' },
  ],
  tools: [
    {
      name: 'look_up',
      description: 'Looks a word up.',
      parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    },
  ],
  schema: {
    name: 'verdict',
    schema: {
      type: 'object',
      properties: { mark: { type: 'string', description: 'A letter.' } },
      required: ['mark'],
      additionalProperties: false,
    },
  },
  seed: 77,
}

/** Headers that say how the body is to be read and who asks; the rest is the connection's. */
const ofInterest = [...loginHeaders, 'content-type']

function written({ url, headers, body }: SeenRequest): string {
  const lines = ofInterest.flatMap(name => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`]))
  return `${[`POST ${url}`, ...lines].join('\n')}\n\n${JSON.stringify(body, null, 2)}\n`
}

afterAll(closeModels)

describe('the request on the wire', () => {
  it.each(recordings)('of $name is as recorded', async ({ name, config, path, env }) => {
    const endpoint = await startFakeProvider()
    try {
      const full = modelSchema.parse({ maxOutputTokens: 4000, ...config, endpoint: `${endpoint.url}${path}` })
      const model = await createModel(resolveModel(full, 'target'), { env })
      await model.generate(request, new AbortController().signal)
      const [seen] = endpoint.requests
      expect(endpoint.requests).toHaveLength(1)
      await expect(seen === undefined ? '' : written(seen)).toMatchFileSnapshot(
        `fixtures/requests/${name}.http`,
      )
    } finally {
      await endpoint.close()
    }
  })
})
