import { describe, expect, it } from 'vitest'
import { jobWith, place } from '../../../test/support/agent-job.js'
import type { AgentJob, AgentPreparation } from '../shared/harness/definition.js'
import { agent } from './harness.js'

/** An ordinary task with files and a skill. */
const usual: Partial<AgentJob> = {
  prompt: [{ type: 'text', text: 'Note: two pears.' }],
  skill: { name: 'orders', text: 'Every order is noted.' },
  hasWorkspace: true,
  env: { PATH: '/bin', HOME: '/user' },
}
const prepare = (fields: Partial<AgentJob> = {}) => agent.prepare(jobWith({ ...usual, ...fields }), place)
const filesOf = ({ files }: AgentPreparation) =>
  Object.fromEntries(files.map(({ path, content }) => [path, content]))
const modelsOf = (fields: Partial<AgentJob>) => filesOf(prepare(fields))['/attempt/config/models.json']

const alone = ['--no-extensions', '--no-skills', '--no-prompt-templates', '--no-themes', '--no-context-files']
const skill = ['--skill', '/attempt/config/skills/orders']
const always = ['--mode', 'json', '--no-session', '--offline']
const fenced = [
  '--tools',
  'read,edit,write,grep,find,ls',
  '--extension',
  expect.stringMatching(/\/pi\/fence\.ts$/),
]

describe('work', () => {
  it('invokes the skill and gives the task by stdin', () => {
    expect(prepare().stdin).toBe('/skill:orders \n\nBe brief.\n\nNote: two pears.')
    expect(prepare({ skill: undefined }).stdin).toBe('Be brief.\n\nNote: two pears.')
  })

  it('has its settings in the attempt, is quiet, and tries nothing twice', () => {
    const prepared = prepare()
    expect(prepared.environment).toEqual({
      PI_CODING_AGENT_DIR: '/attempt/config',
      PI_OFFLINE: '1',
      PI_SKIP_VERSION_CHECK: '1',
      PI_TELEMETRY: '0',
      PATH: '/bin:/user/.pi/agent/bin',
    })
    expect(filesOf(prepared)).toEqual({
      '/attempt/config/settings.json': {
        retry: { enabled: false, provider: { maxRetries: 0 } },
        enableInstallTelemetry: false,
        images: { autoResize: false, blockImages: false },
        enableSkillCommands: true,
      },
    })
  })

  it('takes only the files of its task and finds nothing of the user', () => {
    expect(prepare().arguments).toEqual([...always, ...alone, ...skill, ...fenced, '-p'])
  })

  it('has no tools where there are no files', () => {
    expect(prepare({ hasWorkspace: false }).arguments).toEqual([
      ...always,
      ...alone,
      ...skill,
      '--no-tools',
      '-p',
    ])
  })

  it('has whatever tools it has with full access', () => {
    expect(prepare({ access: 'full' }).arguments).toEqual([...always, ...alone, ...skill, '-p'])
  })

  it('finds what the user has set up where that is wanted, with no more tools', () => {
    expect(prepare({ inherit: true }).arguments).toEqual([...always, ...skill, ...fenced, '-p'])
  })

  it('shows pictures, and leaves documents to be looked at', () => {
    const part = { data: Buffer.from('x').toString('base64') }
    const prepared = prepare({
      prompt: [
        { type: 'document', name: 'a.pdf', mediaType: 'application/pdf', ...part },
        { type: 'image', name: 'b.png', mediaType: 'image/png', ...part },
      ],
    })
    expect(prepared.arguments.slice(-2)).toEqual(['-p', '@task-files/2-b.png'])
    expect(Object.keys(filesOf(prepared))).toContain('/attempt/work/task-files/1-a.pdf')
  })
})

describe('a question', () => {
  const asked = { kind: 'chat', skill: undefined, hasWorkspace: false } as const

  it.each([true, false])('has instructions of its own, no tools and nothing else (inherit: %s)', inherit => {
    const prepared = prepare({ ...asked, inherit })
    const told = ['--system-prompt', '/attempt/config/instructions.md', '--append-system-prompt', '']
    expect(prepared.arguments).toEqual([...always, ...alone, '--no-tools', ...told, '-p'])
    expect(filesOf(prepared)['/attempt/config/instructions.md']).toBe('Be brief.\n')
    expect(prepared.stdin).toBe('Note: two pears.')
  })

  it('stays without the instructions of pi where it has none itself', () => {
    const prepared = prepare({ ...asked, instructions: '' })
    expect(filesOf(prepared)['/attempt/config/instructions.md']).toBe('\n')
  })

  it('has no tools with full access either', () => {
    expect(prepare({ ...asked, access: 'full' }).arguments).toContain('--no-tools')
  })
})

