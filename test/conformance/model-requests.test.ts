import { afterAll, describe, expect, it } from 'vitest'
import { modelSchema, resolveModel } from '../../src/core/config/config.js'
import type { ModelRequest } from '../../src/core/ports/model.js'
import { filePart } from '../../src/core/task/files.js'
import { userMessage } from '../../src/core/task/parts.js'
import type { Part } from '../../src/core/task/task.js'
import { closeModels, createModel, listProviders } from '../../src/models/index.js'
import { pdf, png } from '../support/pictures.js'
import { loginHeaders, type SeenRequest, startFakeProvider } from './fake-provider.js'

/**
 * Compares requests on the wire, byte for byte, with recordings in `fixtures/requests`. This reveals when a
 * new version of a client library changes its requests. `npx vitest run -u` records anew: read the
 * difference.
 */
interface Recording {
  readonly name: string
  readonly config: { readonly model: string; readonly [option: string]: unknown }
  readonly path: string
  readonly env: Readonly<Record<string, string>>
  /** Replaces the default request with tools and a schema. */
  readonly request?: ModelRequest
}

const key = 'key-0123456789abcdef'

const recordings: readonly Recording[] = [
  {
    name: 'openai-chat',
    config: { model: 'openai/gpt-5-mini', effort: 'low', seed: true },
    path: '/v1',
    env: { OPENAI_API_KEY: key },
  },
  {
    name: 'azure',
    config: { model: 'azure/my-deployment', effort: 'low' },
    path: '/openai/v1',
    env: { AZURE_OPENAI_API_KEY: key },
  },
  {
    name: 'azure-api-version',
    config: { model: 'azure/my-deployment', apiVersion: '2024-10-21', temperature: 0, seed: true },
    path: '/openai',
    env: { AZURE_OPENAI_API_KEY: key },
  },
  {
    name: 'anthropic',
    config: { model: 'anthropic/claude-sonnet-4-6', effort: 'low' },
    path: '/v1',
    env: { ANTHROPIC_API_KEY: key },
  },
  {
    name: 'openai-compatible',
    config: { model: 'openai-compatible/any/model', effort: 'low', temperature: 0.5, seed: true },
    path: '/v1',
    env: { OPENAI_COMPATIBLE_API_KEY: key },
  },
  {
    name: 'vllm',
    config: { model: 'vllm/Qwen/Qwen3-8B', extraBody: { chat_template_kwargs: { enable_thinking: false } } },
    path: '/v1',
    env: {},
  },
  { name: 'sglang', config: { model: 'sglang/qwen', temperature: 0 }, path: '/v1', env: {} },
  { name: 'ollama', config: { model: 'ollama/llama3.2', stream: true }, path: '/v1', env: {} },
  {
    name: 'local',
    config: { model: 'local/weights.gguf', temperature: 0.5, seed: true, extraBody: { top_k: 20 } },
    path: '/v1',
    env: {},
  },
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

const picture = filePart('picture.png', png())
const report = filePart('report.pdf', pdf(1))

/** Each file keeps its place between the texts, and none is sent by name. */
const asking = (...files: readonly Part[]): ModelRequest => ({
  messages: [
    { role: 'system', text: 'The skill.' },
    userMessage([{ type: 'text', text: 'Look:' }, ...files, { type: 'text', text: 'What is it?' }]),
  ],
})
const withBoth = asking(picture, report)
const withImage = asking(picture)
const withDetail = asking(picture.type === 'image' ? { ...picture, detail: 'high' } : picture)

const fileRecordings: readonly Recording[] = [
  {
    name: 'files-openai-chat',
    config: { model: 'openai/gpt-5-mini' },
    path: '/v1',
    env: { OPENAI_API_KEY: key },
    request: withBoth,
  },
  {
    name: 'files-azure',
    config: { model: 'azure/deployed' },
    path: '/openai',
    env: { AZURE_OPENAI_API_KEY: key },
    request: withBoth,
  },
  {
    name: 'files-azure-api-version',
    config: { model: 'azure/deployed', apiVersion: '2024-10-21' },
    path: '/openai',
    env: { AZURE_OPENAI_API_KEY: key },
    request: withBoth,
  },
  {
    name: 'files-anthropic',
    config: { model: 'anthropic/claude-sonnet-4-5' },
    path: '/v1',
    env: { ANTHROPIC_API_KEY: key },
    request: withBoth,
  },
  {
    name: 'files-google',
    config: { model: 'google/gemini-3-flash' },
    path: '',
    env: { GEMINI_API_KEY: key },
    request: withBoth,
  },
  {
    name: 'files-amazon-bedrock',
    config: { model: 'amazon-bedrock/amazon.nova-lite-v1:0' },
    path: '',
    env: { AWS_BEARER_TOKEN_BEDROCK: key, AWS_REGION: 'eu-west-1' },
    request: withBoth,
  },
  {
    name: 'files-openai-compatible',
    config: { model: 'openai-compatible/any' },
    path: '/v1',
    env: {},
    request: withBoth,
  },
  {
    name: 'files-openrouter',
    config: { model: 'openrouter/openai/gpt-5-mini' },
    path: '/api/v1',
    env: { OPENROUTER_API_KEY: key },
    request: withBoth,
  },
  {
    name: 'detail-openai-chat',
    config: { model: 'openai/gpt-5-mini' },
    path: '/v1',
    env: { OPENAI_API_KEY: key },
    request: withDetail,
  },
  {
    name: 'detail-azure',
    config: { model: 'azure/deployed' },
    path: '/openai',
    env: { AZURE_OPENAI_API_KEY: key },
    request: withDetail,
  },
  {
    name: 'detail-openai-compatible',
    config: { model: 'openai-compatible/any' },
    path: '/v1',
    env: {},
    request: withDetail,
  },
  {
    name: 'files-vllm',
    config: { model: 'vllm/Qwen3-VL-8B' },
    path: '/v1',
    env: {},
    request: withImage,
  },
  {
    name: 'files-minimax',
    config: { model: 'minimax/MiniMax-M3' },
    path: '/v1',
    env: { MINIMAX_API_KEY: key },
    request: withImage,
  },
  {
    name: 'files-qwen',
    config: { model: 'qwen/qwen3-vl-plus' },
    path: '/compatible-mode/v1',
    env: { DASHSCOPE_API_KEY: key },
    request: withImage,
  },
  {
    name: 'files-deepseek',
    config: { model: 'deepseek/deepseek-flash' },
    path: '',
    env: { DEEPSEEK_API_KEY: key },
    request: withImage,
  },
]

const toolRequest: ModelRequest = {
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

/** Headers that describe the body and the credentials; the others depend on the connection. */
const ofInterest = [...loginHeaders, 'content-type']

function written({ url, headers, body }: SeenRequest): string {
  const lines = ofInterest.flatMap(name => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`]))
  return `${[`POST ${url}`, ...lines].join('\n')}\n\n${JSON.stringify(body, null, 2)}\n`
}

afterAll(closeModels)

describe('the request on the wire', () => {
  it('is recorded for every provider', async () => {
    const recorded = new Set(recordings.map(({ config }) => config.model.split('/')[0]))
    const there = (await listProviders()).map(({ id }) => id)
    // These send nothing over a network: one answers itself, the other has people answer.
    const ownWays = ['simulated', 'handoff']
    expect(there.filter(id => !ownWays.includes(id) && !recorded.has(id))).toEqual([])
  })

  it.each([...recordings, ...fileRecordings])('of $name is as recorded', async recording => {
    const { name, config, path, env, request = toolRequest } = recording
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
