import { afterAll, describe, expect, it } from 'vitest'
import { modelSchema, resolveModel } from '../../src/core/config/config.js'
import { WorldFailure } from '../../src/core/errors/errors.js'
import type { Model } from '../../src/core/ports/model.js'
import { closeModels, createModel, listProviders } from '../../src/models/index.js'
import { type ModelOptions, type ModelSubject, modelChecks } from './model.js'
import type { Dialect } from './wire-formats.js'

const key = 'key-0123456789abcdef'
const maxOutputTokens = 321

interface Family {
  readonly model: string
  readonly dialect: Dialect
  readonly path: string
  readonly variable: string
  readonly apiVersion?: string
  readonly structured?: 'schema' | 'json'
  /** For providers without a key of their own. */
  readonly apiKeyEnv?: string
}

const families: readonly Family[] = [
  {
    model: 'openai-compatible/some/model',
    dialect: 'chat',
    path: '/v1',
    variable: 'OPENAI_COMPATIBLE_API_KEY',
  },
  {
    model: 'openrouter/maker/model',
    dialect: 'chat',
    path: '/api/v1',
    variable: 'OPENROUTER_API_KEY',
  },
  {
    model: 'minimax/MiniMax-M2.1',
    dialect: 'chat',
    path: '/v1',
    variable: 'MINIMAX_API_KEY',
    structured: 'schema',
  },
  {
    model: 'deepseek/deepseek-flash',
    dialect: 'chat',
    path: '',
    variable: 'DEEPSEEK_API_KEY',
    structured: 'json',
  },
  {
    model: 'qwen/qwen-plus',
    dialect: 'chat',
    path: '/compatible-mode/v1',
    variable: 'DASHSCOPE_API_KEY',
    structured: 'json',
  },
  { model: 'vllm/qwen', dialect: 'chat', path: '/v1', variable: 'VLLM_API_KEY' },
  { model: 'sglang/qwen', dialect: 'chat', path: '/v1', variable: 'SGLANG_API_KEY' },
  { model: 'ollama/llama3.2', dialect: 'chat', path: '/v1', variable: 'OLLAMA_API_KEY' },
  { model: 'openai/gpt-4.1', dialect: 'chat', path: '/v1', variable: 'OPENAI_API_KEY' },
  {
    model: 'azure/my-deployment',
    dialect: 'responses',
    path: '/openai/v1',
    variable: 'AZURE_OPENAI_API_KEY',
  },
  {
    model: 'azure/old-deployment',
    dialect: 'chat',
    path: '/openai',
    variable: 'AZURE_API_KEY',
    apiVersion: '2024-10-21',
  },
  {
    model: 'google/gemini-2.5-flash',
    dialect: 'gemini',
    path: '/v1beta',
    variable: 'GOOGLE_GENERATIVE_AI_API_KEY',
  },
  {
    model: 'amazon-bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    dialect: 'converse',
    path: '',
    variable: 'AWS_BEARER_TOKEN_BEDROCK',
  },
  // Its own engine speaks this dialect; local-model.test.ts adds what only real weights show.
  { model: 'local/weights.gguf', dialect: 'chat', path: '/v1', variable: 'A_KEY', apiKeyEnv: 'A_KEY' },
  { model: 'anthropic/claude-sonnet-4-6', dialect: 'messages', path: '', variable: 'ANTHROPIC_API_KEY' },
]

function subject(family: Family, stream: boolean): ModelSubject {
  return {
    name: `${family.model}${stream ? ' streamed' : ''}`,
    dialect: family.dialect,
    key,
    maxOutputTokens,
    jsonMode: family.structured === 'json',
    open: (endpoint, options) => {
      const config = modelSchema.parse({
        model: family.model,
        endpoint: `${endpoint}${family.path}`,
        maxOutputTokens,
        stream,
        apiVersion: family.apiVersion,
        structured: family.structured,
        apiKeyEnv: family.apiKeyEnv,
        ...options,
      })
      return createModel(resolveModel(config, 'target'), { env: { [family.variable]: key } })
    },
  }
}

afterAll(closeModels)

const subjects = families.flatMap(family => [subject(family, false), subject(family, true)])
it('are tried for every provider', async () => {
  const tried = new Set(families.map(({ model }) => model.split('/')[0]))
  const there = (await listProviders()).map(({ id }) => id)
  // These make no network calls; see src/models/simulated.test.ts and handoff.test.ts.
  const others = ['simulated', 'handoff']
  expect(there.filter(id => !others.includes(id) && !tried.has(id))).toEqual([])
})

