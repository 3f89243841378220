import { describe, expect, it } from 'vitest'
import { type Changed, jobWith, place, tools } from '../../../test/support/agent-job.js'
import type { AgentPreparation } from '../shared/harness/definition.js'
import { agent } from './harness.js'

const usual: Changed = { skill: { name: 'orders', text: 'Every order is noted.' }, hasWorkspace: true }
const prepare = (changed: Changed = {}) => agent.prepare(jobWith({ ...usual, ...changed }), place)
const filesOf = ({ files }: AgentPreparation) =>
  Object.fromEntries(files.map(({ path, content }) => [path, content]))
const settingsOf = (changed: Changed = {}) =>
  filesOf(prepare(changed))['/attempt/config/opencode.json'] as Record<string, Record<string, unknown>>
const permissionsOf = (changed: Changed = {}) =>
  (settingsOf(changed).agent?.['skillopt-attempt'] as { permission: unknown } | undefined)?.permission

const always = ['run', '--format', 'json', '--title', 'task', '--agent', 'skillopt-attempt']
const quiet = {
  OPENCODE_CONFIG: '/attempt/config/opencode.json',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_SHARE: '1',
}
const alone = {
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
  OPENCODE_DISABLE_CLAUDE_CODE: '1',
  OPENCODE_PURE: '1',
}
const ownFiles = { read: 'allow', edit: 'allow', glob: 'allow', grep: 'allow', list: 'allow' }
const noFiles = { read: 'deny', edit: 'deny', glob: 'deny', grep: 'deny', list: 'deny' }
const kept = { external_directory: 'deny', doom_loop: 'allow' }

describe('work', () => {
  it('has the skill among its instructions, the task by stdin, and only the files of its task', () => {
    const prepared = prepare()
    expect(prepared.stdin).toBe('Be brief.\n\nWhat is 2 + 2?')
    expect(prepared.arguments).toEqual(always)
    expect(prepared.environment).toEqual({ ...quiet, ...alone })
    expect(settingsOf()).toEqual({
      share: 'disabled',
      autoupdate: false,
      snapshot: false,
      lsp: false,
      formatter: false,
      agent: {
        'skillopt-attempt': { mode: 'primary', permission: { '*': 'deny', ...ownFiles, ...kept } },
      },
      instructions: ['/attempt/home/.config/opencode/skills/orders/SKILL.md'],
    })
    expect(agent.skillsFolder(place)).toBe('/attempt/home/.config/opencode/skills')
  })

  it('has nothing to fetch at its first start', () => {
    expect(filesOf(prepare())).toMatchObject({
      '/attempt/home/.config/opencode/package-lock.json': {
        packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } },
      },
      '/attempt/home/.config/opencode/node_modules/.keep': '',
    })
  })

  it('has the tools of the session alone where there are no files', () => {
    const changed = { hasWorkspace: false, tools }
    expect(permissionsOf(changed)).toEqual({ '*': 'deny', ...noFiles, ...kept, 'task_*': 'allow' })
    expect(settingsOf(changed).mcp).toEqual({
      task: {
        type: 'remote',
        url: tools.url,
        oauth: false,
        enabled: true,
        headers: { Authorization: 'Bearer token-of-the-attempt' },
      },
    })
    expect(prepare(changed).arguments.join(' ')).not.toContain(tools.token)
  })

  it('may do everything with full access, its language servers included', () => {
    expect(permissionsOf({ access: 'full' })).toEqual({ '*': 'allow', question: 'deny' })
    expect(settingsOf({ access: 'full' })).not.toHaveProperty('lsp')
  })

  it('has what the user has set up where that is wanted, and no shell or web for it', () => {
    const prepared = prepare({ inherit: true })
    expect(prepared.environment).toEqual(quiet)
    expect(Object.keys(filesOf(prepared))).toEqual(['/attempt/config/opencode.json'])
    expect(permissionsOf({ inherit: true })).toEqual({
      '*': 'allow',
      ...ownFiles,
      bash: 'deny',
      webfetch: 'deny',
      websearch: 'deny',
      codesearch: 'deny',
      task: 'deny',
      question: 'deny',
      ...kept,
    })
  })
})

