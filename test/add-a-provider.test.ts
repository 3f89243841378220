import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { InputError } from '../src/core/errors/errors.js'
import { closeModels } from '../src/models/index.js'
import { loadProject } from '../src/project/load.js'
import { openModel } from '../src/project/models.js'
import { startFakeProvider } from './conformance/fake-provider.js'
import { type ModelSubject, modelChecks } from './conformance/model.js'
import { codeBlocks } from './support/markdown.js'
import { typeErrors } from './support/type-check.js'

/** The code of docs/extending.md, verbatim: it type-checks and passes the model conformance suite. */

const page = fileURLToPath(new URL('../docs/extending.md', import.meta.url))
const key = 'key-0123456789abcdef'
const variables = { MY_GATEWAY_API_KEY: key, BY_HAND_API_KEY: key }
const maxOutputTokens = 321

let folder: string
const blocks = codeBlocks(await readFile(page, 'utf8'))
const files = blocks.flatMap(({ marks, text }) =>
  marks.provider === undefined ? [] : [{ name: marks.provider, text }],
)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-provider-'))
  for (const { name, text } of files) await writeFile(join(folder, name), text)
})
afterAll(async () => {
  await closeModels()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

async function open(target: object, env: Record<string, string> = variables) {
  const config = { environment: {}, models: { target: target as never, optimizer: 'simulated/optimizer' } }
  const model = await openModel('target', await loadProject({ config, env, cwd: folder }))
  if (model === undefined) throw new Error('The config has a target, and no model came of it.')
  return model
}

function subject(file: string, stream: boolean): ModelSubject {
  const id = file.replace('.ts', '')
  return {
    name: `${file}${stream ? ' streamed' : ''}`,
    dialect: 'chat',
    key,
    maxOutputTokens,
    jsonMode: file === 'thinking-gateway.ts',
    open: (endpoint, options) =>
      open({
        model: `${id}/some/model`,
        provider: `./${file}`,
        endpoint: `${endpoint}/v1`,
        maxOutputTokens,
        ...(stream ? { stream } : {}),
        ...options,
      }),
  }
}

describe('docs/extending.md', () => {
  it('has code that passes the type check', () => {
    expect(files.map(({ name }) => name)).toEqual(['my-gateway.ts', 'thinking-gateway.ts', 'by-hand.ts'])
    expect(typeErrors(files.map(({ text }) => ({ near: page, text })))).toEqual([])
  })

  const subjects = [
    subject('my-gateway.ts', false),
    subject('my-gateway.ts', true),
    subject('thinking-gateway.ts', false),
    subject('by-hand.ts', false),
  ]
  describe.each(subjects)('$name', one => {
    it.each(modelChecks)('$name', check => check.run(one))
  })

  it('sends what `body` gives', async () => {
    const provider = await startFakeProvider()
    try {
      const model = await open({
        model: 'thinking-gateway/x',
        provider: './thinking-gateway.ts',
        endpoint: `${provider.url}/v1`,
        effort: 'high',
      })
      expect(model.price).toEqual({ input: 0.2, output: 0.8 })
      await model.generate({ messages: [{ role: 'user', text: 'x' }] }, new AbortController().signal)
      expect(provider.requests[0]?.body).toMatchObject({ model: 'x', thinking: { level: 'high' } })
    } finally {
      await provider.close()
    }
  })

  it('shows a config whose models are found', async () => {
    const yaml = blocks.find(({ marks }) => marks.config === 'my-gateway')?.text ?? ''
    await writeFile(join(folder, 'skillopt.yaml'), `environment: {}\n${yaml}`)
    const loaded = await loadProject({ env: variables, cwd: folder, trust: true })
    expect((await openModel('target', loaded))?.id).toBe('my-gateway/llama-3.3-70b')
    expect((await openModel('optimizer', loaded))?.id).toBe('my-gateway/gpt-oss-120b')
  })
})

describe('a provider of one’s own is refused', () => {
  const ours = { model: 'my-gateway/x', provider: './my-gateway.ts' }
  const byHand = { model: 'by-hand/x', provider: './by-hand.ts' }
  it.each<[string, object, RegExp, RegExp]>([
    ['without its key', ours, /MY_GATEWAY_API_KEY is not set/, /Set MY_GATEWAY_API_KEY/],
    ['by a wrong path', { ...ours, provider: './gone.ts' }, /file not found: \.\/gone\.ts/, /^$/],
    ['by a name', { ...ours, provider: 'openai' }, /must be the path of a file/, /openai\/…/],
    ['under another id', { ...ours, model: 'gateway/x' }, /id of its provider, my-gateway/, /my-gateway\/x/],
    [
      'that exports something else',
      { ...ours, provider: './else.ts' },
      /the file \.\/else\.ts does not default-export/,
      /defineProvider/,
    ],
    ['with a bad id', { ...ours, provider: './bad-id.ts' }, /Invalid provider id "My Gateway"/, /^$/],
    [
      'with an id that is taken',
      { model: 'openai/x', provider: './taken.ts' },
      /id "openai" belongs to a built-in/,
      /my-openai/,
    ],
    ['for an option that it does not use', { ...byHand, effort: 'low' }, /does not use `effort`/, /takes/],
    ['for an option that it cannot use', { ...byHand, apiVersion: '1' }, /`apiVersion`/, /Leave it out\.$/],
  ])('%s', async (name, target, message, hint) => {
    const define = (id: string) =>
      `import { defineProvider } from 'skillopt'\nexport default defineProvider({ id: '${id}', endpoint: 'http://127.0.0.1:9' })\n`
    await writeFile(join(folder, 'else.ts'), 'export default { hello: 1 }\n')
    await writeFile(join(folder, 'bad-id.ts'), define('My Gateway'))
    await writeFile(join(folder, 'taken.ts'), define('openai'))
    const error = await open(target, name === 'without its key' ? {} : variables).then(
      () => undefined,
      (thrown: InputError) => thrown,
    )
    expect(error?.message).toMatch(message)
    expect(error?.hint ?? '').toMatch(hint)
  })
})
