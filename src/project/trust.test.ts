import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type LoadOptions, loadProject } from './load.js'
import type { TrustRequest } from './trust.js'

let root: string
let folder: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-trusted-')))
  folder = join(root, 'work', 'clone')
  await put('work/clone/SKILL.md', '# Skill\n')
  await put('home/.keep', '')
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function put(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, name)), { recursive: true })
  await writeFile(join(root, name), text)
}

const models = { target: 'openai/gpt-5-mini', optimizer: 'openai/gpt-5-mini' }
const target = (more: object) => ({ models: { ...models, target: { model: 'openai/gpt-5-mini', ...more } } })
const server = (more: object) => ({
  models: { ...models, target: { model: 'openai-compatible/m', ...more } },
})

const load = (options: Partial<LoadOptions> = {}) =>
  loadProject({ project: folder, cwd: folder, env: { HOME: join(root, 'home') }, ...options })

/** The options that need trust, as the user sees them in the prompt. */
async function asked(config: object, options: Partial<LoadOptions> = {}): Promise<string[]> {
  await put('work/clone/skillopt.yaml', stringify({ environment: { use: 'tasks' }, models, ...config }))
  const requests: TrustRequest[] = []
  await load({
    trust: async request => {
      requests.push(request)
      return 'as-is'
    },
    ...options,
  })
  await rm(join(root, 'home', '.skillopt'), { recursive: true, force: true })
  return requests.flatMap(({ items }) => items.map(({ option }) => option))
}

