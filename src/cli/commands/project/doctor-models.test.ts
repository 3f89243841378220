import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type FakeProvider,
  type Script,
  startFakeProvider,
} from '../../../../test/conformance/fake-provider.js'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { exitCodes } from '../../../core/errors/errors.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

const project = fileURLToPath(new URL('../../../../examples/quickstart', import.meta.url))

let cwd: string
let server: FakeProvider
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-doctor-'))
  server = await startFakeProvider()
})
afterAll(async () => {
  await server.close()
  await rm(cwd, { recursive: true })
})

const keys = {
  OPENAI_API_KEY: 'k',
  AZURE_OPENAI_API_KEY: 'k',
  MINIMAX_API_KEY: 'k',
  DASHSCOPE_API_KEY: 'k',
  AWS_BEARER_TOKEN_BEDROCK: 'k',
  OPENROUTER_API_KEY: 'k',
}

/** Returns only the findings about the target. */
async function about(target: Record<string, string>, env: Record<string, string>, ...flags: string[]) {
  const io = fakeIo<Library>({ cwd, env })
  const sets = Object.entries(target).flatMap(([name, value]) => ['--set', `models.target.${name}=${value}`])
  const code = await main(['doctor', project, ...sets, ...flags], io)
  const lines = io.out().split('\n')
  const first = lines.findIndex(line => /^\w+ +target /.test(line))
  const next = lines.slice(first).findIndex(line => /^\w+ +optimizer /.test(line))
  return { code, text: lines.slice(first, first + next).join('\n') }
}

async function online(target: Record<string, string>, script: Script) {
  server.script(script)
  return about(target, keys, '--online')
}

describe('what doctor finds without a call', () => {
  it('where the prompts of a handoff go, and asks nobody even with --online', async () => {
    const { code, text } = await about({ model: 'handoff/agent', endpoint: '/made/up' }, {}, '--online')
    expect(text).toBe(
      'ok    target handoff/agent: prompts are written to /made/up for someone else to answer',
    )
    expect(code).toBe(exitCodes.ok)
  })

  it('a model that is not among the known ones, with the lines for its price', async () => {
    const { code, text } = await about({ model: 'openai/gpt-5-minni' }, keys)
    expect(text).toBe(`ok    target openai/gpt-5-minni: key and endpoint are set
warn  target openai/gpt-5-minni: no price known; did you mean openai/gpt-5-mini?
      Costs will show as "unknown" and --max-cost is refused. If the name is right, add its price (0 for your own server):
      models:
        target:
          model: openai/gpt-5-minni
          price: { input: <in>, output: <out> }  # US dollars per million tokens`)
    expect(code).toBe(exitCodes.ok)
  })

  it('no other name where none is known', async () => {
    const { text } = await about({ model: 'ollama/llama3.2' }, {})
    expect(text).toContain('no price known\n')
  })

  it('a price that was filled in as it stands there', async () => {
    const io = fakeIo<Library>({ cwd })
    await writeFile(
      join(cwd, 'skillopt.yaml'),
      'environment: {}\nmodels:\n  optimizer: simulated/optimizer\n  target:\n    model: ollama/x\n    price: { input: <in>, output: <out> }\n',
    )
    expect(await main(['doctor', '.'], io)).toBe(exitCodes.badInput)
    expect(io.out()).toMatch(/models\.target\.price\.input must be a number.*but is "<in>"/)
  })

  it.each<[string, Record<string, string>, Record<string, string>, RegExp]>([
    ['an unknown provider', { model: 'opnai/gpt-5' }, {}, /Did you mean openai\/gpt-5\?/],
    ['a missing key', { model: 'openai/gpt-5' }, {}, /OPENAI_API_KEY is not set[\s\S]*Set OPENAI_API_KEY in/],
    [
      'a missing region',
      { model: 'amazon-bedrock/a' },
      keys,
      /needs a region[\s\S]*for example AWS_REGION=us-east-1/,
    ],
    [
      'a wrong region',
      { model: 'amazon-bedrock/a' },
      { ...keys, AWS_REGION: 'eu-central-9' },
      /Unknown AWS region: "eu-central-9"[\s\S]*AWS_REGION=eu-central-/,
    ],
    [
      'an Azure resource without an address',
      { model: 'azure/d' },
      keys,
      /AZURE_OPENAI_ENDPOINT or AZURE_OPENAI_BASE_URL, for example to https:\/\/my-resource\.openai\.azure\.com/,
    ],
    [
      'an API version that is none',
      { model: 'azure/d', endpoint: 'https://r.openai.azure.com', apiVersion: 'latest' },
      keys,
      /apiVersion "latest" is not a date[\s\S]*2024-10-21/,
    ],
  ])('%s, with the line to write', async (_what, target, env, words) => {
    const { code, text } = await about(target, env)
    expect(text).toMatch(/^fail {2}target /)
    expect(text).toMatch(words)
    expect(code).toBe(exitCodes.badInput)
  })
})

