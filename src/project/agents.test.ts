import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agentIds } from '../agents/registry/harnesses.js'
import { InputError } from '../core/errors/errors.js'
import { listProviders } from '../models/index.js'
import { assemble } from './assemble.js'
import { loadProject } from './load.js'
import { projectWarnings } from './warnings.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-agents-'))
  const lines = (...ids: string[]) =>
    ids.map(id => JSON.stringify({ id, question: `Say ${id}.`, answer: id })).join('\n')
  await put('SKILL.md', '# How to answer\n\nIn one word.\n')
  await put('train.jsonl', lines('a', 'b', 'c'))
  await put('val.jsonl', lines('d', 'e', 'f', 'g'))
  await put('test.jsonl', lines('h', 'i'))
})
afterEach(() => rm(folder, { recursive: true }))

async function put(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  return path
}

/**
 * Installs a fake program that prints its version. Each gets its own folder, because versions are cached per
 * program.
 */
async function install(program: string, version: string): Promise<void> {
  const path = await put(join('bin', program), `#!/bin/sh\necho "${version}"\n`)
  await chmod(path, 0o755)
}

interface Given {
  readonly target?: unknown
  readonly optimizer?: unknown
  readonly flags?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
}

async function setUp({
  target = 'codex/default',
  optimizer = 'simulated/optimizer',
  flags,
  env,
}: Given = {}) {
  const config = {
    environment: { train: 'train.jsonl', val: 'val.jsonl', test: 'test.jsonl' },
    models: { target, optimizer },
  }
  await put('skillopt.yaml', JSON.stringify(config))
  const path = [join(folder, 'bin'), process.env.PATH].join(delimiter)
  const loaded = await loadProject({
    project: folder,
    cwd: folder,
    env: { PATH: path, HOME: folder, ...env },
    flags: flags ?? {},
    trust: true,
  })
  const setup = await assemble(loaded)
  return { setup, warnings: projectWarnings(loaded, setup) }
}

async function refusal(given?: Given): Promise<string> {
  const error: unknown = await setUp(given).then(
    () => undefined,
    thrown => thrown,
  )
  expect(error).toBeInstanceOf(InputError)
  const { message, hint } = error as InputError
  return `${message} ${hint ?? ''}`
}

const codex = 'codex-cli 0.166.0'

describe('an agent as the target', () => {
  it('runs in its own harness, with a longer timeout and lower concurrency', async () => {
    await install('codex', codex)
    const { setup, warnings } = await setUp()
    expect(setup.harness.id).toBe('codex')
    expect(setup.models.target).toMatchObject({ id: 'codex/default', agent: { version: '0.166.0' } })
    expect(setup.config.models.target).toMatchObject({ timeout: 900, concurrency: 4 })
    expect(warnings).toEqual([])
  })

  it('keeps what the config says', async () => {
    await install('codex', codex)
    const target = { model: 'codex/gpt-5.2', timeout: 30, effort: 'low' }
    const { setup } = await setUp({ target })
    expect(setup.config.models.target).toMatchObject({ timeout: 30, concurrency: 4 })
    expect(setup.models.target.parameters).toMatchObject({ effort: 'low', access: 'workspace' })
  })

  it('is refused where it is not installed, with the command that installs it', async () => {
    expect(await refusal({ env: { PATH: '/usr/bin:/bin' } })).toMatch(
      /^Codex is not installed: there is no program "codex"\. Install it: npm install -g @openai\/codex/,
    )
  })

  it('is refused where it is too old, with the command that updates it', async () => {
    await install('codex', 'codex-cli 0.2.0')
    expect(await refusal()).toMatch(/^Codex 0\.2\.0 is too old: .* Update it: npm install -g/)
  })

  it.each([
    ['codex-cli 99.0.0', /^Codex 99\.0\.0 has not been tested; tested versions: .* to below .*\.$/],
    ['hello', /^The version of Codex is unknown; tested versions: /],
  ])('is doubted once where it says %s', async (version, words) => {
    await install('codex', version)
    const { warnings } = await setUp({ optimizer: 'codex/default' })
    expect(warnings).toEqual([expect.stringMatching(words)])
  })

  it('warns when it runs with full permissions', async () => {
    await install('codex', codex)
    const { warnings, setup } = await setUp({ flags: { 'harness.access': 'full' } })
    expect(warnings).toEqual([
      expect.stringMatching(/^harness\.access is full: Codex acts without asking\. ./),
    ])
    expect(setup.models.target.parameters).toMatchObject({ access: 'full' })
  })

  it.each([
    [{ temperature: 0 }, 'models.target.temperature has no effect: Codex'],
    [{ extraBody: { a: 1 } }, 'models.target.extraBody has no effect: Codex'],
    [{ maxOutputTokens: 9 }, 'models.target.maxOutputTokens has no effect: Codex'],
    [{ stream: true }, 'models.target.stream has no effect: Codex'],
    [{ structured: 'json' }, 'models.target.structured has no effect: Codex'],
    [{ apiKeyEnv: 'MY_KEY' }, 'MY_KEY is not set'],
  ])('refuses what would not reach it: %j', async (option, words) => {
    await install('codex', codex)
    expect(await refusal({ target: { model: 'codex/default', ...option } })).toContain(words)
  })

  it('refuses settings that the agent itself rejects, before it starts', async () => {
    await install('pi', '0.74.2')
    expect(await refusal({ target: { model: 'pi/default', endpoint: 'http://127.0.0.1:9/v1' } })).toMatch(
      /\bpi\b/i,
    )
  })

  it('refuses a cap that it could exceed', async () => {
    await install('codex', codex)
    expect(await refusal({ flags: { 'limits.maxTokens': 1000 } })).toContain('cannot be kept with the target')
  })

  it('refuses a skill that no agent would read', async () => {
    await install('codex', codex)
    await put('SKILL.md', '---\nname: Not A Name\ndescription: d\n---\nText.\n')
    expect(await refusal()).toContain('not a valid Agent Skill')
  })
})

