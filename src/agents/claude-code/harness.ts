import { join } from 'node:path'
import { z } from 'zod'
import type { AgentDefinition, AgentFile, AgentJob, AgentUserFile } from '../shared/harness/definition.js'
import type { AgentPlace } from '../shared/harness/place.js'
import { writtenPrompt } from '../shared/harness/prompt.js'
import { fileTools, readClaudeCode } from './output.js'

const ownKeys = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']

/** Environment variables that route Claude through a cloud provider. */
const clouds = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY']

export const agent: AgentDefinition = {
  id: 'claude-code',
  title: 'Claude Code',
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  login:
    'Run `claude` and log in (on macOS, where the login is in the keychain: `claude setup-token`, then set CLAUDE_CODE_OAUTH_TOKEN), or set ANTHROPIC_API_KEY.',
  version: {
    arguments: ['--version'],
    read: printed => /(\d+\.\d+\.\d+\S*) \(Claude Code\)/.exec(printed)?.[1],
    tested: { from: '2.1.197', below: '2.2.0' },
  },
  supports: ['chat', 'tools', 'turns', 'images', 'documents', 'workspace'],
  chats: true,
  efforts: ['low', 'medium', 'high', 'xhigh'],
  soldBy: 'anthropic',
  variables: [
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'ANTHROPIC_BETAS',
    'ANTHROPIC_DEFAULT_OPUS_MODEL',
    'ANTHROPIC_DEFAULT_SONNET_MODEL',
    'ANTHROPIC_DEFAULT_HAIKU_MODEL',
    ...clouds,
    'AWS_REGION',
    'AWS_DEFAULT_REGION',
    'AWS_PROFILE',
    'ANTHROPIC_BEDROCK_BASE_URL',
    'CLOUD_ML_REGION',
    'ANTHROPIC_VERTEX_PROJECT_ID',
    'ANTHROPIC_VERTEX_BASE_URL',
    'ANTHROPIC_FOUNDRY_RESOURCE',
    'ANTHROPIC_FOUNDRY_BASE_URL',
    'GOOGLE_APPLICATION_CREDENTIALS',
  ],
  secrets: [
    ...ownKeys,
    'CLAUDE_CODE_OAUTH_TOKEN',
    'ANTHROPIC_CUSTOM_HEADERS',
    'ANTHROPIC_FOUNDRY_API_KEY',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'AWS_BEARER_TOKEN_BEDROCK',
  ],
  logins: [...ownKeys, 'CLAUDE_CODE_OAUTH_TOKEN', ...clouds],
  grants: {
    workspace:
      "It reads, searches, writes and edits a copy of the task's files with its file tools. It has no shell and no network, and what lies outside of that copy is refused. Tasks without files get none of its tools.",
    full: 'It runs any command, reads and writes any file that you can, and uses the network and web search, without asking.',
  },
  filesOf({ home, env }, place) {
    const named = env.CLAUDE_CONFIG_DIR ?? ''
    const own = named === '' ? join(home, '.claude') : named
    const lend = (name: string): AgentUserFile => ({ from: join(own, name), to: join(place.config, name) })
    const atHome = (...path: string[]): AgentUserFile => ({
      from: join(home, ...path),
      to: join(place.home, ...path),
    })
    return {
      login: [
        lend('.credentials.json'),
        ...(isOn(env.CLAUDE_CODE_USE_BEDROCK)
          ? [atHome('.aws', 'config'), atHome('.aws', 'credentials')]
          : []),
        ...(isOn(env.CLAUDE_CODE_USE_VERTEX)
          ? [atHome('.config', 'gcloud', 'application_default_credentials.json')]
          : []),
      ],
      setup: [
        ...['CLAUDE.md', 'settings.json', 'skills', 'commands', 'agents', 'rules'].map(lend),
        ...['output-styles', 'hooks', 'plugins', 'workflows'].map(lend),
        // `.claude.json` lists the MCP servers. If the user has a custom config folder, the file is in that
        // folder.
        named === ''
          ? { from: join(home, '.claude.json'), to: join(place.config, '.claude.json') }
          : lend('.claude.json'),
      ],
    }
  },
  skillsFolder: place => join(place.config, 'skills'),
  prepare(job, place) {
    const { text, files } = writtenPrompt(job, place, job.skill && `/${job.skill.name}`)
    const words = job.skill === undefined ? asWords(text) : text
    const own = job.kind === 'chat' ? chat(job, place) : work(job, place)
    const settings = join(place.config, 'skillopt-settings.json')
    const provider = providerOf(job)
    return {
      files: [
        // Overrides the `env` section of the user's settings, which would otherwise take precedence over our
        // variables.
        { path: settings, content: { ...own.settings, env: provider } },
        ...own.files,
        ...files,
      ],
      environment: { CLAUDE_CONFIG_DIR: place.config, ...quiet(job), ...provider },
      arguments: [
        '-p',
        '--output-format',
        'stream-json',
        '--verbose',
        '--include-partial-messages',
        '--no-session-persistence',
        '--settings',
        settings,
        ...own.arguments,
        ...(job.model === undefined ? [] : ['--model', job.model]),
        ...(job.effort === undefined ? [] : ['--effort', job.effort]),
        ...(files.length === 0 ? [] : ['--input-format', 'stream-json']),
      ],
      stdin: files.length === 0 ? words : withFiles(job, words),
    }
  },
  read: readClaudeCode,
  isNoise: line => line.startsWith('{"type":"stream_event"'),
  tokensIn,
}