describe('what doctor finds with --online', () => {
  const at = (path: string) => ({ endpoint: `${server.url}${path}` })

  it('nothing, if the model answers', async () => {
    const { code, text } = await online(
      { model: 'openai/gpt-5-mini', ...at('/v1') },
      { reply: { text: 'ok', usage: { input: 1, output: 1 } } },
    )
    expect(text).toMatch(/ok {4}target openai\/gpt-5-mini: answered \(stop\)$/)
    expect(code).toBe(exitCodes.ok)
  })

  it.each<[string, string, string, Script, RegExp]>([
    [
      'a model that is not there (404)',
      'openai/gpt-5-minni',
      '/v1',
      { status: 404, message: 'The model `gpt-5-minni` does not exist', code: 'model_not_found' },
      /does not exist\n[\s\S]*models:\n +target:\n +model: openai\/gpt-5-mini$/,
    ],
    [
      'a model that is not there (400)',
      'openrouter/some/model',
      '/v1',
      { status: 400, message: 'some/model is not a valid model ID' },
      /Use the name that the provider lists[\s\S]*model: openrouter\/<name>$/,
    ],
    [
      'another wrong request, which is not about the name',
      'openai/gpt-5-mini',
      '/v1',
      { status: 400, message: 'temperature is out of range' },
      /Correct the model’s options[^\n]*$/,
    ],
    [
      'an Azure deployment that is not there',
      'azure/gpt-5-mini',
      '/openai/v1',
      { status: 404, message: 'The API deployment for this resource does not exist.' },
      /a deployment name[\s\S]*model: azure\/<deployment>$/,
    ],
    [
      'an Azure address that is none',
      'azure/d',
      '/openai/v1',
      { status: 404, message: 'Resource not found' },
      /endpoint: https:\/\/<resource>\.openai\.azure\.com\n +apiVersion: 2024-10-21/,
    ],
    [
      'an API version that the resource has not',
      'azure/d',
      '/openai/v1',
      { status: 400, message: 'API version not supported' },
      /apiVersion: 2024-10-21/,
    ],
    [
      'a key of MiniMax’s other region',
      'minimax/MiniMax-M2.1',
      '/v1',
      { status: 401, message: 'invalid api key (2049)' },
      /Check the key in MINIMAX_API_KEY\. Keys are valid in one region only: .*`endpoint: https:\/\/api\.minimaxi\.com\/v1`/,
    ],
    [
      'a key of Alibaba’s other region',
      'qwen/qwen-plus',
      '/v1',
      { status: 401, message: 'Incorrect API key provided.' },
      /`endpoint: https:\/\/dashscope\.aliyuncs\.com\/compatible-mode\/v1`/,
    ],
  ])('%s, with the line to write', async (_what, model, path, script, words) => {
    const { code, text } = await online({ model, ...at(path) }, script)
    expect(text).toMatch(words)
    expect(code).toBe(exitCodes.badInput)
  })
})
