import { join } from 'node:path'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { userHome } from '../../system/home.js'
import type { AgentDefinition, AgentFile, AgentJob, AgentUser } from '../shared/harness/definition.js'
import type { AgentPlace } from '../shared/harness/place.js'
import { writtenPrompt } from '../shared/harness/prompt.js'
import { readCopilot } from './output.js'

const secrets = ['COPILOT_GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY', 'COPILOT_PROVIDER_BEARER_TOKEN']

const variables = [
  'COPILOT_MODEL',
  'COPILOT_OFFLINE',
  'COPILOT_GH_HOST',
  'GH_HOST',
  'COPILOT_PROVIDER_BASE_URL',
  'COPILOT_PROVIDER_TYPE',
  'COPILOT_PROVIDER_WIRE_API',
  'COPILOT_PROVIDER_AZURE_API_VERSION',
  'COPILOT_PROVIDER_MAX_PROMPT_TOKENS',
  'COPILOT_PROVIDER_MAX_OUTPUT_TOKENS',
  // Needed to find a login that is stored in the desktop keyring.
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
]

export const agent: AgentDefinition = {
  id: 'copilot',
  title: 'GitHub Copilot CLI',
  program: 'copilot',
  install: 'npm install -g @github/copilot',
  login:
    'Run `copilot login`; or set COPILOT_GITHUB_TOKEN to a fine-grained token with the permission "Copilot Requests".',
  version: {
    // Unlike --version, this does not unpack the whole program first.
    arguments: ['--binary-version'],
    read: printed => /\d+\.\d+\.\d+\S*/.exec(printed)?.[0],
    tested: { from: '1.0.102', below: '1.1.0' },
  },
  supports: ['chat', 'tools', 'turns', 'images', 'workspace'],
  chats: true,
  efforts: ['minimal', 'low', 'medium', 'high', 'xhigh'],
  variables,
  secrets,
  grants: {
    workspace:
      'It may read, search and change the files of its task; it has no shell, no web tools and no sub-agents.',
    full: 'It may run any command, read or change any file that you can, use the network and, where it is logged in, your GitHub account; it asks nobody.',
  },
  filesOf(user, place) {
    const own = ownFolder(user)
    const both = (name: string) => ({ from: join(own, name), to: join(folderIn(place), name) })
    const shared = join('.agents', 'skills')
    return {
      login: [{ ...both('config.json'), only: loginIn }],
      setup: [
        ...['config.json', 'settings.json', 'mcp-config.json', 'copilot-instructions.md'].map(both),
        ...['skills', 'agents', 'hooks', 'instructions', 'installed-plugins'].map(both),
        { from: join(user.home, shared), to: join(place.home, shared) },
      ],
    }
  },
  skillsFolder: place => join(folderIn(place), 'skills'),
  prepare(job, place) {
    const { text, files, pictures } = writtenPrompt(job, place)
    const ours = [...customAgent(job, place), ...toolServer(job, place)]
    const report = join(place.config, 'usage.json')
    return {
      files: [...files, ...ours.map(({ path, content }) => ({ path, content }))],
      environment: {
        COPILOT_AUTO_UPDATE: 'false',
        COPILOT_PKG_CACHE_HOME: packageFolder(job),
        ...providerVariables(job),
      },
      arguments: [
        '--output-format',
        'json',
        '--no-color',
        '--no-auto-update',
        '--no-ask-user',
        '--no-remote-export',
        '--disable-client-telemetry',
        '--usage-output-file',
        report,
        `--secret-env-vars=${secrets.join(',')}`,
        ...(job.model === undefined ? [] : ['--model', job.model]),
        ...(job.effort === undefined ? [] : ['--reasoning-effort', job.effort]),
        ...(job.inherit && job.kind === 'work' ? [] : ['--no-custom-instructions']),
        ...ours.flatMap(file => file.arguments),
        ...toolArguments(job),
        ...pictures.flatMap(path => ['--attachment', path]),
      ],
      stdin: text,
      report,
    }
  },
  read: readCopilot,
  isNoise: line => noise.test(line),
}

/** Records to drop: deltas of messages that are printed whole later. */
const noise =
  /^\{"type":"(assistant\.(message_delta|reasoning_delta|tool_call_delta)|tool\.(execution_partial_result|shell_output))"/

// ── Folders ─────────────────────────────────────────────────────────────────

/**
 * Copilot's folder in its default location. If a variable set it, Copilot would ignore skills in the folder
 * that it shares with other agents.
 */
function folderIn(place: AgentPlace): string {
  return join(place.home, '.copilot')
}

function ownFolder({ home, env }: AgentUser): string {
  return given(env.COPILOT_HOME) ?? join(home, '.copilot')
}

/** Where the program unpacks itself (about 230 MB) on its first start in a home; attempts share it. */
function packageFolder({ env }: AgentJob): string {
  return (
    given(env.COPILOT_PKG_CACHE_HOME) ?? given(env.COPILOT_CACHE_HOME) ?? join(cacheFolder(env), 'copilot')
  )
}

function cacheFolder(env: AgentJob['env']): string {
  const home = userHome(env)
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches')
  const named = process.platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME
  return given(named) ?? join(home, '.cache')
}

function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}