it('answers a question without tools, with the instructions in place of its own and nothing of the user', () => {
  const prepared = prepare({ kind: 'chat', skill: undefined, hasWorkspace: false, inherit: true })
  expect(prepared.stdin).toBe('What is 2 + 2?')
  expect(filesOf(prepared)).toMatchObject({
    '/attempt/config/instructions.md': 'Be brief.',
    '/attempt/config/opencode.json': {
      agent: {
        'skillopt-attempt': {
          mode: 'primary',
          permission: { '*': 'deny' },
          prompt: '{file:/attempt/config/instructions.md}',
        },
      },
    },
  })
  expect(prepared.environment).toEqual({ ...quiet, ...alone, XDG_CONFIG_HOME: '/attempt/config/chat' })
})

describe('the model', () => {
  it('is passed with its effort', () => {
    const given = prepare({ model: 'anthropic/claude-sonnet-4-5', effort: 'high' }).arguments
    expect(given).toEqual([...always, '--model', 'anthropic/claude-sonnet-4-5', '--variant', 'high'])
  })

  it('is at the endpoint, spoken to as its name says', () => {
    const there = { endpoint: 'http://localhost:1/v1', model: 'qwen/coder', effort: 'low' } as const
    expect(prepare(there).arguments).toContain('endpoint/qwen/coder')
    expect(settingsOf(there).provider).toEqual({
      endpoint: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Endpoint',
        options: { baseURL: 'http://localhost:1/v1', apiKey: 'none' },
        models: { 'qwen/coder': { reasoning: true, variants: { low: { reasoningEffort: 'low' } } } },
      },
    })
    const messages = { ...there, model: 'anthropic/claude', env: { ANTHROPIC_API_KEY: 'own' } }
    expect(prepare(messages).arguments).toContain('endpoint/claude')
    expect(settingsOf(messages).provider?.endpoint).toMatchObject({
      npm: '@ai-sdk/anthropic',
      options: { apiKey: '{env:ANTHROPIC_API_KEY}' },
      models: { claude: { reasoning: true } },
    })
    expect(JSON.stringify(settingsOf(messages))).not.toContain('reasoningEffort')
  })

  it('gets the key in place of every other, as a variable', () => {
    const keyed = { key: 'the-key', model: 'openai/gpt-5.2' }
    const prepared = prepare(keyed)
    expect(prepared.environment).toMatchObject({ SKILLOPT_AGENT_KEY: 'the-key', OPENAI_API_KEY: '' })
    expect(settingsOf(keyed).provider).toEqual({
      openai: { options: { apiKey: '{env:SKILLOPT_AGENT_KEY}' } },
    })
    expect(JSON.stringify([prepared.arguments, prepared.files])).not.toContain('the-key')
  })

  it('has to be named for an endpoint or a key', () => {
    expect(() => prepare({ endpoint: 'http://localhost:1/v1' })).toThrow('lets OpenCode choose the model')
    expect(() => prepare({ key: 'the-key', model: 'gpt-5.2' })).toThrow('names no provider')
  })

  it('is shown pictures', () => {
    const data = Buffer.from('x').toString('base64')
    const prompt = [{ type: 'image', name: 'b.png', mediaType: 'image/png', data }] as const
    const seen = { prompt, endpoint: 'http://localhost:1/v1', model: 'm' }
    expect(prepare(seen).arguments.slice(-2)).toEqual(['--file', '/attempt/work/task-files/1-b.png'])
    expect(settingsOf(seen).provider?.endpoint).toMatchObject({ models: { m: { attachment: true } } })
  })
})

it('finds login and set-up where the user keeps them', () => {
  const { login, setup } = agent.filesOf({ home: '/user', env: { XDG_CONFIG_HOME: '/else' } }, place)
  expect(login).toEqual([
    {
      from: '/user/.local/share/opencode/auth.json',
      to: '/attempt/home/.local/share/opencode/auth.json',
    },
  ])
  expect(setup[0]).toEqual({ from: '/else/opencode', to: '/attempt/home/.config/opencode' })
})

it('counts the tokens of a step as it ends', () => {
  const tokens = { input: 50, output: 8, reasoning: 3, cache: { read: 40, write: 2 } }
  const line = (type: string) => JSON.stringify({ type, part: { reason: 'stop', cost: 0, tokens } })
  expect(agent.tokensIn?.(line('step_finish'))).toBe(103)
  expect(agent.tokensIn?.(line('step_start'))).toBeUndefined()
  expect(agent.tokensIn?.('{"type":"step_finish"')).toBeUndefined()
})
