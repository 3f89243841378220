import { describe, expect, it } from 'vitest'
import { jobWith, place, tools } from '../../../test/support/agent-job.js'
import type { AgentJob } from '../shared/harness/definition.js'
import { agent } from './harness.js'

const usual: Partial<AgentJob> = {
  prompt: [{ type: 'text', text: 'Note: two pears for a@b.com.' }],
  skill: { name: 'orders', text: 'Every order is noted.' },
  hasWorkspace: true,
  model: 'qwen3-coder-plus',
}
const prepare = (fields: Partial<AgentJob> = {}) => agent.prepare(jobWith({ ...usual, ...fields }), place)
const filesOf = (fields: Partial<AgentJob> = {}) =>
  Object.fromEntries(prepare(fields).files.map(({ path, content }) => [path, content]))
const settingsOf = (fields: Partial<AgentJob> = {}) =>
  filesOf(fields)['/attempt/config/settings.json'] as Record<string, unknown>

const off = [
  'tool_search',
  'run_shell_command',
  'monitor',
  'web_fetch',
  'save_memory',
  'lsp',
  'agent',
  'task_stop',
  'send_message',
  'cron_create',
  'cron_list',
  'cron_delete',
  'ask_user_question',
  'exit_plan_mode',
  'structured_output',
]

describe('the prompt', () => {
  it('begins with the command of the skill, or with one that is brought along', () => {
    expect(prepare().stdin).toBe('/orders\n\nBe brief.\n\nNote: two pears for a@b.com.')
    expect(prepare({ skill: undefined }).stdin).toBe(
      '/given-task\n\nBe brief.\n\nNote: two pears for a@b.com.',
    )
    expect(filesOf()['/attempt/home/.qwen/commands/given-task.md']).toMatch(/^[\w .]+\n$/)
  })
})

describe('settings', () => {
  it('are quiet, try nothing twice, and find nothing of the user or above the workspace', () => {
    expect(settingsOf()).toEqual({
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
      ui: { enableFollowupSuggestions: false },
      model: { generationConfig: { maxRetries: 0 } },
      advanced: { excludedEnvVars: expect.arrayContaining(['OPENAI_BASE_URL', 'OPENAI_API_KEY']) },
      permissions: { allow: ['edit(./**)', 'write_file(./**)'], deny: off },
      disableAllHooks: true,
      mcp: { allowed: [] },
    })
    expect(filesOf()['/attempt/.qwen/.env']).toBe('')
    expect(prepare().environment).toEqual({
      QWEN_HOME: '/attempt/home/.qwen',
      QWEN_CODE_SYSTEM_SETTINGS_PATH: '/attempt/config/settings.json',
      QWEN_CODE_SYSTEM_DEFAULTS_PATH: '/attempt/config/defaults.json',
      QWEN_DISABLE_AUTO_TITLE: '1',
    })
    expect(prepare().arguments).toEqual([
      '--output-format',
      'stream-json',
      '--chat-recording',
      'false',
      '--approval-mode',
      'default',
      '--model',
      'qwen3-coder-plus',
      '--max-session-turns',
      '5',
      '--extensions',
      'none',
    ])
  })

  it('offer no tool for skills where there is none, and nothing at all without files', () => {
    expect(settingsOf({ skill: undefined })).toMatchObject({ permissions: { deny: [...off, 'skill'] } })
    expect(settingsOf({ hasWorkspace: false }).permissions).toEqual({
      deny: [
        ...off,
        'skill',
        'list_directory',
        'read_file',
        'grep_search',
        'glob',
        'todo_write',
        'edit',
        'write_file',
      ],
    })
  })

  it('leave everything open with full access but what would hide the tools of a session', () => {
    expect(settingsOf({ access: 'full' }).permissions).toEqual({ deny: ['tool_search'] })
    expect(prepare({ access: 'full' }).arguments).toContain('yolo')
  })

  it('know the tools of the session, and count the turns of a world themselves', () => {
    expect(settingsOf({ tools })).toMatchObject({
      mcp: { allowed: ['task'] },
      mcpServers: {
        task: { httpUrl: tools.url, headers: { Authorization: `Bearer ${tools.token}` }, trust: true },
      },
    })
    const answering = { ...tools, replyTool: 'reply' }
    expect(prepare({ tools: answering }).arguments).not.toContain('--max-session-turns')
  })

  it('keep the set-up of the user with `inherit`', () => {
    const settings = settingsOf({ inherit: true, env: { OPENAI_API_KEY: 'own' } })
    for (const name of ['disableAllHooks', 'mcp', 'security']) expect(settings).not.toHaveProperty(name)
    expect(prepare({ inherit: true }).arguments).not.toContain('--extensions')
    expect(filesOf({ inherit: true })).not.toHaveProperty('/attempt/.qwen/.env')
  })

  it('include the effort', () => {
    expect(settingsOf({ effort: 'high' })).toMatchObject({
      model: { generationConfig: { reasoning: { effort: 'high' } } },
    })
  })
})

