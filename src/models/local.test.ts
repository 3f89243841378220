import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { modelSchema, resolveModel } from '../core/config/config.js'
import { createModel } from './index.js'
import { findWeights } from './local/weights.js'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-local-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const context = () => ({
  env: { SKILLOPT_LOCAL_WEIGHTS: folder },
  from: { config: folder, variables: folder },
})

it('says how to fetch a known model', async () => {
  await expect(findWeights('qwen2.5-0.5b', context())).rejects.toMatchObject({
    message: 'The weights of local/qwen2.5-0.5b are not on this machine.',
    hint: expect.stringContaining('skillopt models fetch qwen2.5-0.5b'),
  })
})

it('finds a file beside the config, identified by its content', async () => {
  await writeFile(join(folder, 'a.gguf'), 'GGUF one')
  await writeFile(join(folder, 'b.gguf'), 'GGUF two')
  const [a, b] = [await findWeights('a.gguf', context()), await findWeights('./b.gguf', context())]
  expect(a.file).toBe(join(folder, 'a.gguf'))
  expect(a.fingerprint).not.toBe(b.fingerprint)
  expect((await findWeights('a.gguf', context())).fingerprint).toBe(a.fingerprint)
})

it('refuses a path without a file, and a file that holds no weights', async () => {
  await expect(findWeights('missing.gguf', context())).rejects.toThrow('No weights at')
  await writeFile(join(folder, 'text.gguf'), 'just text')
  await expect(findWeights('text.gguf', context())).rejects.toThrow('is not a GGUF file')
})

it('never starts anything for a model that cannot run', async () => {
  const config = modelSchema.parse({ model: 'local/smollm2-135m' })
  // Which of the two is missing first depends on what is installed here.
  await expect(createModel(resolveModel(config, 'target'), context())).rejects.toThrow(
    /not on this machine|Install node-llama-cpp to use local\/… models: npm install node-llama-cpp/,
  )
})
