import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Changed, jobWith, place, tools } from '../../../test/support/agent-job.js'
import { agent } from './harness.js'

const prepare = (changed: Changed) => agent.prepare(jobWith(changed), place)

function settingsFor(changed: Changed) {
  const file = prepare(changed).files.find(
    ({ path }) => path === join(place.config, 'skillopt-settings.json'),
  )
  return file?.content
}

/** The value of an option, given as one argument or as two. */
function optionOf(changed: Changed, option: string): string | undefined {
  const given = prepare(changed).arguments
  const joined = given.find(argument => argument.startsWith(`${option}=`))
  if (joined !== undefined) return joined.slice(option.length + 1)
  return given.includes(option) ? given[given.indexOf(option) + 1] : undefined
}

describe('a task', () => {
  it('comes by stdin, with the skill invoked first', () => {
    const prepared = prepare({ skill: { name: 'sums', text: '# Sums' } })
    expect(prepared.stdin).toBe('/sums\n\nBe brief.\n\nWhat is 2 + 2?')
    expect(prepared.arguments).toEqual([
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--include-partial-messages',
      '--no-session-persistence',
      '--settings',
      join(place.config, 'skillopt-settings.json'),
      '--setting-sources',
      'user',
      '--strict-mcp-config',
      '--tools=',
      '--permission-mode',
      'acceptEdits',
    ])
    expect(agent.skillsFolder(place)).toBe(join(place.config, 'skills'))
  })

  it('that begins like a command is no command', () => {
    expect(prepare({ instructions: '', prompt: [{ type: 'text', text: '/etc holds what?' }] }).stdin).toBe(
      'The task:\n\n/etc holds what?',
    )
  })

  it('has the model and the effort that the user names', () => {
    expect(optionOf({ model: 'claude-sonnet-4-5' }, '--model')).toBe('claude-sonnet-4-5')
    expect(optionOf({ effort: 'high' }, '--effort')).toBe('high')
    expect(optionOf({}, '--model')).toBeUndefined()
    expect(optionOf({}, '--effort')).toBeUndefined()
  })

  it('has its files with it, before the words that invoke the skill', () => {
    const { stdin = '', arguments: given } = prepare({
      skill: { name: 'sums', text: '# Sums' },
      instructions: '',
      prompt: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', name: 'jar.png', mediaType: 'image/png', data: 'cG5n' },
        { type: 'document', name: 'plan.pdf', mediaType: 'application/pdf', data: 'cGRm' },
      ],
    })
    expect(given.slice(-2)).toEqual(['--input-format', 'stream-json'])
    expect(JSON.parse(stdin)).toEqual({
      type: 'user',
      message: {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'cG5n' } },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' } },
          {
            type: 'text',
            text: expect.stringMatching(/^\/sums\n\nWhat is this\?\n\n\(The image task-files/),
          },
        ],
      },
    })
  })

  it('is quiet, prompt, and reads no file that a word names', () => {
    expect(prepare({}).environment).toEqual({
      CLAUDE_CONFIG_DIR: place.config,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_MAX_RETRIES: '0',
      ENABLE_TOOL_SEARCH: 'false',
      MAX_MCP_OUTPUT_TOKENS: '200000',
      CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
      CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    })
  })

  it('passes the turn limit unless the session counts turns itself', () => {
    expect(optionOf({ hasWorkspace: true, turnLimit: 7 }, '--max-turns')).toBe('7')
    expect(optionOf({ tools, turnLimit: 7 }, '--max-turns')).toBe('7')
    expect(optionOf({ tools: { ...tools, replyTool: 'reply' } }, '--max-turns')).toBeUndefined()
    expect(optionOf({ turnLimit: 1 }, '--max-turns')).toBeUndefined()
  })
})

