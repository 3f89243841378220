import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Changed, jobWith, place, tools } from '../../../test/support/agent-job.js'
import type { AgentPreparation } from '../shared/harness/definition.js'
import { agent } from './harness.js'

const usual: Changed = {
  skill: { name: 'orders', text: 'Every order is noted.' },
  hasWorkspace: true,
  env: { HOME: '/user', COPILOT_PKG_CACHE_HOME: '/cache' },
}
const prepare = (changed: Changed = {}) => agent.prepare(jobWith({ ...usual, ...changed }), place)
const filesOf = ({ files }: AgentPreparation) =>
  Object.fromEntries(files.map(({ path, content }) => [path, content]))

const agentFile = '/attempt/home/.copilot/agents/skillopt-attempt.agent.md'
const always = [
  '--output-format',
  'json',
  '--no-color',
  '--no-auto-update',
  '--no-ask-user',
  '--no-remote-export',
  '--disable-client-telemetry',
  '--usage-output-file',
  '/attempt/config/usage.json',
  '--secret-env-vars=COPILOT_GITHUB_TOKEN,COPILOT_PROVIDER_API_KEY,COPILOT_PROVIDER_BEARER_TOKEN',
]
const alone = '--no-custom-instructions'
const asAgent = ['--agent', 'skillopt-attempt']
const fileTools = 'view,create,edit,apply_patch,grep,rg,glob'

describe('work', () => {
  it('has the skill in the agent that it is, the task by stdin, and only tools for files', () => {
    const prepared = prepare()
    expect(prepared.stdin).toBe('Be brief.\n\nWhat is 2 + 2?')
    expect(filesOf(prepared)).toEqual({
      [agentFile]:
        '---\nname: "skillopt-attempt"\ndescription: "Does the task at hand."\ntools: ["*"]\nskills: ["orders"]\n---\n\nFollow the skill above in this task.\n',
    })
    expect(prepared.arguments).toEqual([
      ...always,
      alone,
      ...asAgent,
      '--disable-builtin-mcps',
      `--available-tools=${fileTools}`,
      '--allow-tool=write',
    ])
    expect(prepared.report).toBe('/attempt/config/usage.json')
    expect(prepared.environment).toEqual({ COPILOT_AUTO_UPDATE: 'false', COPILOT_PKG_CACHE_HOME: '/cache' })
  })

  it('is no agent of ours without a skill', () => {
    const prepared = prepare({ skill: undefined })
    expect(filesOf(prepared)).toEqual({})
    expect(prepared.arguments).not.toContain('--agent')
  })

  it('has the tools of the session alone where there are no files, its token in no argument', () => {
    const prepared = prepare({ hasWorkspace: false, tools })
    expect(prepared.arguments.slice(-3)).toEqual([
      '--disable-builtin-mcps',
      '--available-tools=task-look,task-take',
      '--allow-tool=task',
    ])
    expect(prepared.arguments).toContain('@/attempt/config/tool-server.json')
    expect(prepared.arguments.join(' ')).not.toContain(tools.token)
    expect(filesOf(prepared)['/attempt/config/tool-server.json']).toEqual({
      mcpServers: {
        task: {
          type: 'http',
          url: tools.url,
          headers: { Authorization: 'Bearer token-of-the-attempt' },
          tools: ['*'],
        },
      },
    })
    expect(prepare({ hasWorkspace: false }).arguments).toContain('--available-tools=none')
  })

  it('may do everything with full access, but find agents and skills that nobody gave it', () => {
    expect(prepare({ access: 'full' }).arguments.slice(-2)).toEqual([
      '--allow-all',
      '--excluded-tools=skill,task,read_agent,list_agents,write_agent',
    ])
    expect(prepare({ access: 'full', inherit: true }).arguments.at(-1)).toBe('--allow-all')
  })

  it('has what the user has set up where that is wanted, and no shell or web for it', () => {
    const given = prepare({ inherit: true }).arguments
    expect(given).not.toContain(alone)
    expect(given.slice(-3)).toEqual(['--allow-all-tools', '--deny-tool=shell', '--deny-tool=url'])
    const excluded = given.find(argument => argument.startsWith('--excluded-tools='))
    for (const name of ['bash', 'write_bash', 'powershell', 'web_fetch', 'web_search', 'task'])
      expect(excluded).toMatch(new RegExp(`[=,]${name}(,|$)`))
    expect(excluded).not.toContain('create')
    expect(prepare({ inherit: true, hasWorkspace: false }).arguments.join()).toContain('create')
  })

  it('attaches pictures', () => {
    const data = Buffer.from('x').toString('base64')
    const prompt = [{ type: 'image', name: 'b.png', mediaType: 'image/png', data }] as const
    expect(prepare({ prompt }).arguments.slice(-2)).toEqual([
      '--attachment',
      '/attempt/work/task-files/1-b.png',
    ])
  })
})

