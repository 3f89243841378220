import { join } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import type { AgentDefinition, AgentFile, AgentJob } from '../shared/harness/definition.js'
import type { AgentPlace } from '../shared/harness/place.js'
import { writtenPrompt } from '../shared/harness/prompt.js'
import { readOpencode, tokensInStep } from './output.js'

const secrets = [
  'OPENCODE_API_KEY',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'GEMINI_API_KEY',
  'OPENROUTER_API_KEY',
  'AZURE_API_KEY',
  'DEEPSEEK_API_KEY',
  'GROQ_API_KEY',
  'XAI_API_KEY',
  'MISTRAL_API_KEY',
  'TOGETHER_API_KEY',
  'FIREWORKS_API_KEY',
  'CEREBRAS_API_KEY',
  'MOONSHOT_API_KEY',
  'ZHIPU_API_KEY',
  'DASHSCOPE_API_KEY',
  'MINIMAX_API_KEY',
  'HF_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
]

const variables = [
  'AWS_ACCESS_KEY_ID',
  'AWS_REGION',
  'AWS_PROFILE',
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AZURE_RESOURCE_NAME',
  'GOOGLE_CLOUD_PROJECT',
  'GOOGLE_VERTEX_LOCATION',
  'VERTEX_LOCATION',
  'GOOGLE_APPLICATION_CREDENTIALS',
]

export const agent: AgentDefinition = {
  id: 'opencode',
  title: 'OpenCode',
  program: 'opencode',
  install: 'npm install -g opencode-ai',
  login: 'Run `opencode auth login`; or set the variable of your provider’s key, such as ANTHROPIC_API_KEY.',
  version: {
    arguments: ['--version'],
    read: printed => /^\d+\.\d+\.\d+\S*/m.exec(printed)?.[0],
    tested: { from: '1.18.33', below: '1.19.0' },
  },
  supports: ['chat', 'tools', 'turns', 'images', 'workspace'],
  chats: true,
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  variables,
  secrets,
  grants: {
    workspace:
      'It may read, search and change the files of its task; it has no shell, no web tools and no sub-agents.',
    full: 'It may run any command and read or change any file that you can, with the network; it asks nobody and has no sandbox.',
  },
  filesOf({ home, env }, place) {
    const inHome = (...names: string[]) => ({ from: join(home, ...names), to: join(place.home, ...names) })
    const data = given(env.XDG_DATA_HOME) ?? join(home, '.local', 'share')
    const config = given(env.XDG_CONFIG_HOME) ?? join(home, '.config')
    return {
      login: [
        {
          from: join(data, 'opencode', 'auth.json'),
          to: join(place.home, '.local', 'share', 'opencode', 'auth.json'),
        },
      ],
      setup: [
        { from: join(config, 'opencode'), to: folderIn(place) },
        inHome('.claude', 'CLAUDE.md'),
        inHome('.claude', 'skills'),
        inHome('.agents', 'skills'),
      ],
    }
  },
  skillsFolder: place => join(folderIn(place), 'skills'),
  prepare(job, place) {
    const { text, files, pictures } = writtenPrompt(job, place)
    const provider = providerOf(job, pictures.length > 0)
    const isAlone = job.kind === 'chat' || !job.inherit
    const config = join(place.config, 'opencode.json')
    return {
      files: [
        ...files,
        ...(job.kind === 'chat' ? [instructions(job, place)] : []),
        ...(isAlone ? nothingToInstall(configFolder(job, place)) : []),
        { path: config, content: settings(job, place, provider) },
      ],
      environment: {
        OPENCODE_CONFIG: config,
        ...quiet,
        ...(isAlone ? nothingFound : {}),
        ...(job.kind === 'chat' ? { XDG_CONFIG_HOME: join(place.config, 'chat') } : {}),
        ...(job.key === undefined ? {} : { ...noneOf(secrets), [keyVariable]: job.key }),
      },
      arguments: [
        // Without a title, OpenCode would have its model generate one and not report the tokens.
        'run',
        '--format',
        'json',
        '--title',
        'task',
        '--agent',
        agentName,
        ...modelArguments(job, provider),
        ...(job.effort === undefined ? [] : ['--variant', job.effort]),
        ...pictures.flatMap(path => ['--file', path]),
      ],
      stdin: text,
    }
  },
  read: readOpencode,
  tokensIn: tokensInStep,
}

