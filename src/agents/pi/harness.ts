import { delimiter, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Effort } from '../../core/config/config.js'
import { InputError } from '../../core/errors/errors.js'
import { userHome } from '../../system/home.js'
import type { AgentDefinition, AgentFile, AgentJob, AgentUser } from '../shared/harness/definition.js'
import type { AgentPlace } from '../shared/harness/place.js'
import { writtenPrompt } from '../shared/harness/prompt.js'
import { recordsIn } from '../shared/output/json-lines.js'
import { readPi } from './output.js'

const secrets = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'GOOGLE_CLOUD_API_KEY',
  'COPILOT_GITHUB_TOKEN',
  'OPENROUTER_API_KEY',
  'AI_GATEWAY_API_KEY',
  'OPENCODE_API_KEY',
  'DEEPSEEK_API_KEY',
  'GROQ_API_KEY',
  'CEREBRAS_API_KEY',
  'XAI_API_KEY',
  'FIREWORKS_API_KEY',
  'TOGETHER_API_KEY',
  'ZAI_API_KEY',
  'MISTRAL_API_KEY',
  'HF_TOKEN',
  'MINIMAX_API_KEY',
  'MINIMAX_CN_API_KEY',
  'MOONSHOT_API_KEY',
  'KIMI_API_KEY',
  'CLOUDFLARE_API_KEY',
  'XIAOMI_API_KEY',
  'XIAOMI_TOKEN_PLAN_CN_API_KEY',
  'XIAOMI_TOKEN_PLAN_AMS_API_KEY',
  'XIAOMI_TOKEN_PLAN_SGP_API_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
]

const variables = [
  'AWS_ACCESS_KEY_ID',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_PROFILE',
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AZURE_OPENAI_BASE_URL',
  'AZURE_OPENAI_RESOURCE_NAME',
  'AZURE_OPENAI_API_VERSION',
  'AZURE_OPENAI_DEPLOYMENT_NAME_MAP',
  'GOOGLE_CLOUD_PROJECT',
  'GOOGLE_CLOUD_LOCATION',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'CLOUDFLARE_ACCOUNT_ID',
  'CLOUDFLARE_GATEWAY_ID',
]

const thinking: Readonly<Record<Effort, string>> = {
  none: 'off',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
}

export const agent: AgentDefinition = {
  id: 'pi',
  title: 'pi',
  program: 'pi',
  install: 'npm install -g @earendil-works/pi-coding-agent',
  login:
    'Start `pi`, type /login and choose a provider; or set the variable of its key, such as ANTHROPIC_API_KEY.',
  version: {
    arguments: ['--version'],
    read: printed => /^\d+\.\d+\.\d+\S*/m.exec(printed)?.[0],
    tested: { from: '0.74.2', below: '0.75.0' },
  },
  supports: ['chat', 'workspace', 'images'],
  chats: true,
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  variables,
  secrets,
  grants: {
    workspace:
      'It may read, search and change the files of its task, and read the skill; it has no shell and no network.',
    full: 'It may run any command and read or change any file that you can, with the network; pi asks nobody and has no sandbox.',
  },
  filesOf(user, place) {
    const own = ownFolder(user)
    const both = (name: string) => ({ from: join(own, name), to: join(place.config, name) })
    const shared = join('.agents', 'skills')
    return {
      login: [both('auth.json')],
      setup: [
        ...['settings.json', 'models.json', 'AGENTS.md', 'CLAUDE.md', 'SYSTEM.md', 'APPEND_SYSTEM.md'].map(
          both,
        ),
        ...['skills', 'extensions', 'prompts', 'themes', 'git'].map(both),
        { from: join(user.home, shared), to: join(place.home, shared) },
      ],
    }
  },
  skillsFolder: place => join(place.config, 'skills'),
  prepare(job, place) {
    // The command must end with a space: after only a line break, pi parses the task as part of the name.
    const { text, files } = writtenPrompt(job, place, job.skill && `/skill:${job.skill.name} `)
    const attached = pictures(job, files).map(({ path }) => `@${relative(place.workspace, path)}`)
    const provider = providerOf(job)
    return {
      files: [...files, ...settings(job, place), ...models(place, provider)],
      environment: {
        PI_CODING_AGENT_DIR: place.config,
        PI_OFFLINE: '1',
        PI_SKIP_VERSION_CHECK: '1',
        PI_TELEMETRY: '0',
        PATH: searchPath(job),
        ...(job.key === undefined ? {} : { ...noneOf(secrets), [keyVariable]: job.key }),
      },
      arguments: [
        '--mode',
        'json',
        '--no-session',
        '--offline',
        ...modelArguments(job, provider),
        ...(job.effort === undefined ? [] : ['--thinking', thinking[job.effort]]),
        ...(job.kind === 'chat' ? chatArguments(place) : workArguments(job, place)),
        '-p',
        ...attached,
      ],
      stdin: text,
    }
  },
  read: readPi,
  isNoise: line => noise.test(line),
  tokensIn(line) {
    if (!line.startsWith('{"type":"message_end"')) return undefined
    const usage = recordsIn(line, reported).records[0]?.message.usage
    return usage && usage.input + usage.output + usage.cacheRead + usage.cacheWrite
  },
}