it('answers a question without tools, its instructions in the system prompt', () => {
  const asked = { kind: 'chat', skill: undefined, hasWorkspace: false, inherit: true } as const
  const prepared = prepare(asked)
  expect(prepared.stdin).toBe('What is 2 + 2?')
  expect(filesOf(prepared)[agentFile]).toMatch(/---\n\nBe brief\.\n$/)
  expect(prepared.arguments).toEqual([
    ...always,
    alone,
    ...asAgent,
    '--disable-builtin-mcps',
    '--available-tools=none',
  ])
  expect(filesOf(prepare({ ...asked, instructions: '' }))).toEqual({})
})

describe('the model', () => {
  it('is passed with its effort', () => {
    const given = prepare({ model: 'gpt-5.2', effort: 'high' }).arguments
    expect(given.slice(always.length, always.length + 4)).toEqual([
      '--model',
      'gpt-5.2',
      '--reasoning-effort',
      'high',
    ])
  })

  it('is at the endpoint, where nothing else is asked', () => {
    expect(prepare({ endpoint: 'http://localhost:1/v1' }).environment).toMatchObject({
      COPILOT_PROVIDER_BASE_URL: 'http://localhost:1/v1',
      COPILOT_OFFLINE: 'true',
    })
  })

  it('gets the key in place of every other, as a variable', () => {
    const own = { COPILOT_PROVIDER_API_KEY: '', COPILOT_PROVIDER_BEARER_TOKEN: '', COPILOT_GITHUB_TOKEN: '' }
    const there = prepare({ key: 'the-key', endpoint: 'http://localhost:1/v1' })
    expect(there.environment).toMatchObject({ ...own, COPILOT_PROVIDER_API_KEY: 'the-key' })
    expect(there.arguments.join(' ')).not.toContain('the-key')
    expect(prepare({ key: 'the-key' }).environment).toMatchObject({ ...own, COPILOT_GITHUB_TOKEN: 'the-key' })
  })
})

describe('the user’s files', () => {
  const { login, setup } = agent.filesOf({ home: '/user', env: {} }, place)
  const only = (content: string) => login[0]?.only?.(content)

  it('are found where the user keeps them', () => {
    expect(login[0]).toMatchObject({
      from: join('/user', '.copilot', 'config.json'),
      to: '/attempt/home/.copilot/config.json',
    })
    const moved = agent.filesOf({ home: '/user', env: { COPILOT_HOME: '/else' } }, place)
    expect(moved.login[0]?.from).toBe('/else/config.json')
    expect(setup.map(({ from }) => from)).toContain(join('/user', '.agents', 'skills'))
  })

  it('lend the login without the plugins that stand beside it', () => {
    const content = '// Managed.\n{"copilotTokens":{"https://github.com:me":"t"},"installedPlugins":[1]}'
    expect(JSON.parse(only(content) ?? '')).toEqual({ copilotTokens: { 'https://github.com:me': 't' } })
    expect(() => only('{')).toThrow('config.json of GitHub Copilot CLI cannot be read')
  })
})

it('reads its version, and keeps no pieces of a text that comes whole', () => {
  expect(agent.version.read('Copilot binary version: 1.0.102')).toBe('1.0.102')
  expect(agent.isNoise?.('{"type":"assistant.message_delta","data":{}}')).toBe(true)
  expect(agent.isNoise?.('{"type":"assistant.message","data":{}}')).toBe(false)
})
