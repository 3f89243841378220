import { describe, expect, it } from 'vitest'
import { jobWith, place, tools } from '../../../test/support/agent-job.js'
import type { AgentJob } from '../shared/harness/definition.js'
import { agent } from './harness.js'

const usual: Partial<AgentJob> = {
  prompt: [{ type: 'text', text: 'Note: two pears for a@b.com.' }],
  skill: { name: 'orders', text: '---\nname: orders\n---\n\nEvery order is noted.\n' },
  hasWorkspace: true,
  model: 'gemini-2.5-flash',
}
const prepare = (fields: Partial<AgentJob> = {}) => agent.prepare(jobWith({ ...usual, ...fields }), place)
const filesOf = (fields: Partial<AgentJob> = {}) =>
  Object.fromEntries(prepare(fields).files.map(({ path, content }) => [path, content]))
const settingsOf = (fields: Partial<AgentJob> = {}) =>
  filesOf(fields)['/attempt/home/.gemini/settings.json'] as Record<string, unknown>

const fileTools = [
  'list_directory',
  'read_file',
  'read_many_files',
  'glob',
  'grep_search',
  'write_file',
  'replace',
]

describe('the prompt', () => {
  it('stands behind a command, with the text of the skill before the task', () => {
    expect(prepare().stdin).toBe(
      `/given-task

<activated_skill name="orders">
<instructions>
Every order is noted.
</instructions>
</activated_skill>

Be brief.

Note: two pears for a@b.com.`,
    )
    expect(prepare({ skill: undefined }).stdin).toBe(
      '/given-task\n\nBe brief.\n\nNote: two pears for a@b.com.',
    )
  })

  it('brings the command along, in which nothing is replaced', () => {
    const text = String(filesOf()['/attempt/home/.gemini/commands/given-task.toml'])
    expect(text).toMatch(/^prompt = "[\w .]+"\n$/)
  })
})

describe('settings', () => {
  it('are quiet, try nothing twice, and find nothing of the user or above the workspace', () => {
    expect(settingsOf()).toEqual({
      general: {
        enableAutoUpdate: false,
        enableAutoUpdateNotification: false,
        maxAttempts: 1,
        retryFetchErrors: false,
        topicUpdateNarration: false,
        plan: { enabled: false },
      },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      security: {},
      context: { memoryBoundaryMarkers: [] },
      advanced: { ignoreLocalEnv: true },
      model: { maxSessionTurns: 5 },
      skills: { enabled: true },
      tools: { core: [...fileTools, 'activate_skill'] },
      hooksConfig: { enabled: false },
      mcp: { allowed: [] },
    })
    expect(filesOf()['/attempt/.gemini/.env']).toBe('')
    expect(prepare().environment).toEqual({
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/attempt/config/settings.json',
      GEMINI_CLI_SYSTEM_DEFAULTS_PATH: '/attempt/config/defaults.json',
      GOOGLE_GENAI_USE_GCA: 'true',
    })
    expect(prepare().arguments).toEqual([
      '--output-format',
      'stream-json',
      '--skip-trust',
      '--approval-mode',
      'auto_edit',
      '--model',
      'gemini-2.5-flash',
      '--extensions',
      'none',
    ])
  })

  it('offer no tool for skills where there is none, and nothing at all without files', () => {
    expect(settingsOf({ skill: undefined })).toMatchObject({
      tools: { core: fileTools },
      skills: { enabled: false },
    })
    expect(settingsOf({ hasWorkspace: false })).toMatchObject({
      tools: { core: [] },
      skills: { enabled: false },
    })
  })

  it('leave everything open with full access', () => {
    expect(settingsOf({ access: 'full' })).not.toHaveProperty('tools')
    expect(settingsOf({ access: 'full' })).toMatchObject({ skills: { enabled: true } })
    expect(prepare({ access: 'full' }).arguments).toContain('yolo')
  })

  it('know the tools of the session, and allow them whatever the list of its own tools says', () => {
    expect(settingsOf({ tools })).toMatchObject({
      mcp: { allowed: ['task'] },
      mcpServers: {
        task: { httpUrl: tools.url, headers: { Authorization: `Bearer ${tools.token}` }, trust: true },
      },
    })
    expect(filesOf({ tools })['/attempt/home/.gemini/policies/session.toml']).toContain('mcpName = "task"')
    expect(filesOf()).not.toHaveProperty('/attempt/home/.gemini/policies/session.toml')
  })

  it('do not limit the model’s replies if turns with an environment are counted', () => {
    expect(settingsOf({ tools: { ...tools, replyTool: 'reply' } })).toMatchObject({ model: {} })
  })

  it('keep the set-up of the user with `inherit`', () => {
    const settings = settingsOf({ inherit: true })
    expect(settings).not.toHaveProperty('hooksConfig')
    expect(settings).not.toHaveProperty('mcp')
    expect(prepare({ inherit: true }).arguments).not.toContain('--extensions')
    expect(prepare({ inherit: true }).environment).not.toHaveProperty('GOOGLE_GENAI_USE_GCA')
    const files = filesOf({ inherit: true })
    expect(files['/attempt/home/.gemini/policies/session.toml']).toContain('mcpName = "*"')
    expect(files).not.toHaveProperty('/attempt/.gemini/.env')
  })
})