function ownFolder({ home, env }: AgentUser): string {
  const named = env.PI_CODING_AGENT_DIR
  if (named === undefined || named === '') return join(home, '.pi', 'agent')
  return named.startsWith('~') ? join(home, named.slice(1)) : named
}

/**
 * PATH for pi's search tools, the programs `rg` and `fd`. If the machine has none, pi downloads them to its
 * own folder, so that folder is added.
 */
function searchPath({ env }: AgentJob): string {
  const own = join(ownFolder({ home: userHome(env), env }), 'bin')
  return [env.PATH ?? '', own].filter(part => part !== '').join(delimiter)
}

// ── Models ──────────────────────────────────────────────────────────────────

interface Provider {
  readonly name: string
  /** The model's name at this provider. */
  readonly model: string
  readonly settings: Readonly<Record<string, unknown>>
}

const keyVariable = 'SKILLOPT_AGENT_KEY'

/** API formats for a custom endpoint, with the variable of their key, by the provider in the model's name. */
const apiStyles: Readonly<Record<string, { readonly api: string; readonly key: string }>> = {
  anthropic: { api: 'anthropic-messages', key: 'ANTHROPIC_API_KEY' },
  google: { api: 'google-generative-ai', key: 'GEMINI_API_KEY' },
  openai: { api: 'openai-responses', key: 'OPENAI_API_KEY' },
}
const defaultApiStyle = { api: 'openai-completions', key: 'OPENAI_API_KEY' }

/** Settings for a provider that pi does not know by itself. */
function providerOf(job: AgentJob): Provider | undefined {
  const { model, endpoint, key, env } = job
  if (endpoint === undefined && key === undefined) return undefined
  if (model === undefined)
    throw ambiguousModel(
      'pi/default lets pi choose the model, but an endpoint or a key belongs to one provider',
    )
  const [prefix = '', ...rest] = model.split('/')
  if (endpoint === undefined && rest.length === 0)
    throw ambiguousModel(`pi/${model} names no provider, but a key belongs to one provider`)
  // With a key only: pi uses this key if it has no other, and requires one more setting beside it.
  if (endpoint === undefined)
    return { name: prefix, model: rest.join('/'), settings: { apiKey: keyVariable, compat: {} } }
  const known = apiStyles[prefix]
  const { api, key: own } = known ?? defaultApiStyle
  const apiKey = key !== undefined ? keyVariable : env[own] === undefined ? 'none' : own
  const id = known === undefined ? model : rest.join('/')
  // With a custom provider name, the user's login is never sent to another provider's server.
  return {
    name: 'endpoint',
    model: id,
    settings: { baseUrl: endpoint, api, apiKey, models: [modelOf(id, job.effort)], compat: compatible(api) },
  }
}