describe.each(subjects)('$name', one => {
  it.each(modelChecks)('$name', check => check.run(one))
})

/** The suite is useful only if it fails broken models. Each of these breaks one requirement. */
const good = subject(families[0] as Family, false)

function broken(
  change: (model: Model, endpoint: string, options?: ModelOptions) => Partial<Model>,
): ModelSubject {
  return {
    ...good,
    open: async (endpoint, options) => {
      const model = await good.open(endpoint, options)
      return { ...model, ...change(model, endpoint, options) }
    },
  }
}

function failingWith(change: (failure: WorldFailure) => unknown): ModelSubject {
  return broken(model => ({
    generate: (request, signal) =>
      model.generate(request, signal).catch((error: unknown) => {
        throw error instanceof WorldFailure ? change(error) : error
      }),
  }))
}

const brokenModels: readonly (readonly [string, ModelSubject, string])[] = [
  [
    'answers with the text of the error',
    broken(model => ({
      generate: (request, signal) =>
        model
          .generate(request, signal)
          .catch((error: Error) => ({ text: error.message, stop: 'stop', usage: {} })),
    })),
    'tells 401 as login',
  ],
  [
    'takes an empty reply for an answer',
    broken(model => ({
      generate: (request, signal) =>
        model.generate(request, signal).catch((error: unknown) => {
          if (error instanceof WorldFailure && error.kind === 'malformed')
            return { text: '', stop: 'stop' as const, usage: {} }
          throw error
        }),
    })),
    'takes a reply without content for malformed',
  ],
  [
    'takes unknown usage for none',
    broken(model => ({
      generate: async (request, signal) => {
        const reply = await model.generate(request, signal)
        return { ...reply, usage: { input: reply.usage.input ?? 0, output: reply.usage.output ?? 0 } }
      },
    })),
    'leaves unknown usage unknown',
  ],
  [
    'retries by itself',
    broken(model => ({
      generate: (request, signal) =>
        model.generate(request, signal).catch(() => model.generate(request, signal)),
    })),
    'tells 500 as server',
  ],
  [
    'does not hear the signal',
    broken(model => ({ generate: request => model.generate(request, new AbortController().signal) })),
    'rejects with the reason of the signal when aborted',
  ],
  [
    'wraps the reason of the signal',
    broken(model => ({
      generate: (request, signal) =>
        model.generate(request, signal).catch((cause: unknown) => {
          throw cause instanceof WorldFailure ? cause : new Error('aborted', { cause })
        }),
    })),
    'rejects with the reason of the signal when aborted',
  ],
  [
    'takes every end for a good one',
    broken(model => ({
      generate: async (request, signal) => ({ ...(await model.generate(request, signal)), stop: 'stop' }),
    })),
    'tells a reply that reached the output limit',
  ],
  [
    'takes a refusal for an answer',
    broken(model => ({
      generate: async (request, signal) => {
        const reply = await model.generate(request, signal)
        return reply.stop === 'content-filter' ? { ...reply, stop: 'stop' } : reply
      },
    })),
    'tells a refusal, with the model’s words',
  ],
  [
    'always sends a seed',
    { ...good, open: (endpoint, options) => good.open(endpoint, { ...options, seed: true }) },
    'sends a seed only if asked to',
  ],
  ['drops the extra body', { ...good, open: endpoint => good.open(endpoint) }, 'sends the extra body'],
  [
    'forgets when to come back',
    failingWith(({ kind, message, retryable }) => new WorldFailure(kind, message, { retryable })),
    'tells 429 as rate-limit',
  ],
  [
    'would retry anything',
    failingWith(
      ({ kind, message, retryAfterMs }) => new WorldFailure(kind, message, { retryable: true, retryAfterMs }),
    ),
    'tells 402 as quota',
  ],
  [
    'quotes its key',
    failingWith(({ kind, message, retryable }) => new WorldFailure(kind, `${message} ${key}`, { retryable })),
    'never shows the key',
  ],
  [
    'shows its key in its parameters',
    broken(model => ({ parameters: { ...model.parameters, headers: `Bearer ${key}` } })),
    'never shows the key',
  ],
  [
    'does not send tools or schemas',
    broken(model => ({ generate: ({ messages }, signal) => model.generate({ messages }, signal) })),
    'sends the JSON schema',
  ],
]

describe('the suite fails a model that', () => {
  it.each(brokenModels)('%s', async (_name, model, checkName) => {
    const check = modelChecks.find(candidate => candidate.name === checkName)
    expect(check, checkName).toBeDefined()
    await check?.run(good)
    await expect(check?.run(model)).rejects.toThrow()
  })
})
