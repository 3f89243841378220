import { join } from 'node:path'
import type { Effort } from '../../core/config/config.js'
import { parseSkill } from '../../core/skill/skill.js'
import type {
  AgentDefinition,
  AgentFile,
  AgentJob,
  AgentUser,
  ToolServer,
} from '../shared/harness/definition.js'
import type { AgentPlace } from '../shared/harness/place.js'
import { writtenPrompt } from '../shared/harness/prompt.js'
import { readGemini } from './output.js'

const secrets = ['GEMINI_API_KEY', 'GOOGLE_API_KEY']

const variables = [
  'GOOGLE_GEMINI_BASE_URL',
  'GOOGLE_VERTEX_BASE_URL',
  'GOOGLE_GENAI_API_VERSION',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GOOGLE_GENAI_USE_GCA',
  'GEMINI_API_KEY_AUTH_MECHANISM',
  'GOOGLE_CLOUD_PROJECT',
  'GOOGLE_CLOUD_PROJECT_ID',
  'GOOGLE_CLOUD_LOCATION',
  'GOOGLE_APPLICATION_CREDENTIALS',
]

export const agent: AgentDefinition = {
  id: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  login: 'Set GEMINI_API_KEY; or start `gemini` once and log in with Google.',
  version: {
    arguments: ['--version'],
    read: printed => /^\d+\.\d+\.\d+\S*/m.exec(printed)?.[0],
    tested: { from: '0.61.0', below: '0.62.0' },
  },
  supports: ['chat', 'tools', 'turns', 'workspace'],
  chats: false,
  efforts: ['low', 'medium', 'high'],
  soldBy: 'google',
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
      login: ['oauth_creds.json', 'google_accounts.json'].map(both),
      setup: [
        ...['settings.json', 'GEMINI.md', 'skills', 'commands', 'extensions', 'agents', 'policies'].map(both),
        { from: join(own, '.env'), to: variablesFile(place) },
        { from: join(user.home, shared), to: join(place.home, shared) },
      ],
    }
  },
  skillsFolder: place => join(folderOf(place), 'skills'),
  prepare(job, place) {
    const { text, files } = writtenPrompt(job, place, activated(job.skill))
    return {
      files: [
        ...files,
        { path: settingsFile(place), content: settings(job) },
        {
          path: join(folderOf(place), 'commands', `${command}.toml`),
          content: `prompt = "Do what the following asks."\n`,
        },
        ...policy(job, place),
        ...(job.inherit ? [] : [{ path: variablesFile(place), content: '' }]),
      ],
      environment: {
        // Points the machine-wide administrator settings at files that do not exist.
        GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(place.config, 'settings.json'),
        GEMINI_CLI_SYSTEM_DEFAULTS_PATH: join(place.config, 'defaults.json'),
        ...account(job),
      },
      arguments: [
        '--output-format',
        'stream-json',
        '--skip-trust',
        '--approval-mode',
        job.access === 'full' ? 'yolo' : 'auto_edit',
        ...(job.model === undefined ? [] : ['--model', job.model]),
        ...(job.inherit ? [] : ['--extensions', 'none']),
      ],
      stdin: `/${command}\n\n${text}`,
    }
  },
  read: readGemini,
}

const folderOf = (place: AgentPlace) => join(place.home, '.gemini')

const settingsFile = (place: AgentPlace) => join(folderOf(place), 'settings.json')

/** Gemini reads the first `.env` file that it finds in the folders above its workspace. */
const variablesFile = (place: AgentPlace) => join(place.folder, '.gemini', '.env')

function ownFolder({ home, env }: AgentUser): string {
  const named = env.GEMINI_CLI_HOME
  return join(named === undefined || named === '' ? home : named, '.gemini')
}

// ── Prompt ──────────────────────────────────────────────────────────────────

/**
 * A custom command that is put before the task. Text after a command reaches the model unchanged; otherwise
 * Gemini would replace words that start with an @ by file contents and parse a leading slash as a command.
 */
const command = 'given-task'

/**
 * Gives the skill to the model in the format of Gemini's own skill tool, which its system prompt explains.
 * The command that activates a skill exists only in the interactive terminal, and calling the tool is up to
 * the model.
 */
function activated(skill: AgentJob['skill']): string | undefined {
  if (skill === undefined) return undefined
  const instructions = parseSkill(skill.text).body.trim()
  return `<activated_skill name="${skill.name}">\n<instructions>\n${instructions}\n</instructions>\n</activated_skill>`
}

// ── Settings ────────────────────────────────────────────────────────────────