describe('an endpoint', () => {
  it.each([
    ['http://gateway.test', 'http://gateway.test'],
    ['http://gateway.test/v1', 'http://gateway.test'],
    ['http://gateway.test/claude/v1/', 'http://gateway.test/claude'],
  ])('%s is asked at %s', (endpoint, url) => {
    expect(prepare({ endpoint, key: 'key-of-the-run' }).environment).toMatchObject({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'key-of-the-run',
      ANTHROPIC_AUTH_TOKEN: '',
      CLAUDE_CODE_USE_BEDROCK: '',
    })
  })

  it('has the last word over the variables in the settings of the user', () => {
    const given = { endpoint: 'http://gateway.test', key: 'key-of-the-run', inherit: true }
    expect(settingsFor(given)).toMatchObject({
      env: { ANTHROPIC_BASE_URL: 'http://gateway.test', ANTHROPIC_API_KEY: 'key-of-the-run' },
    })
    expect(settingsFor({})).toMatchObject({ env: {} })
  })

  it("never gets the login of the user's account", () => {
    const endpoint = 'http://gateway.test'
    expect(prepare({ endpoint, env: { ANTHROPIC_API_KEY: '' } }).environment).toMatchObject({
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_OAUTH_TOKEN: '',
    })
    const env = { ANTHROPIC_AUTH_TOKEN: 'token' }
    expect(prepare({ endpoint, env }).environment).not.toHaveProperty('ANTHROPIC_API_KEY')
  })

  it('is not needed for a key, which is no argument', () => {
    const prepared = prepare({ key: 'key-of-the-run', tools })
    expect(prepared.environment).toMatchObject({
      ANTHROPIC_API_KEY: 'key-of-the-run',
      CLAUDE_CODE_OAUTH_TOKEN: '',
    })
    expect(prepared.arguments.join(' ')).not.toContain('key-of-the-run')
    expect(prepared.arguments.join(' ')).not.toContain(tools.token)
  })
})

describe('access', () => {
  it('to the workspace is its file tools, and no shell', () => {
    expect(optionOf({ hasWorkspace: true }, '--tools')).toBe('Read,Edit,Write,NotebookEdit,Glob,Grep')
    expect(optionOf({ hasWorkspace: true }, '--permission-mode')).toBe('acceptEdits')
    expect(settingsFor({ hasWorkspace: true })).toMatchObject({
      permissions: { allow: [] },
      disableSkillShellExecution: true,
    })
  })

  it('without a workspace is no tool but those of the session', () => {
    expect(optionOf({ tools }, '--tools')).toBe('')
    expect(settingsFor({ tools })).toMatchObject({
      permissions: { allow: ['mcp__task__look', 'mcp__task__take'] },
    })
    const servers = join(place.config, 'skillopt-servers.json')
    expect(optionOf({ tools }, '--mcp-config')).toBe(servers)
    expect(prepare({ tools }).files).toContainEqual({
      path: servers,
      content: {
        mcpServers: {
          task: { type: 'http', url: tools.url, headers: { Authorization: `Bearer ${tools.token}` } },
        },
      },
    })
  })

  it('in full is all of its tools, allowed by name', () => {
    expect(optionOf({ access: 'full' }, '--tools')).toBeUndefined()
    expect(settingsFor({ access: 'full' })).toMatchObject({
      permissions: { allow: expect.arrayContaining(['Bash', 'Edit(//**)', 'Read(//**)', 'WebFetch']) },
      disableSkillShellExecution: true,
    })
  })

  it("to the user's own set-up is by its settings, servers and skills", () => {
    const given = { inherit: true, hasWorkspace: true }
    expect(prepare(given).arguments).not.toContain('--strict-mcp-config')
    expect(optionOf(given, '--tools')).toMatch(/,Skill$/)
    expect(settingsFor(given)).toMatchObject({ permissions: { allow: ['Skill'] } })
    expect(prepare(given).environment).not.toHaveProperty('CLAUDE_CODE_DISABLE_ATTACHMENTS')
  })
})

