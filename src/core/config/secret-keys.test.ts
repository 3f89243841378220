import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { createModel } from '../../models/index.js'
import { loadProject } from '../../project/load.js'
import { modelSchema } from './config.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-endpoint-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const model = (endpoint: string) => ({ model: 'openai-compatible/m', endpoint })

it.each([
  'https://gateway.example/v1?api_key=sk-0123456789abcdef',
  'https://gateway.example/v1?x=sk-0123456789abcdef',
  'https://gateway.example/v1#sk-0123456789abcdef',
  'http://127.0.0.1:8000/v1?token=sk-0123456789abcdef',
])('refuses the endpoint %s, which would be written down with its key', async endpoint => {
  const models = { target: model(endpoint), optimizer: 'openai/gpt-5-mini' }
  await writeFile(join(folder, 'skillopt.yaml'), stringify({ environment: {}, models }))
  const load = (options: object) =>
    loadProject({ project: folder, cwd: folder, env: {}, trust: true, ...options }).then(
      () => undefined,
      (error: Error) => error.message,
    )
  const told =
    'models.target.endpoint (skillopt.yaml:5) has a query: put the key into an environment variable and name it in apiKeyEnv'
  expect(await load({})).toContain(told)
  expect(await load({})).not.toContain('sk-0123')

  const plain = { environment: {}, models: { target: 'vllm/m', optimizer: 'openai/gpt-5-mini' } }
  await writeFile(join(folder, 'skillopt.yaml'), stringify(plain))
  expect(await load({ flags: { 'models.target.endpoint': endpoint } })).toContain('has a query')
  expect(await load({ env: { SKILLOPT_TELEMETRY_ENDPOINT: endpoint } })).toContain('has a query')
})

it('refuses a query in the variable of a provider, without repeating it', async () => {
  const config = { ...modelSchema.parse({ model: 'vllm/m' }), maxOutputTokens: 10 }
  const made = createModel(config, { env: { VLLM_BASE_URL: 'http://127.0.0.1:1/v1?key=sk-0123456789' } })
  await expect(made).rejects.toThrow('VLLM_BASE_URL has a query, which may hold a key.')
})