interface Mode {
  readonly settings: Readonly<Record<string, unknown>>
  readonly files: readonly AgentFile[]
  readonly arguments: readonly string[]
}

/**
 * Tools to allow without asking. They are listed one by one because, as root, Claude Code rejects the option
 * that allows everything.
 */
const fullAccess = [
  'Bash',
  'Read(//**)',
  'Edit(//**)',
  'Write',
  'NotebookEdit',
  'Glob',
  'Grep',
  'WebFetch',
  'WebSearch',
  'Skill',
  'Agent',
  'Task',
  'Monitor',
  'Workflow',
]

function work(job: AgentJob, place: AgentPlace): Mode {
  const { tools, access, hasWorkspace, inherit, turnLimit } = job
  const isFull = access === 'full'
  const offered = [...(hasWorkspace ? fileTools : []), ...(inherit ? ['Skill'] : [])]
  const ofSession = tools === undefined ? [] : tools.toolNames.map(name => `mcp__${tools.name}__${name}`)
  const servers = join(place.config, 'skillopt-servers.json')
  return {
    settings: {
      permissions: { allow: [...ofSession, ...(isFull ? fullAccess : inherit ? ['Skill'] : [])] },
      // A skill can embed shell commands that run when it is loaded. They are disabled, because the skill's
      // text comes from a model.
      disableSkillShellExecution: true,
    },
    files: tools === undefined ? [] : [{ path: servers, content: serverFile(tools) }],
    arguments: [
      // Settings of the workspace and its parent folders are ignored: they could start programs.
      '--setting-sources',
      'user',
      ...(inherit ? [] : ['--strict-mcp-config']),
      ...(tools === undefined ? [] : [`--mcp-config=${servers}`]),
      ...(isFull ? [] : [`--tools=${offered.join(',')}`, '--permission-mode', 'acceptEdits']),
      // The session's tool server counts the turns with an environment that replies, so no limit is set here.
      ...(hasTurns(job) ? ['--max-turns', String(turnLimit)] : []),
    ],
  }
}

function hasTurns({ tools, hasWorkspace }: AgentJob): boolean {
  return tools === undefined ? hasWorkspace : tools.replyTool === undefined
}