const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_SHARE: '1',
}

/**
 * Turns off everything that OpenCode would discover in the workspace, in its parent folders or from other
 * agents.
 */
const nothingFound = {
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
  OPENCODE_DISABLE_CLAUDE_CODE: '1',
  OPENCODE_PURE: '1',
}

function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}

/**
 * Empties variables. OpenCode treats an empty variable as unset, so no key of the user is sent to another
 * provider's server.
 */
function noneOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map(name => [name, '']))
}

// ── Folders ─────────────────────────────────────────────────────────────────

function folderIn(place: AgentPlace): string {
  return join(place.home, '.config', 'opencode')
}

/** The config folder. A plain question always gets an empty one, whatever the settings say. */
function configFolder({ kind }: AgentJob, place: AgentPlace): string {
  return kind === 'chat' ? join(place.config, 'chat', 'opencode') : folderIn(place)
}

/**
 * Files that make a plugin package look installed. Otherwise OpenCode downloads it into its folder on every
 * first start.
 */
function nothingToInstall(folder: string): AgentFile[] {
  const dependencies = { '@opencode-ai/plugin': '*' }
  return [
    { path: join(folder, 'package-lock.json'), content: { packages: { '': { dependencies } } } },
    { path: join(folder, 'node_modules', '.keep'), content: '' },
  ]
}

function instructions(job: AgentJob, place: AgentPlace): AgentFile {
  const text = job.instructions === '' ? 'Answer what you are asked.' : job.instructions
  return { path: instructionsPath(place), content: text }
}

function instructionsPath(place: AgentPlace): string {
  return join(place.config, 'instructions.md')
}

// ── Models ──────────────────────────────────────────────────────────────────

interface Provider {
  readonly name: string
  readonly model: string
  readonly settings: Readonly<Record<string, unknown>>
}

const keyVariable = 'SKILLOPT_AGENT_KEY'

/** API clients for a custom endpoint, with the variable of their key, by the provider in the model's name. */
const apiStyles: Readonly<Record<string, { readonly npm: string; readonly key: string }>> = {
  anthropic: { npm: '@ai-sdk/anthropic', key: 'ANTHROPIC_API_KEY' },
  google: { npm: '@ai-sdk/google', key: 'GOOGLE_GENERATIVE_AI_API_KEY' },
  openai: { npm: '@ai-sdk/openai', key: 'OPENAI_API_KEY' },
}
const defaultApiStyle = { npm: '@ai-sdk/openai-compatible', key: 'OPENAI_API_KEY' }

/** Settings for a provider that OpenCode does not know by itself. */
function providerOf(job: AgentJob, hasPictures: boolean): Provider | undefined {
  const { model, endpoint, key, env } = job
  if (endpoint === undefined && key === undefined) return undefined
  if (model === undefined)
    throw ambiguousModel(
      'opencode/default lets OpenCode choose the model, but an endpoint or a key belongs to one provider',
    )
  const [prefix = '', ...rest] = model.split('/')
  if (endpoint === undefined) {
    if (rest.length === 0)
      throw ambiguousModel(`opencode/${model} names no provider, but a key belongs to one provider`)
    return { name: prefix, model: rest.join('/'), settings: { options: { apiKey: variable(keyVariable) } } }
  }
  const known = apiStyles[prefix]
  const { npm, key: own } = known ?? defaultApiStyle
  const apiKey =
    key !== undefined ? variable(keyVariable) : given(env[own]) === undefined ? 'none' : variable(own)
  const id = known === undefined ? model : rest.join('/')
  // With a custom provider name, the user's login is never sent to another provider's server.
  return {
    name: 'endpoint',
    model: id,
    settings: {
      npm,
      name: 'Endpoint',
      options: { baseURL: endpoint, apiKey },
      models: { [id]: modelSettings(job, npm, hasPictures) },
    },
  }
}