const fileTools = [
  'list_directory',
  'read_file',
  'read_many_files',
  'glob',
  'grep_search',
  'write_file',
  'replace',
]
const skillTool = 'activate_skill'

function settings(job: AgentJob): Record<string, unknown> {
  const { endpoint, key, tools, inherit, turnLimit } = job
  const ownTools = toolsOf(job)
  return {
    general: {
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      maxAttempts: 1,
      retryFetchErrors: false,
      ...(ownTools === undefined ? {} : { topicUpdateNarration: false, plan: { enabled: false } }),
    },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: {
      ...(endpoint === undefined && key === undefined ? {} : { auth: { selectedType: 'gemini-api-key' } }),
    },
    context: { memoryBoundaryMarkers: [] },
    advanced: { ignoreLocalEnv: true },
    model: tools?.replyTool === undefined ? { maxSessionTurns: turnLimit } : {},
    ...thinking(job),
    // Without the skill tool, the model would be told about skills that it cannot load.
    skills: { enabled: ownTools?.includes(skillTool) ?? true },
    ...(ownTools === undefined ? {} : { tools: { core: ownTools } }),
    ...(inherit
      ? {}
      : { hooksConfig: { enabled: false }, mcp: { allowed: tools === undefined ? [] : [tools.name] } }),
    ...(tools === undefined ? {} : { mcpServers: { [tools.name]: server(tools) } }),
  }
}

/** Names of Gemini's own tools to offer; undefined means all of them. */
function toolsOf({ access, hasWorkspace, skill, inherit }: AgentJob): readonly string[] | undefined {
  if (access === 'full') return undefined
  if (!hasWorkspace) return []
  return skill === undefined && !inherit ? fileTools : [...fileTools, skillTool]
}

function server({ url, token }: ToolServer) {
  return { httpUrl: url, headers: { Authorization: `Bearer ${token}` }, trust: true }
}

/**
 * Allows the session's tools by a policy. A list of core tools overrides the trust in a server, and a policy
 * overrides that list.
 */
function policy({ tools, inherit }: AgentJob, place: AgentPlace): AgentFile[] {
  const name = inherit ? '*' : tools?.name
  if (name === undefined) return []
  const rule = [
    '[[rule]]',
    `mcpName = "${name}"`,
    'toolName = "*"',
    'decision = "allow"',
    'priority = 999',
    '',
  ]
  return [{ path: join(folderOf(place), 'policies', 'session.toml'), content: rule.join('\n') }]
}

const budgets: Partial<Record<Effort, number>> = { low: 1024, medium: 8192, high: 24_576 }

/** Aliases for which Gemini itself chooses one of the models that it knows. */
const chosen = /^(auto.*|pro|flash|flash-lite)$/

/**
 * Sets the effort by a thinking level or, before Gemini 3, by a token budget. Gemini derives its requests
 * from these two settings.
 */
function thinking({ effort, model }: AgentJob) {
  if (effort === undefined) return {}
  const base = (thinkingConfig: Readonly<Record<string, unknown>>) => ({
    extends: 'chat-base',
    modelConfig: { generateContentConfig: { thinkingConfig } },
  })
  const [byTokens, byLevel] = ['chat-base-2.5', 'chat-base-3']
  const named = { extends: /^gemini-[12]/.test(model ?? '') ? byTokens : byLevel, modelConfig: { model } }
  const customAliases = {
    [byTokens]: base({ thinkingBudget: budgets[effort] }),
    [byLevel]: base({ thinkingLevel: effort.toUpperCase() }),
    ...(model === undefined || chosen.test(model) ? {} : { [model]: named }),
  }
  return { modelConfigs: { customAliases } }
}

// ── Account ─────────────────────────────────────────────────────────────────

const ownAccount = ['GEMINI_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA']

/** Without a key, the Google login is used; with `inherit`, the user's settings decide. */
function account({ endpoint, key, env, inherit }: AgentJob): Record<string, string> {
  if (endpoint === undefined && key === undefined) {
    const isKnown = inherit || ownAccount.some(name => (env[name] ?? '') !== '')
    return isKnown ? {} : { GOOGLE_GENAI_USE_GCA: 'true' }
  }
  return {
    GEMINI_API_KEY: key ?? env.GEMINI_API_KEY ?? 'none',
    // Other tools include the API version in the URL, but Gemini adds it itself, so it is removed.
    ...(endpoint === undefined ? {} : { GOOGLE_GEMINI_BASE_URL: endpoint.replace(/\/(v1beta\/?)?$/, '') }),
  }
}