function serverFile({ name, url, token }: NonNullable<AgentJob['tools']>): AgentFile['content'] {
  return { mcpServers: { [name]: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } } }
}

function chat({ instructions }: AgentJob, place: AgentPlace): Mode {
  const path = join(place.config, 'skillopt-instructions.md')
  return {
    settings: {},
    files: [{ path, content: instructions }],
    arguments: [
      '--setting-sources',
      '',
      '--strict-mcp-config',
      '--tools=',
      '--disable-slash-commands',
      ...(instructions === '' ? [] : ['--system-prompt-file', path]),
    ],
  }
}

function quiet({ kind, inherit }: AgentJob): Record<string, string> {
  return {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
    // Offers the session's tools from the start instead of behind a tool search.
    ENABLE_TOOL_SEARCH: 'false',
    MAX_MCP_OUTPUT_TOKENS: '200000',
    // An `@` in a task would make Claude Code read the named file, wherever it is. The list of the user's
    // skills is also sent as an attachment.
    ...(inherit && kind === 'work'
      ? {}
      : { CLAUDE_CODE_DISABLE_ATTACHMENTS: '1', CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1' }),
  }
}

/**
 * Variables that select the provider. Claude Code treats an empty variable as unset, so empty ones cancel the
 * user's settings for other providers.
 */
function providerOf({ endpoint, key, env }: AgentJob): Record<string, string> {
  if (endpoint === undefined && key === undefined) return {}
  const hasOwnKey = ownKeys.some(name => (env[name] ?? '') !== '')
  const elsewhere = ['CLAUDE_CODE_OAUTH_TOKEN', ...clouds, ...(key === undefined ? [] : ownKeys)]
  return {
    ...Object.fromEntries(elsewhere.map(name => [name, ''])),
    // Claude Code itself appends `/v1/messages` to this URL.
    ...(endpoint === undefined ? {} : { ANTHROPIC_BASE_URL: endpoint.replace(/\/+(v1\/*)?$/, '') }),
    // Without any key, Claude Code would send the user's account login to this endpoint.
    ...(key !== undefined || !hasOwnKey ? { ANTHROPIC_API_KEY: key ?? 'none' } : {}),
  }
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value)
}

/**
 * Puts words before a prompt that starts with a slash. Claude Code would parse it as a command and answer an
 * unknown command without asking the model.
 */
function asWords(text: string): string {
  return text.trimStart().startsWith('/') ? `The task:\n\n${text}` : text
}

/**
 * The prompt as a message in the API's format. The text comes last, because the skill's command is recognised
 * only there.
 */
function withFiles({ prompt }: AgentJob, text: string): string {
  const files = prompt
    .filter(part => part.type !== 'text')
    .map(({ type, mediaType, data }) => ({
      type,
      source: { type: 'base64', media_type: mediaType, data },
    }))
  const content = [...files, { type: 'text', text }]
  return `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`
}

const count = z
  .number()
  .nullish()
  .transform(tokens => tokens ?? 0)

/**
 * Usage events of a call: input tokens at the start, output tokens at the end. Not every server repeats the
 * input tokens at the end.
 */
const streamEvent = z.object({
  type: z.literal('stream_event'),
  event: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('message_start'),
      message: z.object({
        usage: z.object({
          input_tokens: count,
          cache_read_input_tokens: count,
          cache_creation_input_tokens: count,
        }),
      }),
    }),
    z.object({ type: z.literal('message_delta'), usage: z.object({ output_tokens: count }) }),
  ]),
})

function tokensIn(line: string): number | undefined {
  if (!/"message_(start|delta)"/.test(line)) return undefined
  const event = streamEvent.safeParse(recordIn(line)).data?.event
  if (event === undefined) return undefined
  const counts = event.type === 'message_start' ? event.message.usage : event.usage
  return Object.values(counts).reduce((sum, tokens) => sum + tokens, 0)
}

function recordIn(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // A partial record or a notice carries no usage.
    return undefined
  }
}