describe('a config file', () => {
  it.each<readonly [string, object]>([
    ['environment.use', { environment: { use: './world.ts' } }],
    ['evaluation.gate', { evaluation: { gate: './gate.mjs' } }],
    ['models.target.provider', target({ provider: './provider.ts' })],
    ['sleep.embedder', { sleep: { embedder: './embedder.mjs' } }],
    ['models.target.endpoint', target({ endpoint: 'https://elsewhere.example/v1' })],
    ['models.target.endpoint', target({ endpoint: 'http://127.0.0.1:8080/v1' })],
    ['models.target.endpoint', target({ endpoint: 'https://api.openai.com.elsewhere.example/v1' })],
    ['models.target.endpoint', target({ endpoint: 'http://api.openai.com/v1' })],
    ['models.target.endpoint', server({ endpoint: 'https://elsewhere.example/v1' })],
    ['models.target.endpoint', target({ model: 'claude-code/default', endpoint: 'http://127.0.0.1:1' })],
    ['models.target.endpoint', target({ model: 'azure/x', endpoint: 'https://x.openai.azure.com' })],
    ['models.target.apiKeyEnv', target({ apiKeyEnv: 'GITHUB_TOKEN' })],
    ['models.target.extraBody', target({ extraBody: { tools: [{ server_url: 'https://x.example' }] } })],
    ['models.target.price', target({ price: { input: 0, output: 0 } })],
    ['models.target.price', target({ price: { input: 1e-9, output: 1e-9 } })],
    ['models.target.price', target({ price: { input: 1, output: 0.01 } })],
    ['sandbox', { sandbox: 'none' }],
    ['harness.access', { harness: { access: 'full' } }],
    ['harness.inherit', { harness: { inherit: true } }],
    ['telemetry.endpoint', { telemetry: { spans: true, endpoint: 'https://elsewhere.example' } }],
    ['telemetry.logFile', { telemetry: { logFile: '../../home/.bashrc' } }],
    ['telemetry.logFile', { telemetry: { logFile: 'linked/.bashrc' } }],
    ['skill', { skill: '../../home/.keep' }],
    ['skill', { skill: 'linked/.keep' }],
    ['prompts', { prompts: '../prompts' }],
    ['cache', { cache: '~/cache' }],
    ['environment.path', { environment: { path: '../../home/.keep' } }],
    ['environment.scorer.command', { environment: { scorer: { name: 'command', command: ['sh'] } } }],
    [
      'environment.scorer.parts.scorer.command',
      { environment: { scorer: { parts: [{ scorer: { command: ['sh'] } }] } } },
    ],
    ['environment.python', { environment: { use: 'spreadsheetbench', python: '/opt/theirs/python' } }],
    ['environment.scorer.readOnly', { environment: { scorer: { name: 'x', readOnly: ['/home'] } } }],
  ])('needs trust for %s', async (option, config) => {
    await symlink(join(root, 'home'), join(folder, 'linked'))
    expect(await asked(config)).toEqual([option])
    await expect(load()).rejects.toThrow(`${option}: `)
  })

  it.each<readonly [string, object]>([
    ['names and numbers', { evaluation: { gate: 'strict' }, train: { epochs: 2 } }],
    ['a host of the provider', target({ endpoint: 'https://api.openai.com/v1' })],
    ['a key of the provider', target({ apiKeyEnv: 'OPENAI_API_KEY' })],
    ['a server on this machine', server({ endpoint: 'http://localhost:8000/v1', apiKeyEnv: 'MY_KEY' })],
    ['a price', target({ price: { input: 1, output: 2 } })],
    ['files of its folder', { prompts: 'prompts', skill: './SKILL.md', environment: { path: 'tasks.csv' } }],
    ['text that is no path', { environment: { prompt: 'Read ../../home/.keep.txt: {{text}}' } }],
  ])('needs none for %s', async (_what, config) => {
    expect(await asked(config)).toEqual([])
  })

  it.each<readonly [string, string, object]>([
    ['prompts', 'prompts/rank.md', { prompts: 'prompts' }],
    ['environment.path', 'data/more/val.json', { environment: { use: 'searchqa', path: 'data' } }],
    ['environment.scorer.files', 'checks/a', { environment: { scorer: { name: 'x', files: ['checks'] } } }],
    ['skill', 'SKILL.md', {}],
  ])('needs trust for %s if a link in it leads outside', async (option, link, config) => {
    await put('home/private.md', 'private')
    await rm(join(folder, link), { force: true })
    await put(join('work/clone', dirname(link), 'plain.md'), 'text')
    await symlink('plain.md', join(folder, dirname(link), 'inside.md'))
    if (link !== 'SKILL.md') expect(await asked(config)).toEqual([])
    await symlink(join(root, 'home/private.md'), join(folder, link))
    expect(await asked(config)).toEqual([option])
    await expect(load()).rejects.toThrow(link)
  })

  it('asks again when another link leads outside', async () => {
    await put('home/private.md', 'private')
    await put('work/clone/prompts/rank.md', 'text')
    await symlink(join(root, 'home/private.md'), join(folder, 'prompts/a.md'))
    await put('work/clone/skillopt.yaml', stringify({ models, environment: {}, prompts: 'prompts' }))
    await load({ trust: async () => 'as-is' })
    await load()
    await symlink(join(root, 'home/.keep'), join(folder, 'prompts/b.md'))
    await expect(load()).rejects.toThrow('prompts/a.md and 1 more')
  })

  it('needs no trust for files of its own repository', async () => {
    await put('work/data.csv', 'question,answer\n')
    expect(await asked({ environment: { path: '../data.csv' } })).toEqual(['environment.path'])
    await mkdir(join(root, 'work', '.git'))
    expect(await asked({ environment: { path: '../data.csv' } })).toEqual([])
  })

  it('needs no trust for options that flags or the shell override', async () => {
    const flags = { 'evaluation.gate': './mine.mjs', 'models.target.endpoint': 'https://mine.example' }
    expect(await asked({}, { flags })).toEqual([])
    const env = { HOME: join(root, 'home'), SKILLOPT_EVALUATION_GATE: './mine.mjs' }
    expect(await asked({ evaluation: { gate: './theirs.mjs' } }, { env })).toEqual([])
    expect(await asked({ evaluation: { gate: './theirs.mjs' } }, { flags: { preset: 'thrifty' } })).toEqual([
      'evaluation.gate',
    ])
  })

  it('needs no trust in the user’s own folder or as a bundled example', async () => {
    await put('home/.skillopt/sleep/sleep.yaml', stringify({ environment: { use: './x.ts' }, models }))
    await load({ project: undefined, config: join(root, 'home/.skillopt/sleep/sleep.yaml') })
    const example = fileURLToPath(new URL('../../examples/own-environment', import.meta.url))
    await load({ project: example })
  })

  it('shows a value on one line, whatever characters it has', async () => {
    await put('work/clone/skillopt.yaml', stringify({ models, environment: { use: './a\n  ok: .ts' } }))
    await expect(load()).rejects.toThrow('environment.use: "./a\\n  ok: .ts" (code')
  })

  it('asks for trust once, and again when its trust items change', async () => {
    const answers: boolean[] = []
    const trust = async ({ hasChanged }: TrustRequest) => {
      answers.push(hasChanged)
      return 'as-is' as const
    }
    await put('work/clone/skillopt.yaml', stringify({ models, environment: { use: './world.ts' } }))
    await put('work/clone/world.ts', 'import "./helper.js"\n')
    await put('work/clone/helper.ts', 'first\n')
    await load({ trust })
    await load({ trust })
    expect(answers).toEqual([false])
    await put('work/clone/helper.ts', 'second\n')
    await load({ trust })
    await put(
      'work/clone/skillopt.yaml',
      stringify({ models, environment: { use: './world.ts' }, name: 'x' }),
    )
    await load({ trust })
    expect(answers).toEqual([false, true])
  })

  it('keeps trust for training when trusted for Sleep, and vice versa', async () => {
    let asked = 0
    const trust = async () => {
      asked += 1
      return 'as-is' as const
    }
    const text = { models, environment: { use: './world.ts' }, sleep: { autoAdopt: true } }
    await put('work/clone/skillopt.yaml', stringify(text))
    const env = { HOME: join(root, 'home') }
    const forSleep = () => loadProject({ config: 'skillopt.yaml', cwd: folder, env, trust, forSleep: true })
    await load({ trust })
    await forSleep()
    expect(asked).toBe(2)
    await load({ trust })
    await forSleep()
    expect(asked).toBe(2)
  })

  it('is named with --config in the refusal where its folder would not find it', async () => {
    await put('work/clone/theirs.yaml', stringify({ models, environment: { use: './world.ts' } }))
    await expect(load({ project: undefined, config: 'theirs.yaml' })).rejects.toMatchObject({
      hint: expect.stringContaining('run `skillopt trust --config theirs.yaml`'),
    })
  })

  it('is refused when the answer is no, without remembering it', async () => {
    await put('work/clone/skillopt.yaml', stringify({ models, environment: { use: './world.ts' } }))
    await expect(load({ trust: async () => 'no' })).rejects.toThrow('is not trusted yet')
    await expect(load()).rejects.toThrow('is not trusted yet')
  })
})

