import { join } from 'node:path'
import { z } from 'zod'
import type { AgentDefinition, AgentJob, AgentUser, ToolServer } from '../shared/harness/definition.js'
import type { AgentPlace } from '../shared/harness/place.js'
import { writtenPrompt } from '../shared/harness/prompt.js'
import { readQwen } from './output.js'

const secrets = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'DASHSCOPE_API_KEY',
  'BAILIAN_CODING_PLAN_API_KEY',
  'OPENROUTER_API_KEY',
]

const variables = [
  'QWEN_OAUTH',
  'OPENAI_BASE_URL',
  'OPENAI_MODEL',
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_MODEL',
  'GEMINI_MODEL',
  'GOOGLE_MODEL',
  'GOOGLE_CLOUD_PROJECT',
  'GOOGLE_CLOUD_LOCATION',
  'GOOGLE_APPLICATION_CREDENTIALS',
]

export const agent: AgentDefinition = {
  id: 'qwen-code',
  title: 'Qwen Code',
  program: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code',
  login:
    'Set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL, or name an endpoint and a key in the config; what `qwen auth` has set up is used with `--set harness.inherit=true`.',
  version: {
    arguments: ['--version'],
    read: printed => /^\d+\.\d+\.\d+\S*/m.exec(printed)?.[0],
    tested: { from: '0.15.10', below: '0.16.0' },
  },
  supports: ['chat', 'tools', 'turns', 'workspace'],
  chats: false,
  efforts: ['low', 'medium', 'high'],
  variables,
  secrets,
  grants: {
    workspace: 'It may read, search and change the files of its task; it has no shell and no network tools.',
    full: 'It may run any command and read or change any file that you can, with the network; it asks nobody.',
  },
  filesOf(user, place) {
    const own = ownFolder(user)
    const both = (name: string) => ({ from: join(own, name), to: join(folderOf(place), name) })
    const shared = join('.agents', 'skills')
    return {
      login: [both('oauth_creds.json')],
      setup: [
        ...['settings.json', 'QWEN.md', 'AGENTS.md', 'output-language.md'].map(both),
        ...['skills', 'commands', 'extensions', 'agents', 'memories'].map(both),
        { from: join(own, '.env'), to: variablesFile(place) },
        { from: join(user.home, shared), to: join(place.home, shared) },
      ],
    }
  },
  skillsFolder: place => join(folderOf(place), 'skills'),
  prepare(job, place) {
    const { text, files } = writtenPrompt(job, place, `/${job.skill?.name ?? command}`)
    return {
      files: [
        ...files,
        { path: settingsFile(place), content: settings(job) },
        {
          path: join(folderOf(place), 'commands', `${command}.md`),
          content: 'Do what the following asks.\n',
        },
        ...(job.inherit ? [] : [{ path: variablesFile(place), content: '' }]),
      ],
      environment: {
        QWEN_HOME: folderOf(place),
        QWEN_CODE_SYSTEM_SETTINGS_PATH: settingsFile(place),
        QWEN_CODE_SYSTEM_DEFAULTS_PATH: join(place.config, 'defaults.json'),
        QWEN_DISABLE_AUTO_TITLE: '1',
        ...account(job),
      },
      arguments: [
        '--output-format',
        'stream-json',
        '--chat-recording',
        'false',
        '--approval-mode',
        job.access === 'full' ? 'yolo' : 'default',
        ...(job.model === undefined ? [] : ['--model', job.model]),
        ...(job.tools?.replyTool === undefined ? ['--max-session-turns', String(job.turnLimit)] : []),
        ...(job.inherit ? [] : ['--extensions', 'none']),
      ],
      stdin: text,
    }
  },
  read: readQwen,
  tokensIn(line) {
    if (!line.startsWith('{"type":"assistant"')) return undefined
    const usage = reported.safeParse(JSON.parse(line)).data?.message.usage
    return usage && usage.input_tokens + usage.output_tokens
  },
}

const reported = z.object({
  message: z.object({ usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }) }),
})