describe('an agent as the optimizer', () => {
  it('is called without tools, so its access does not matter', async () => {
    await install('codex', codex)
    const { setup } = await setUp({
      target: 'simulated/target',
      optimizer: 'codex/default',
      flags: { 'harness.access': 'full', 'limits.maxTokens': 10_000_000 },
    })
    expect(setup.harness.id).toBe('chat')
    expect(setup.models.optimizer.parameters).toMatchObject({ access: 'workspace' })
  })

  it('is refused if it cannot run without tools, naming agents that can', async () => {
    await install('gemini', '0.61.0')
    const words = await refusal({ target: 'simulated/target', optimizer: 'gemini/default' })
    expect(words).toContain('cannot be the optimizer: its tools cannot be turned off.')
    expect(words).toMatch(/Use .*claude-code.*codex/)
  })
})

const simulated = { target: 'simulated/target', optimizer: 'simulated/optimizer' }

/** An environment that only agents can run. */
async function needsFiles(): Promise<string> {
  const environment = `export default {
    id: 'own', needs: ['workspace'], tasks: async split => [{ id: split }],
    open: async () => ({}), score: async () => ({}),
  }`
  return put('own.mjs', environment)
}

it('suggests agents when a task needs files and the target supports none', async () => {
  const flags = { 'environment.use': await needsFiles() }
  await put('skillopt.yaml', JSON.stringify({ environment: {}, models: simulated }))
  const loaded = await loadProject({ project: folder, cwd: folder, env: { HOME: folder }, flags })
  await expect(assemble(loaded)).rejects.toMatchObject({
    message: 'The environment own needs workspace, which the target simulated/target does not support.',
    hint: expect.stringMatching(/Targets that support it: .*claude-code\/….*codex\/…/),
  })
})

it('suggests the agent for a misspelt name', async () => {
  expect(await refusal({ target: 'claude-cod/x' })).toContain('Did you mean claude-code/x?')
})

it('says that a provider does not exist before it says what that provider lacks', async () => {
  await put(
    'skillopt.yaml',
    JSON.stringify({ environment: {}, models: { ...simulated, target: 'claude-cod/x' } }),
  )
  const flags = { 'environment.use': await needsFiles() }
  const loaded = await loadProject({ project: folder, cwd: folder, env: { HOME: folder }, flags })
  await expect(assemble(loaded)).rejects.toThrow('Unknown model provider: claude-cod.')
})

it.each(['codex', 'codex/'])('asks for the model where the config says only "%s"', async target => {
  await install('codex', codex)
  expect(await refusal({ target })).toMatch(
    /^models\.target names the agent Codex, but no model for it\. .*codex\/default/,
  )
})

it('has no agent with the name of a provider, since the prefix would be ambiguous', async () => {
  const providers = (await listProviders()).map(({ id }) => id)
  expect(agentIds().filter(id => providers.includes(id))).toEqual([])
})