describe('a .env file', () => {
  const keys = async (text: string, env: Record<string, string> = {}, config: object = {}) => {
    await put('work/clone/skillopt.yaml', stringify({ environment: { use: 'tasks' }, models, ...config }))
    await put('work/clone/.env', text)
    const given = { HOME: join(root, 'home'), ...env }
    const loaded = await load({ env: given, trust: true })
    const taken = Object.keys(loaded.env).filter(name => !(name in given))
    return { taken: taken.sort(), warnings: loaded.warnings, config: loaded.config, env: loaded.env }
  }

  it('gives the keys of providers and of apiKeyEnv, and says what else it holds', async () => {
    const { taken, warnings } = await keys(
      [
        'ANTHROPIC_API_KEY=a',
        'AWS_SECRET_ACCESS_KEY=b',
        'AWS_ACCESS_KEY_ID=c',
        'MY_OWN_KEY=d',
        'UNRELATED_API_KEY=e',
        'DATABASE_URL=f',
        'OLLAMA_HOST=g',
        'https_proxy=h',
        'NODE_OPTIONS=i',
        'ANTHROPIC_BASE_URL=j',
        'ANTHROPIC_CUSTOM_HEADERS=k',
        'OTEL_EXPORTER_OTLP_ENDPOINT=l',
        'SKILLOPT_HOME=m',
        'SKILLOPT_SLEEP_AUTO_ADOPT=true',
        'SSL_CERT_FILE=n',
        'AWS_REGION=o',
      ].join('\n'),
      {},
      target({ apiKeyEnv: 'MY_OWN_KEY' }),
    )
    expect(taken).toEqual(['ANTHROPIC_API_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'MY_OWN_KEY'])
    expect(warnings).toEqual([
      `${join(folder, '.env')}: ignored ANTHROPIC_BASE_URL, ANTHROPIC_CUSTOM_HEADERS, AWS_REGION, NODE_OPTIONS, OLLAMA_HOST, OTEL_EXPORTER_OTLP_ENDPOINT, SKILLOPT_HOME, SKILLOPT_SLEEP_AUTO_ADOPT, SSL_CERT_FILE and https_proxy. A .env file may only set API keys; set anything else in your shell or in the config.`,
    ])
  })

  it.runIf(process.platform !== 'win32').each(['.env', 'skillopt.yaml'])(
    'is read only if it is a regular file, and so is a config: %s',
    async name => {
      await put('work/clone/skillopt.yaml', stringify({ environment: { use: 'tasks' }, models }))
      await rm(join(folder, name), { force: true })
      // A repository can contain such a link, and reading its target never ends.
      await symlink('/dev/zero', join(folder, name))
      await expect(load({ trust: true })).rejects.toThrow('is not a regular file')
    },
  )

  it('sets no option', async () => {
    const { config } = await keys('SKILLOPT_EVALUATION_GATE=always\nSKILLOPT_SANDBOX=none\n')
    expect(config.evaluation.gate).toBe('not-worse')
    expect(config.sandbox).toBe('auto')
  })

  it('replaces no key of the shell, under whatever name of the provider', async () => {
    const { taken, env } = await keys('ANTHROPIC_API_KEY=theirs\n', { ANTHROPIC_AUTH_TOKEN: 'mine' })
    expect(taken).toEqual([])
    expect(env.ANTHROPIC_AUTH_TOKEN).toBe('mine')
  })

  it('is named for each key that Sleep takes from a project, and not for those of the user’s own folder', async () => {
    await put('home/.skillopt/sleep/.env', 'ANTHROPIC_API_KEY=mine\n')
    await put('home/.skillopt/sleep/sleep.yaml', stringify({ environment: { use: 'tasks' }, models }))
    await put('work/clone/.env', 'OPENAI_API_KEY=theirs\n')
    const config = join(root, 'home/.skillopt/sleep/sleep.yaml')
    const env = { HOME: join(root, 'home') }
    const { warnings } = await loadProject({ config, cwd: folder, env, forSleep: true })
    expect(warnings).toEqual([
      `OPENAI_API_KEY comes from ${join(folder, '.env')}: calls are charged to that key's account.`,
    ])
  })

  it('gives no proxy under the name of a key', async () => {
    const { taken } = await keys(
      'HTTPS_PROXY=http://elsewhere.example\n',
      {},
      target({ apiKeyEnv: 'HTTPS_PROXY' }),
    )
    expect(taken).toEqual([])
  })
})