describe('effort', () => {
  it.each([
    ['gemini-2.5-flash', 'chat-base-2.5'],
    ['gemini-3.1-pro-preview', 'chat-base-3'],
    ['a-model-of-mine', 'chat-base-3'],
  ])('is told for %s by %s', (model, base) => {
    const { modelConfigs } = settingsOf({ model, effort: 'low' }) as {
      modelConfigs: { customAliases: Record<string, unknown> }
    }
    const thinks = (thinkingConfig: object) => ({
      extends: 'chat-base',
      modelConfig: { generateContentConfig: { thinkingConfig } },
    })
    expect(modelConfigs.customAliases).toEqual({
      'chat-base-2.5': thinks({ thinkingBudget: 1024 }),
      'chat-base-3': thinks({ thinkingLevel: 'LOW' }),
      [model]: { extends: base, modelConfig: { model } },
    })
  })

  it.each([undefined, 'auto', 'flash-lite'])('leaves the choice behind %s to the agent', model => {
    const { modelConfigs } = settingsOf({ model, effort: 'high' }) as {
      modelConfigs: { customAliases: object }
    }
    expect(Object.keys(modelConfigs.customAliases)).toEqual(['chat-base-2.5', 'chat-base-3'])
  })
})

describe('the account', () => {
  const accountOf = (fields: Partial<AgentJob>) => prepare(fields).environment

  it('is an endpoint and its key, in no argument', () => {
    const given = { endpoint: 'http://localhost:8080/v1beta/', key: 'key-of-the-user' }
    expect(accountOf(given)).toMatchObject({
      GEMINI_API_KEY: 'key-of-the-user',
      GOOGLE_GEMINI_BASE_URL: 'http://localhost:8080',
    })
    expect(settingsOf(given)).toMatchObject({ security: { auth: { selectedType: 'gemini-api-key' } } })
    expect(prepare({ ...given, tools }).arguments.join(' ')).not.toMatch(/key-of|token-of/)
  })

  it('is the key of the user, or none, for an endpoint without one', () => {
    const endpoint = 'http://localhost:8080'
    expect(accountOf({ endpoint, env: { GEMINI_API_KEY: 'own' } })).toMatchObject({ GEMINI_API_KEY: 'own' })
    expect(accountOf({ endpoint })).toMatchObject({
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: endpoint,
    })
  })

  it.each(['GEMINI_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'])('is what %s says, without an endpoint', name => {
    expect(accountOf({ env: { [name]: 'true' } })).not.toHaveProperty('GOOGLE_GENAI_USE_GCA')
  })
})

describe('files of the user', () => {
  it('are found where the user has them', () => {
    const { login, setup } = agent.filesOf({ home: '/user', env: { GEMINI_CLI_HOME: '/elsewhere' } }, place)
    expect(login).toEqual([
      { from: '/elsewhere/.gemini/oauth_creds.json', to: '/attempt/home/.gemini/oauth_creds.json' },
      { from: '/elsewhere/.gemini/google_accounts.json', to: '/attempt/home/.gemini/google_accounts.json' },
    ])
    expect(setup).toContainEqual({ from: '/elsewhere/.gemini/.env', to: '/attempt/.gemini/.env' })
    expect(setup).toContainEqual({ from: '/user/.agents/skills', to: '/attempt/home/.agents/skills' })
    expect(agent.filesOf({ home: '/user', env: {} }, place).login[0]?.from).toBe(
      '/user/.gemini/oauth_creds.json',
    )
  })
})

it('reads its version', () => {
  expect(agent.version.read('0.61.0\n')).toBe('0.61.0')
  expect(agent.version.read('nothing of the kind')).toBeUndefined()
})