describe('models', () => {
  it('leaves the choice to pi, or names the model', () => {
    expect(prepare().arguments).not.toContain('--model')
    const { arguments: given } = prepare({ model: 'anthropic/claude-sonnet-4-5', effort: 'none' })
    expect(given.slice(4, 8)).toEqual(['--model', 'anthropic/claude-sonnet-4-5', '--thinking', 'off'])
    expect(modelsOf({ model: 'anthropic/claude-sonnet-4-5' })).toBeUndefined()
  })

  it.each([
    ['anthropic/claude-x', 'claude-x', 'anthropic-messages', 'ANTHROPIC_API_KEY'],
    ['google/gemini-x', 'gemini-x', 'google-generative-ai', 'GEMINI_API_KEY'],
    ['openai/gpt-x', 'gpt-x', 'openai-responses', 'OPENAI_API_KEY'],
    ['qwen/qwen-x', 'qwen/qwen-x', 'openai-completions', 'OPENAI_API_KEY'],
    ['qwen-x', 'qwen-x', 'openai-completions', 'OPENAI_API_KEY'],
  ])('speaks to an endpoint of %s as %s, by %s, with %s', (model, id, api, variable) => {
    const fields = { model, endpoint: 'http://server/v1', env: { [variable]: 'key-of-the-user' } }
    expect(prepare(fields).arguments.slice(4, 8)).toEqual(['--provider', 'endpoint', '--model', id])
    expect(modelsOf(fields)).toMatchObject({
      providers: {
        endpoint: { baseUrl: 'http://server/v1', api, apiKey: variable, models: [{ id, reasoning: false }] },
      },
    })
  })

  it('knows a server that wants no key, and how hard to think', () => {
    const fields = { model: 'm', endpoint: 'http://server/v1', effort: 'xhigh' } as const
    expect(modelsOf(fields)).toMatchObject({
      providers: {
        endpoint: { apiKey: 'none', models: [{ reasoning: true, thinkingLevelMap: { xhigh: 'xhigh' } }] },
      },
    })
  })

  it.each([undefined, 'http://server/v1'])('takes the given key in place of every other (%s)', endpoint => {
    const prepared = prepare({
      model: 'openrouter/some/model',
      key: 'given-key',
      endpoint,
      env: { OPENROUTER_API_KEY: 'key-of-the-user' },
    })
    expect(prepared.environment).toMatchObject({ SKILLOPT_AGENT_KEY: 'given-key', OPENROUTER_API_KEY: '' })
    expect(JSON.stringify([prepared.arguments, prepared.files])).not.toContain('given-key')
    const name = endpoint === undefined ? 'openrouter' : 'endpoint'
    expect(filesOf(prepared)['/attempt/config/models.json']).toMatchObject({
      providers: { [name]: { apiKey: 'SKILLOPT_AGENT_KEY' } },
    })
  })

  it('refuses an endpoint or a key without a model that it is for', () => {
    expect(() => prepare({ endpoint: 'http://server/v1' })).toThrow('pi/default lets pi choose the model')
    expect(() => prepare({ key: 'k' })).toThrow('pi/default lets pi choose the model')
    expect(() => prepare({ key: 'k', model: 'sonnet' })).toThrow('pi/sonnet names no provider')
  })
})

describe('the files of the user', () => {
  const filesFor = (env: Record<string, string>) => agent.filesOf({ home: '/user', env }, place)

  it('are where pi has them, or where the user says', () => {
    expect(filesFor({}).login).toEqual([
      { from: '/user/.pi/agent/auth.json', to: '/attempt/config/auth.json' },
    ])
    expect(filesFor({ PI_CODING_AGENT_DIR: '~/pi' }).login[0]?.from).toBe('/user/pi/auth.json')
    expect(filesFor({ PI_CODING_AGENT_DIR: '/pi' }).setup).toContainEqual({
      from: '/pi/skills',
      to: '/attempt/config/skills',
    })
    expect(filesFor({}).setup).toContainEqual({
      from: '/user/.agents/skills',
      to: '/attempt/home/.agents/skills',
    })
  })
})

describe('what it prints', () => {
  it('tells its version among other words', () => {
    expect(agent.version.read('Warning: a notice\n0.74.2\n')).toBe('0.74.2')
    expect(agent.version.read('pi')).toBeUndefined()
  })

  it('counts the tokens of each reply, those of the cache too', () => {
    const usage = { input: 60, output: 11, cacheRead: 40, cacheWrite: 7 }
    const line = (message: object) => JSON.stringify({ type: 'message_end', message })
    expect(agent.tokensIn?.(line({ role: 'assistant', usage }))).toBe(118)
    expect(agent.tokensIn?.(line({ role: 'user' }))).toBeUndefined()
    expect(agent.tokensIn?.('{"type":"message_update","message":{}}')).toBeUndefined()
    expect(agent.tokensIn?.('{"type":"message_end","mess')).toBeUndefined()
  })

  it('is kept only where the reader needs it', () => {
    expect(agent.isNoise?.('{"type":"message_update","assistantMessageEvent":{}}')).toBe(true)
    expect(agent.isNoise?.('{"type":"message_end","message":{}}')).toBe(false)
    expect(agent.isNoise?.('{"type":"agent_end","messages":[]}')).toBe(false)
  })
})
