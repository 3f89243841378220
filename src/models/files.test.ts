import { afterAll, describe, expect, it } from 'vitest'
import { modelSchema, resolveModel } from '../core/config/config.js'
import { limitProblem } from '../core/task/file-limits.js'
import type { MediaType } from '../core/task/task.js'
import { closeModels, createModel, listProviders } from './index.js'

afterAll(closeModels)

const key = 'k'
const env = {
  OPENAI_API_KEY: key,
  ANTHROPIC_API_KEY: key,
  GEMINI_API_KEY: key,
  AWS_BEARER_TOKEN_BEDROCK: key,
  AWS_REGION: 'us-east-1',
  DEEPSEEK_API_KEY: key,
  MINIMAX_API_KEY: key,
  DASHSCOPE_API_KEY: key,
  OPENROUTER_API_KEY: key,
  AZURE_API_KEY: key,
  AZURE_RESOURCE_NAME: 'here',
  OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1',
}

async function problem(model: string, mediaType: MediaType, bytes: number, pages?: number) {
  const created = await createModel(resolveModel(modelSchema.parse({ model }), 'target'), { env })
  const file = { name: 'scan', mediaType, bytes }
  return limitProblem([pages === undefined ? file : { ...file, pages }], created)
}

describe('files that a model takes', () => {
  it.each([
    ['openai/gpt-5-mini', 'image/gif', 20_000_000],
    ['openai/gpt-4o', 'application/pdf', 37_000_000],
    ['azure/deployed', 'application/pdf', 1000],
    ['anthropic/claude-sonnet-4-5', 'image/webp', 3_932_160],
    ['anthropic/claude-sonnet-4-5', 'application/pdf', 23_000_000, 600],
    ['google/gemini-3-flash', 'image/png', 30_000_000],
    ['google/gemini-3-flash', 'application/pdf', 50_000_000, 1000],
    ['amazon-bedrock/amazon.nova-lite-v1:0', 'image/png', 3_932_160],
    ['amazon-bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'application/pdf', 10_000_000],
    ['amazon-bedrock/meta.llama3-2-90b-instruct-v1:0', 'image/png', 1000],
    ['amazon-bedrock/meta.llama3-1-70b-instruct-v1:0', 'application/pdf', 4_500_000],
    ['openai-compatible/any', 'application/pdf', 90_000_000],
    ['openrouter/deepseek/deepseek-chat', 'application/pdf', 1000],
    ['vllm/any', 'image/gif', 90_000_000],
    ['ollama/llava', 'image/png', 1000],
    ['minimax/MiniMax-M3', 'image/png', 1000],
    ['qwen/qwen3-vl-plus', 'image/png', 7_500_000],
    ['qwen/qwen3.6-plus', 'image/jpeg', 1000],
    ['deepseek/deepseek-flash', 'image/gif', 1000],
  ] as const)('%s: %s of %i bytes', async (model, mediaType, bytes, pages?: number) => {
    expect(await problem(model, mediaType, bytes, pages)).toBeUndefined()
  })
})

describe('files that a model does not take', () => {
  it.each([
    ['openai/gpt-3.5-turbo', 'image/png', 1000, 'takes no images'],
    ['openai/o3-mini', 'application/pdf', 1000, 'takes no documents'],
    ['openai/gpt-5-mini', 'image/png', 20_000_001, 'images of at most 20,000,000'],
    ['openai/gpt-5-mini', 'application/pdf', 38_000_000, 'at most 37.5 MB at once'],
    ['anthropic/claude-2.1', 'image/png', 1000, 'takes no images'],
    ['anthropic/claude-sonnet-4-5', 'image/png', 3_932_161, 'images of at most 3,932,160'],
    ['google/gemini-3-flash', 'image/gif', 1000, 'takes only a PNG image, a JPEG image, a WebP image'],
    ['google/gemini-3-flash', 'application/pdf', 51_000_000, 'documents of at most 50.0 MB'],
    ['amazon-bedrock/amazon.nova-micro-v1:0', 'application/pdf', 1000, 'takes no documents'],
    ['amazon-bedrock/meta.llama3-1-70b-instruct-v1:0', 'image/png', 1000, 'takes no images'],
    ['amazon-bedrock/meta.llama3-1-70b-instruct-v1:0', 'application/pdf', 4_600_000, 'at most 4.5 MB'],
    ['amazon-bedrock/anthropic.claude-3-haiku-20240307-v1:0', 'application/pdf', 4_600_000, 'at most 4.5 MB'],
    ['amazon-bedrock/openai.gpt-oss-20b-1:0', 'image/png', 1000, 'takes no images'],
    ['vllm/any', 'application/pdf', 1000, 'takes no documents'],
    ['sglang/any', 'application/pdf', 1000, 'takes no documents'],
    ['ollama/llava', 'image/gif', 1000, 'takes only a PNG image, a JPEG image, a WebP image'],
    ['minimax/MiniMax-M2.1', 'image/png', 1000, 'takes no images'],
    ['minimax/MiniMax-M3', 'application/pdf', 1000, 'takes no documents'],
    ['qwen/qwen-plus', 'image/png', 1000, 'takes no images'],
    ['qwen/qwen3-vl-plus', 'image/png', 7_600_000, 'images of at most 7.5 MB'],
    ['deepseek/deepseek-v4-pro', 'image/png', 1000, 'takes no images'],
    ['deepseek/deepseek-flash', 'application/pdf', 1000, 'takes no documents'],
  ] as const)('%s: %s of %i bytes', async (model, mediaType, bytes, said) => {
    expect(await problem(model, mediaType, bytes)).toContain(said)
  })

  it('are those with too many pages', async () => {
    const said = await problem('anthropic/claude-sonnet-4-5', 'application/pdf', 1000, 601)
    expect(said).toBe('scan has 601 pages, and anthropic/claude-sonnet-4-5 takes at most 600')
  })
})

it.each([
  ['openai/gpt-5-mini', true],
  ['azure/deployed', true],
  ['openai-compatible/any', true],
  ['openrouter/openai/gpt-5-mini', true],
  ['deepseek/deepseek-flash', true],
  ['anthropic/claude-sonnet-4-5', undefined],
  ['google/gemini-3-flash', undefined],
  ['amazon-bedrock/amazon.nova-lite-v1:0', undefined],
  ['vllm/any', undefined],
  ['ollama/llava', undefined],
])('%s lets one choose the detail of images: %s', async (model, detail) => {
  const created = await createModel(resolveModel(modelSchema.parse({ model }), 'target'), { env })
  expect(created.files?.image?.detail).toBe(detail)
})

it('is said by every provider', async () => {
  const silent = (await listProviders()).filter(provider => provider.files === undefined)
  expect(silent.map(({ id }) => id)).toEqual([])
})