const loginKeys = [
  'loggedInUsers',
  'lastLoggedInUser',
  'copilotTokens',
  'authTokens',
  'logged_in_users',
  'last_logged_in_user',
  'copilot_tokens',
]

/** Extracts the login from config.json, which also lists the installed plugins with their paths. */
function loginIn(content: string): string {
  try {
    const whole = JSON.parse(content.replace(/^\s*\/\/.*$/gm, '')) as Record<string, unknown>
    return JSON.stringify(Object.fromEntries(loginKeys.map(key => [key, whole[key]])))
  } catch (error) {
    throw new InputError(`The config.json of GitHub Copilot CLI cannot be read: ${messageOf(error)}.`, {
      hint: agent.login,
    })
  }
}

// ── Model ───────────────────────────────────────────────────────────────────

function providerVariables({ endpoint, key, env }: AgentJob): Record<string, string> {
  const isOther = (endpoint ?? given(env.COPILOT_PROVIDER_BASE_URL)) !== undefined
  return {
    ...(endpoint === undefined ? {} : { COPILOT_PROVIDER_BASE_URL: endpoint, COPILOT_OFFLINE: 'true' }),
    ...(key === undefined ? {} : keyVariables(key, isOther)),
  }
}

/**
 * Sets the key and empties the other variables. Copilot treats an empty variable as unset, so no login of the
 * user is sent to another provider's server.
 */
function keyVariables(key: string, isOther: boolean): Record<string, string> {
  const none = Object.fromEntries(secrets.map(name => [name, '']))
  return { ...none, [isOther ? 'COPILOT_PROVIDER_API_KEY' : 'COPILOT_GITHUB_TOKEN']: key }
}

// ── Instructions and tools ──────────────────────────────────────────────────

interface FileWithArguments extends AgentFile {
  readonly arguments: readonly string[]
}

const agentName = 'skillopt-attempt'

/**
 * Defines a custom agent. It can name skills whose text is in its system prompt from the start; otherwise the
 * model decides whether to load one. It is also the only way to change the system prompt.
 */
function customAgent(job: AgentJob, place: AgentPlace): FileWithArguments[] {
  const text = job.kind === 'chat' ? job.instructions : job.skill && 'Follow the skill above in this task.'
  if (text === undefined || text === '') return []
  const settings = {
    name: agentName,
    description: 'Does the task at hand.',
    tools: ['*'],
    ...(job.skill === undefined ? {} : { skills: [job.skill.name] }),
  }
  const lines = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return [
    {
      path: join(folderIn(place), 'agents', `${agentName}.agent.md`),
      content: ['---', ...lines, '---', '', text, ''].join('\n'),
      arguments: ['--agent', agentName],
    },
  ]
}

function toolServer({ tools }: AgentJob, place: AgentPlace): FileWithArguments[] {
  if (tools === undefined) return []
  const { name, url, token } = tools
  const path = join(place.config, 'tool-server.json')
  const headers = { Authorization: `Bearer ${token}` }
  return [
    {
      path,
      content: { mcpServers: { [name]: { type: 'http', url, headers, tools: ['*'] } } },
      arguments: ['--additional-mcp-config', `@${path}`],
    },
  ]
}

const fileTools = ['view', 'create', 'edit', 'apply_patch', 'grep', 'rg', 'glob']
/** Never offered: a sub-agent's definition may come from any parent folder and use another model. */
const subAgents = ['task', 'read_agent', 'list_agents', 'write_agent']
const shells = ['bash', 'powershell'].flatMap(shell => [
  shell,
  ...['read', 'write', 'stop', 'list'].map(verb => `${verb}_${shell}`),
])
const web = ['web_fetch', 'web_search']

/** Leaves out forbidden tools: if they were only refused, a refused call would invalidate the attempt. */
function toolArguments(job: AgentJob): string[] {
  const { kind, access, hasWorkspace, inherit, tools } = job
  if (kind === 'chat') return ['--disable-builtin-mcps', '--available-tools=none']
  if (access === 'full') {
    return ['--allow-all', ...(inherit ? [] : [`--excluded-tools=${['skill', ...subAgents].join(',')}`])]
  }
  const own = hasWorkspace ? fileTools : []
  if (inherit) {
    // The user's own servers are allowed, but their tool names are unknown here, so only known tools can be
    // excluded.
    const out = [...shells, ...web, ...subAgents, ...(hasWorkspace ? [] : fileTools)]
    const never = ['--deny-tool=shell', '--deny-tool=url']
    return ['--disable-builtin-mcps', `--excluded-tools=${out.join(',')}`, '--allow-all-tools', ...never]
  }
  const ofSession = tools?.toolNames.map(tool => `${tools.name}-${tool}`) ?? []
  const offered = [...own, ...ofSession]
  return [
    '--disable-builtin-mcps',
    `--available-tools=${offered.length === 0 ? 'none' : offered.join(',')}`,
    ...(hasWorkspace ? ['--allow-tool=write'] : []),
    ...(tools === undefined ? [] : [`--allow-tool=${tools.name}`]),
  ]
}