/** OpenCode inserts the variable's value when it reads the settings, so no key is written to a file. */
function variable(name: string): string {
  return `{env:${name}}`
}

function ambiguousModel(problem: string): InputError {
  return new InputError(`${problem}.`, {
    hint: 'Write the model as `opencode/anthropic/claude-sonnet-4-5`, or leave endpoint and apiKeyEnv out.',
  })
}

function modelSettings({ effort }: AgentJob, npm: string, hasPictures: boolean) {
  // `reasoningEffort` is OpenAI's name of the setting; OpenCode knows the names that other providers use.
  const isOpenai = npm.startsWith('@ai-sdk/openai')
  const level =
    isOpenai && effort !== undefined ? { variants: { [effort]: { reasoningEffort: effort } } } : {}
  return {
    ...(effort === undefined ? {} : { reasoning: true, ...level }),
    ...(hasPictures ? { attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } } : {}),
  }
}

function modelArguments({ model }: AgentJob, provider: Provider | undefined): string[] {
  if (provider !== undefined) return ['--model', `${provider.name}/${provider.model}`]
  return model === undefined ? [] : ['--model', model]
}

// ── Settings ────────────────────────────────────────────────────────────────

const agentName = 'skillopt-attempt'

function settings(
  job: AgentJob,
  place: AgentPlace,
  provider: Provider | undefined,
): Readonly<Record<string, unknown>> {
  // Language servers and formatters run programs, which may come with the task's files.
  const noPrograms = job.access === 'full' ? {} : { lsp: false, formatter: false }
  return {
    share: 'disabled',
    autoupdate: false,
    snapshot: false,
    ...noPrograms,
    // The permissions of a custom agent override all other settings.
    agent: { [agentName]: { mode: 'primary', permission: permissions(job), ...ownPrompt(job, place) } },
    // With `--command`, OpenCode would search the skill's text and the task for shell commands and run them.
    ...(job.skill === undefined ? {} : { instructions: [skillPath(job.skill.name, place)] }),
    ...(provider === undefined ? {} : { provider: { [provider.name]: provider.settings } }),
    ...toolServer(job),
  }
}

/**
 * The prompt of a plain question, as a reference to a file. OpenCode expands names of variables and files in
 * its settings, but not in the content of such a file.
 */
function ownPrompt({ kind }: AgentJob, place: AgentPlace): { prompt?: string } {
  return kind === 'chat' ? { prompt: `{file:${instructionsPath(place)}}` } : {}
}

function skillPath(name: string, place: AgentPlace): string {
  return join(agent.skillsFolder(place), name, 'SKILL.md')
}

function toolServer({ tools }: AgentJob) {
  if (tools === undefined) return {}
  const { name, url, token } = tools
  const headers = { Authorization: `Bearer ${token}` }
  return { mcp: { [name]: { type: 'remote', url, headers, oauth: false, enabled: true } } }
}

const files = { read: 'allow', edit: 'allow', glob: 'allow', grep: 'allow', list: 'allow' }
/**
 * Rules for all but full access. The last matching rule wins; a tool that is denied entirely is not offered.
 */
const kept = { external_directory: 'deny', doom_loop: 'allow' }
const notInWorkspace = { bash: 'deny', webfetch: 'deny', websearch: 'deny', codesearch: 'deny', task: 'deny' }

function permissions({ kind, access, hasWorkspace, inherit, tools }: AgentJob): Record<string, string> {
  if (kind === 'chat') return { '*': 'deny' }
  // Nobody is present to answer prompts.
  if (access === 'full') return { '*': 'allow', question: 'deny' }
  const own = hasWorkspace ? files : denied(files)
  // The tool names of the user's own servers are unknown here, so everything is allowed except the listed
  // tools.
  if (inherit) return { '*': 'allow', ...own, ...notInWorkspace, ...kept, question: 'deny' }
  const ofSession = tools === undefined ? {} : { [`${tools.name}_*`]: 'allow' }
  return { '*': 'deny', ...own, ...kept, ...ofSession }
}

function denied(rules: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(rules).map(name => [name, 'deny']))
}
