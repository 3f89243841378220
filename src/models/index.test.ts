import { readdirSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { type ModelConfig, modelSchema, resolveModel } from '../core/config/config.js'
import { InputError } from '../core/errors/errors.js'
import { closeModels, createModel, listProviders } from './index.js'

afterAll(closeModels)

function create(
  config: Partial<ModelConfig> & { model: string },
  env: Record<string, string | undefined> = {},
) {
  return createModel(resolveModel(modelSchema.parse(config), 'target'), { env })
}
async function refusal(
  config: Parameters<typeof create>[0],
  env?: Parameters<typeof create>[1],
): Promise<InputError> {
  const error: unknown = await create(config, env).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(InputError)
  return error as InputError
}

describe('providers', () => {
  it('are the files of this folder', async () => {
    const files = readdirSync(new URL('.', import.meta.url))
      .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map(name => name.replace('.ts', ''))
      .filter(name => !['index', 'prices', 'registry'].includes(name))
    expect((await listProviders()).map(provider => provider.id)).toEqual(files.sort())
    expect(files).toContain('anthropic')
  })

  it('are refused if unknown, with the nearest name', async () => {
    const { message, hint } = await refusal({ model: 'opnai/gpt-5' })
    expect(message).toContain('opnai')
    expect(hint).toContain('Did you mean openai/gpt-5?')
    expect(hint).toContain('anthropic')
  })

  it.each(['../core/config/x', 'index/x', 'http/x', 'openai.test/x', 'wire/x'])(
    'rejects a path in place of a provider: %s',
    async model => {
      expect((await refusal({ model })).message).toMatch(/Unknown model provider/)
    },
  )
})

describe('refused before any call', () => {
  it.each(['gpt-5', '/gpt-5', 'openai/'])('a model without provider or name: %s', async model => {
    expect((await refusal({ model })).hint).toContain('provider/model')
  })

  it('a missing key, with the name of the variable', async () => {
    const { message, hint } = await refusal({ model: 'openai/gpt-5-mini' }, { OPENAI_API_KEY: ' ' })
    expect(message).toContain('OPENAI_API_KEY')
    expect(hint).toContain('OPENAI_API_KEY')
  })

  it('a custom key variable that is not set, although the usual one is', async () => {
    const { message } = await refusal(
      { model: 'openai/gpt-5-mini', apiKeyEnv: 'MY_KEY' },
      { OPENAI_API_KEY: 'k' },
    )
    expect(message).toContain('MY_KEY')
  })

  it('a malformed key, without showing it', async () => {
    const error = await refusal({ model: 'openai/gpt-5-mini' }, { OPENAI_API_KEY: 'abc\ndef' })
    expect(error.message).toContain('OPENAI_API_KEY')
    expect(error.message).not.toContain('abc')
  })

  it('an open-ended provider without endpoint', async () => {
    expect((await refusal({ model: 'openai-compatible/m' })).hint).toContain('endpoint')
    expect((await refusal({ model: 'azure/m' }, { AZURE_OPENAI_API_KEY: 'k' })).hint).toContain(
      'AZURE_OPENAI_ENDPOINT',
    )
  })

  it.each(['127.0.0.1:8000', 'ftp://host/v1', 'nonsense', 'http://user:secret@host/v1'])(
    'an endpoint like %s',
    async endpoint => {
      await refusal({ model: 'vllm/m', endpoint })
    },
  )

  it('options that would not reach the model', async () => {
    const env = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', DEEPSEEK_API_KEY: 'k', MINIMAX_API_KEY: 'k' }
    const reasons = [
      [{ model: 'openai/gpt-5-mini', temperature: 0.5 }, /temperature/],
      [{ model: 'openai/gpt-4.1', effort: 'high' }, /effort/],
      [{ model: 'openai/gpt-5-mini', seed: true }, /seed/],
      [{ model: 'anthropic/claude-sonnet-4-5', seed: true }, /seed/],
      [{ model: 'anthropic/claude-sonnet-4-5', temperature: 1.5 }, /temperature/],
      [{ model: 'anthropic/claude-sonnet-4-6', effort: 'low', temperature: 0.5 }, /temperature/],
      [{ model: 'anthropic/claude-sonnet-4-5', structured: 'json' }, /structured/],
      [{ model: 'deepseek/deepseek-flash', structured: 'schema' }, /structured/],
      [{ model: 'deepseek/deepseek-flash', apiVersion: '1' }, /apiVersion/],
      [{ model: 'minimax/MiniMax-M3', effort: 'high' }, /effort/],
      [{ model: 'minimax/MiniMax-M2.1', effort: 'none' }, /effort/],
      [{ model: 'simulated/critic' }, /critic/],
    ] as const
    for (const [config, reason] of reasons) expect((await refusal(config, env)).message).toMatch(reason)
  })

  it('thinking that leaves no room for an answer', async () => {
    const config = { model: 'anthropic/claude-sonnet-4-5', effort: 'low', maxOutputTokens: 1000 } as const
    expect((await refusal(config, { ANTHROPIC_API_KEY: 'k' })).hint).toContain('maxOutputTokens')
  })
})

describe('a model', () => {
  it('has as parameters everything that changes its replies, and no key', async () => {
    const env = { DEEPSEEK_API_KEY: 'key-that-is-secret' }
    const model = await create({ model: 'deepseek/deepseek-flash', temperature: 0, extraBody: { a: 1 } }, env)
    expect(model.parameters).toEqual({
      endpoint: 'https://api.deepseek.com',
      temperature: 0,
      maxOutputTokens: 4096,
      extraBody: { a: 1 },
      structured: 'json',
      seed: false,
    })
    expect(JSON.stringify(model)).not.toContain('key-that-is-secret')
  })

  it('takes its price from the config, then from the table, then has none', async () => {
    const env = { OPENAI_API_KEY: 'k' }
    const price = { input: 1, output: 2 }
    expect((await create({ model: 'openai/gpt-5-mini', price }, env)).price).toEqual(price)
    expect((await create({ model: 'openai/gpt-5-mini' }, env)).price).toMatchObject({ input: 0.25 })
    expect((await create({ model: 'vllm/m' })).price).toBeUndefined()
  })

  it.each([
    ['ollama/m', { OLLAMA_HOST: 'gpu-box' }, 'http://gpu-box:11434/v1'],
    ['ollama/m', { OLLAMA_HOST: '0.0.0.0:5000' }, 'http://127.0.0.1:5000/v1'],
    ['ollama/m', { OLLAMA_HOST: 'https://ollama.example.org' }, 'https://ollama.example.org/v1'],
    ['ollama/m', {}, 'http://127.0.0.1:11434/v1'],
    ['vllm/m', { VLLM_BASE_URL: 'http://gpu:8000/v1/' }, 'http://gpu:8000/v1'],
    ['sglang/m', {}, 'http://127.0.0.1:30000/v1'],
    ['qwen/m', { DASHSCOPE_API_KEY: 'k' }, 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1'],
    ['google/m', { GOOGLE_API_KEY: 'k' }, 'https://generativelanguage.googleapis.com/v1beta'],
    ['google/m', { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: 'https://gw' }, 'https://gw/v1beta'],
    ['google/m', { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: 'https://gw/v1' }, 'https://gw/v1'],
    [
      'amazon-bedrock/m',
      { AWS_BEARER_TOKEN_BEDROCK: 'k', AWS_REGION: 'eu-west-1' },
      'https://bedrock-runtime.eu-west-1.amazonaws.com',
    ],
    [
      'amazon-bedrock/m',
      { AWS_SECRET_ACCESS_KEY: 'k', AWS_ACCESS_KEY_ID: 'id', AWS_DEFAULT_REGION: 'eusc-de-east-1' },
      'https://bedrock-runtime.eusc-de-east-1.amazonaws.eu',
    ],
    ['openrouter/a/m', { OPENROUTER_API_KEY: 'k' }, 'https://openrouter.ai/api/v1'],
    ['minimax/m', { MINIMAX_API_KEY: 'k' }, 'https://api.minimax.io/v1'],
    [
      'minimax/m',
      { MINIMAX_API_KEY: 'k', MINIMAX_BASE_URL: 'https://api.minimaxi.com' },
      'https://api.minimaxi.com/v1',
    ],
    [
      'minimax/m',
      { MINIMAX_API_KEY: 'k', MINIMAX_BASE_URL: 'https://api.minimaxi.com/v1/' },
      'https://api.minimaxi.com/v1',
    ],
    ['anthropic/m', { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'https://gateway' }, 'https://gateway/v1'],
    [
      'anthropic/m',
      { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'https://gateway/v1' },
      'https://gateway/v1',
    ],
    [
      'azure/m',
      { AZURE_OPENAI_API_KEY: 'k', AZURE_RESOURCE_NAME: 'mine' },
      'https://mine.openai.azure.com/openai',
    ],
    [
      'azure/m',
      { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/' },
      'https://mine.openai.azure.com/openai',
    ],
  ])('%s with %o is at %s', async (model, env, endpoint) => {
    expect((await create({ model }, env)).parameters.endpoint).toBe(endpoint)
  })
})