describe('the account', () => {
  it('is an endpoint and its key, in no argument', () => {
    const given = { endpoint: 'http://localhost:8080/v1', key: 'key-of-the-user', inherit: true }
    expect(prepare(given).environment).toMatchObject({
      OPENAI_API_KEY: 'key-of-the-user',
      OPENAI_BASE_URL: 'http://localhost:8080/v1',
    })
    expect(settingsOf(given)).toMatchObject({ security: { auth: { selectedType: 'openai' } } })
    expect(prepare({ ...given, tools }).arguments.join(' ')).not.toMatch(/key-of|token-of/)
  })

  it('is the key of the user, or none, for an endpoint without one', () => {
    const endpoint = 'http://localhost:8080/v1'
    const keyOf = (env: Record<string, string>) => prepare({ endpoint, env }).environment.OPENAI_API_KEY
    expect(keyOf({ OPENAI_API_KEY: 'own' })).toBe('own')
    expect(keyOf({})).toBe('none')
  })

  it.each([
    ['OPENAI_API_KEY', 'openai'],
    ['ANTHROPIC_API_KEY', 'anthropic'],
    ['GEMINI_API_KEY', 'gemini'],
    ['GOOGLE_API_KEY', 'vertex-ai'],
  ])('is chosen by %s, without an endpoint', (name, selectedType) => {
    expect(settingsOf({ env: { [name]: 'own' } })).toMatchObject({ security: { auth: { selectedType } } })
    expect(settingsOf({ env: { [name]: '' } })).not.toHaveProperty('security')
  })
})

describe('files of the user', () => {
  it.each([
    [{}, '/user/.qwen'],
    [{ QWEN_HOME: '/elsewhere' }, '/elsewhere'],
    [{ QWEN_HOME: '~/own' }, '/user/own'],
  ])('are found with %o in %s', (env, own) => {
    const { login, setup } = agent.filesOf({ home: '/user', env }, place)
    expect(login).toEqual([{ from: `${own}/oauth_creds.json`, to: '/attempt/home/.qwen/oauth_creds.json' }])
    expect(setup).toContainEqual({ from: `${own}/.env`, to: '/attempt/.qwen/.env' })
    expect(setup).toContainEqual({ from: '/user/.agents/skills', to: '/attempt/home/.agents/skills' })
  })
})

it('counts the tokens of each call, and of nothing else', () => {
  const usage = { input_tokens: 100, output_tokens: 11, cache_read_input_tokens: 40 }
  expect(agent.tokensIn?.(JSON.stringify({ type: 'assistant', message: { usage } }))).toBe(111)
  expect(agent.tokensIn?.(JSON.stringify({ type: 'assistant', message: {} }))).toBeUndefined()
  expect(agent.tokensIn?.(JSON.stringify({ type: 'result', usage }))).toBeUndefined()
})

it('reads its version', () => {
  expect(agent.version.read('0.15.10\n')).toBe('0.15.10')
  expect(agent.version.read('')).toBeUndefined()
})