describe('a question', () => {
  const question: Changed = { kind: 'chat', instructions: 'You are a judge.' }

  it('has our instructions in place of its own, and no tool, skill or setting, whatever the access', () => {
    const { files, stdin, ...prepared } = prepare({ ...question, access: 'full', inherit: true })
    const path = join(place.config, 'skillopt-instructions.md')
    expect(files).toContainEqual({ path, content: 'You are a judge.' })
    expect(stdin).toBe('What is 2 + 2?')
    expect(prepared.arguments.slice(8)).toEqual([
      '--setting-sources',
      '',
      '--strict-mcp-config',
      '--tools=',
      '--disable-slash-commands',
      '--system-prompt-file',
      path,
    ])
    expect(prepared.environment).toHaveProperty('CLAUDE_CODE_DISABLE_ATTACHMENTS')
  })

  it('without instructions leaves Claude Code its own', () => {
    expect(optionOf({ kind: 'chat', instructions: '' }, '--system-prompt-file')).toBeUndefined()
  })
})

describe("the user's files", () => {
  const filesOf = (env: Record<string, string>) => agent.filesOf({ home: '/home/ann', env }, place)

  it('are where CLAUDE_CONFIG_DIR says, or in the home', () => {
    const login = { to: join(place.config, '.credentials.json') }
    const atHome = filesOf({})
    expect(atHome.login).toEqual([{ from: join('/home/ann', '.claude', '.credentials.json'), ...login }])
    expect(atHome.setup.map(({ from }) => from)).toContain(join('/home/ann', '.claude.json'))
    expect(filesOf({ CLAUDE_CONFIG_DIR: '' })).toEqual(atHome)
    const elsewhere = filesOf({ CLAUDE_CONFIG_DIR: '/own' })
    expect(elsewhere.login).toEqual([{ from: join('/own', '.credentials.json'), ...login }])
    expect(elsewhere.setup.map(({ from }) => from)).toContain(join('/own', '.claude.json'))
  })

  it('are those of a cloud too, where Claude is used by way of it', () => {
    const names = (env: Record<string, string>) => filesOf(env).login.map(({ to }) => to)
    expect(names({ CLAUDE_CODE_USE_BEDROCK: '1' })).toContain(join(place.home, '.aws', 'credentials'))
    expect(names({ CLAUDE_CODE_USE_BEDROCK: '0' })).toHaveLength(1)
    expect(names({ CLAUDE_CODE_USE_VERTEX: 'true' })).toHaveLength(2)
  })
})

describe('a line', () => {
  const lineOf = (event: object) => JSON.stringify({ type: 'stream_event', event })
  const sent = { input_tokens: 60, cache_read_input_tokens: 40, cache_creation_input_tokens: 7 }

  it.each([
    ['begins', { type: 'message_start', message: { usage: { ...sent, output_tokens: 1 } } }, 107],
    ['ends', { type: 'message_delta', usage: { ...sent, output_tokens: 11 } }, 11],
  ])('in which a call %s counts its tokens, each of them once, and is not kept', (_, event, tokens) => {
    expect(agent.tokensIn?.(lineOf(event))).toBe(tokens)
    expect(agent.isNoise?.(lineOf(event))).toBe(true)
  })

  it('that is the record of a message is kept, and counts nothing again', () => {
    const content = [{ type: 'text', text: 'See "message_start".' }]
    const line = JSON.stringify({ type: 'assistant', message: { usage: sent, content } })
    expect(agent.tokensIn?.(line)).toBeUndefined()
    expect(agent.isNoise?.(line)).toBe(false)
  })

  it.each(['{"type":"stream_event","event":{"type":"message_delta","us', '"message_delta"', ''])(
    'that is none counts nothing: %j',
    line => {
      expect(agent.tokensIn?.(line)).toBeUndefined()
    },
  )
})

it.each([
  ['2.1.325 (Claude Code)\n', '2.1.325'],
  ['claude: not found', undefined],
])('reads its version from %j', (printed, version) => {
  expect(agent.version.read(printed)).toBe(version)
})