function ambiguousModel(problem: string): InputError {
  return new InputError(`${problem}.`, {
    hint: 'Write the model as `pi/anthropic/claude-sonnet-4-5`, or leave endpoint and apiKeyEnv out.',
  })
}

function modelOf(id: string, effort: Effort | undefined) {
  const reasons = effort !== undefined && effort !== 'none'
  const highest = effort === 'xhigh' ? { thinkingLevelMap: { xhigh: 'xhigh' } } : {}
  return { id, input: ['text', 'image'], reasoning: reasons, ...highest }
}

/**
 * Turns off newer features of OpenAI's API, because compatible servers often support only the original ones.
 */
function compatible(api: string) {
  return api === defaultApiStyle.api ? { supportsStore: false, supportsDeveloperRole: false } : {}
}

function modelArguments({ model }: AgentJob, provider: Provider | undefined): string[] {
  if (provider !== undefined) return ['--provider', provider.name, '--model', provider.model]
  return model === undefined ? [] : ['--model', model]
}

function models(place: AgentPlace, provider: Provider | undefined): AgentFile[] {
  if (provider === undefined) return []
  const content = { providers: { [provider.name]: provider.settings } }
  return [{ path: join(place.config, 'models.json'), content }]
}

/** Empties variables. pi treats an empty variable as unset, so the user's values are not used. */
function noneOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map(name => [name, '']))
}

// ── Settings, tools, instructions ───────────────────────────────────────────

const systemPrompt = (place: AgentPlace) => join(place.config, 'instructions.md')

function settings(job: AgentJob, place: AgentPlace): AgentFile[] {
  const quiet = {
    retry: { enabled: false, provider: { maxRetries: 0 } },
    enableInstallTelemetry: false,
    images: { autoResize: false, blockImages: false },
    enableSkillCommands: true,
  }
  const file = { path: join(place.config, 'settings.json'), content: quiet }
  // pi would treat an empty file as missing and use its own system prompt.
  const instructions = { path: systemPrompt(place), content: `${job.instructions}\n` }
  return job.kind === 'chat' ? [file, instructions] : [file]
}

/** Turns off everything that pi would discover in the user's folders and in the parent folders. */
const nothingFound = [
  '--no-extensions',
  '--no-skills',
  '--no-prompt-templates',
  '--no-themes',
  '--no-context-files',
]

function chatArguments(place: AgentPlace): string[] {
  // `--append-system-prompt` with an empty text replaces what the user has pi append to every system prompt.
  const told = ['--system-prompt', systemPrompt(place), '--append-system-prompt', '']
  return [...nothingFound, '--no-tools', ...told]
}

const fileTools = 'read,edit,write,grep,find,ls'

function workArguments(job: AgentJob, place: AgentPlace): string[] {
  const found = job.inherit ? [] : nothingFound
  const skill = job.skill === undefined ? [] : ['--skill', join(agent.skillsFolder(place), job.skill.name)]
  return [...found, ...skill, ...toolArguments(job)]
}

function toolArguments({ access, hasWorkspace }: AgentJob): string[] {
  if (access === 'full') return []
  return hasWorkspace ? ['--tools', fileTools, '--extension', fence] : ['--no-tools']
}

/** The extension is next to this file, both in source and when built. */
const fence = fileURLToPath(new URL(`./fence${extname(import.meta.url)}`, import.meta.url))

/** The images among the prompt's files. Files and the prompt's non-text parts are in the same order. */
function pictures(job: AgentJob, files: readonly AgentFile[]): readonly AgentFile[] {
  const parts = job.prompt.filter(({ type }) => type !== 'text')
  return files.filter((_, index) => parts[index]?.type === 'image')
}

// ── Output ──────────────────────────────────────────────────────────────────

/** Records to drop: deltas and repetitions of messages that are printed whole in `message_end`. */
const noise = /^\{"type":"(message_start|message_update|tool_execution_\w+|turn_start|turn_end)"/

const reported = z.object({
  message: z.object({
    usage: z.object({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number(),
      cacheWrite: z.number(),
    }),
  }),
})