const folderOf = (place: AgentPlace) => join(place.home, '.qwen')

/** Machine-wide settings, which override the user's settings and those of the workspace. */
const settingsFile = (place: AgentPlace) => join(place.config, 'settings.json')

/**
 * File with environment variables. Qwen Code looks for `.env` in the folders above its workspace and takes
 * the first that it finds.
 */
const variablesFile = (place: AgentPlace) => join(place.folder, '.qwen', '.env')

function ownFolder({ home, env }: AgentUser): string {
  const named = env.QWEN_HOME
  if (named === undefined || named === '') return join(home, '.qwen')
  return named.startsWith('~') ? join(home, named.slice(1)) : named
}

/**
 * A custom command that is put before the task if there is no skill. Text after a command reaches the model
 * unchanged; otherwise Qwen Code would replace words that start with an @ by file contents and parse a slash
 * as a command.
 */
const command = 'given-task'

// ── Settings ────────────────────────────────────────────────────────────────

/** Reading needs no rule: it is allowed in the workspace, and nobody is present to allow more. */
const readingTools = ['list_directory', 'read_file', 'grep_search', 'glob', 'todo_write']
const writingTools = ['edit', 'write_file']
const skillTool = 'skill'

/** Turned off, because it hides the session's tools until the model searches for them. */
const searchTool = 'tool_search'

const otherTools = [
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

function settings(job: AgentJob): Record<string, unknown> {
  const { tools, inherit, effort } = job
  const manner = apiStyleOf(job)
  return {
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
    ui: { enableFollowupSuggestions: false },
    ...(manner === undefined ? {} : { security: { auth: { selectedType: manner } } }),
    model: {
      generationConfig: { maxRetries: 0, ...(effort === undefined ? {} : { reasoning: { effort } }) },
    },
    advanced: { excludedEnvVars: ['DEBUG', 'DEBUG_MODE', ...variables, ...secrets] },
    permissions: permissions(job),
    ...(inherit ? {} : { disableAllHooks: true, mcp: { allowed: tools === undefined ? [] : [tools.name] } }),
    ...(tools === undefined ? {} : { mcpServers: { [tools.name]: server(tools) } }),
  }
}

function permissions({ access, hasWorkspace, skill, inherit }: AgentJob) {
  if (access === 'full') return { deny: [searchTool] }
  const off = [searchTool, ...otherTools]
  if (!hasWorkspace) return { deny: [...off, skillTool, ...readingTools, ...writingTools] }
  return {
    allow: writingTools.map(tool => `${tool}(./**)`),
    // Without a skill, the skill tool would still offer Qwen Code's bundled skills.
    deny: skill === undefined && !inherit ? [...off, skillTool] : off,
  }
}

function server({ url, token }: ToolServer) {
  return { httpUrl: url, headers: { Authorization: `Bearer ${token}` }, trust: true }
}

// ── Account ─────────────────────────────────────────────────────────────────

/** API formats by the key variable that is set. A custom endpoint uses OpenAI's format. */
const apiStyles = [
  ['OPENAI_API_KEY', 'openai'],
  ['ANTHROPIC_API_KEY', 'anthropic'],
  ['GEMINI_API_KEY', 'gemini'],
  ['GOOGLE_API_KEY', 'vertex-ai'],
] as const

/**
 * The API format to select. Undefined keeps the user's own set-up; if a key is missing, Qwen Code reports it.
 */
function apiStyleOf({ endpoint, key, inherit, env }: AgentJob): string | undefined {
  if (endpoint !== undefined || key !== undefined) return 'openai'
  return inherit ? undefined : apiStyles.find(([name]) => (env[name] ?? '') !== '')?.[1]
}

function account({ endpoint, key, env }: AgentJob): Record<string, string> {
  if (endpoint === undefined && key === undefined) return {}
  return {
    OPENAI_API_KEY: key ?? env.OPENAI_API_KEY ?? 'none',
    ...(endpoint === undefined ? {} : { OPENAI_BASE_URL: endpoint }),
  }
}
