import type { Given, Mapping } from './reference-mapping.js'
import { truth } from './variables.js'

const roles = ['target', 'optimizer'] as const
type Role = (typeof roles)[number]

const families = {
  azure: 'azure_openai',
  compatible: 'openai_compatible',
  qwen: 'qwen_chat',
} as const
type Family = (typeof families)[keyof typeof families]

const settings: Readonly<Record<Family, readonly string[]>> = {
  azure_openai: ['endpoint', 'api_version', 'api_key', 'auth_mode', 'ad_scope', 'managed_identity_client_id'],
  openai_compatible: ['base_url', 'api_key', 'model', 'temperature', 'timeout_seconds', 'max_tokens'],
  qwen_chat: [
    'base_url',
    'api_key',
    'temperature',
    'timeout_seconds',
    'max_tokens',
    'enable_thinking',
    'thinking_mode',
  ],
}

/** Every key of the `model` section that is read here. */
export const modelKeys: readonly string[] = [
  ...['backend', 'optimizer', 'target', 'optimizer_backend', 'target_backend', 'reasoning_effort'],
  ...['azure_endpoint', 'azure_api_version', 'azure_api_key'],
  ...Object.entries(settings).flatMap(([family, names]) =>
    names.flatMap(name => [`${family}_${name}`, `optimizer_${family}_${name}`, `target_${family}_${name}`]),
  ),
].map(key => `model.${key}`)

/** Names that the reference's own default file gives to models; with another vendor's backend they mean "not chosen". */
const placeholderModels = ['gpt-5.4', 'gpt-5.5']

const aliases: Readonly<Record<string, string>> = {
  azure: 'openai_chat',
  'azure-openai': 'openai_chat',
  azure_openai: 'openai_chat',
  claude: 'claude_chat',
  anthropic: 'claude_chat',
  qwen: 'qwen_chat',
  minimax: 'minimax_chat',
  copilot: 'copilot_chat',
  codex: 'codex_exec',
  cursor: 'cursor_exec',
}

/** What the high-level `model.backend` means for each role whose own backend is not chosen. */
const optimizerOf: Readonly<Record<string, string>> = {
  claude_chat: 'claude_chat',
  openai_compatible: 'openai_compatible',
  codex_exec: 'codex_exec',
  copilot_chat: 'copilot_chat',
}

/** Maps the `model` section and the vendors' environment variables onto `models.target` and `models.optimizer`. */
export function mapModels(mapping: Mapping): void {
  const overall = mapping.text('model.backend')
  const effort = mapping.text('model.reasoning_effort')
  for (const role of roles) {
    const backend = backendOf(role, overall, mapping)
    mapping.note(backend.theirs, `models.${role}`, backend.name)
    if (backend.name === 'openai_chat') mapAzure(role, effort, mapping)
    else if (backend.name === 'openai_compatible') mapCompatible(role, families.compatible, mapping)
    else if (backend.name === 'qwen_chat') mapCompatible(role, families.qwen, mapping)
    else if (backend.name === 'claude_chat') mapClaude(role, effort, mapping)
    else {
      mapping.problem(
        `${backend.theirs} asks for the backend ${backend.name}, which is not built yet${mapping.place(backend.given)}; use openai_chat, openai_compatible, qwen_chat or claude_chat`,
      )
    }
  }
  for (const key of ['model.backend', 'model.target_backend', 'model.optimizer_backend']) mapping.handled(key)
  mapping.handledQuietly('model.reasoning_effort', 'openai_compatible and qwen_chat do not send it')
  for (const role of roles) {
    mapping.handledQuietly(
      `model.${role}`,
      'with this backend the name of the shipped config stands for "not chosen"',
    )
  }
  for (const key of modelKeys) mapping.handledQuietly(key, 'only read by a backend that is not selected')
}

function backendOf(
  role: Role,
  overall: Given | undefined,
  mapping: Mapping,
): { name: string; theirs: string; given: Given | undefined } {
  const key = `model.${role}_backend`
  const own = mapping.text(key)
  const ownName = own === undefined ? undefined : normalized(own)
  if (
    own !== undefined &&
    ownName !== undefined &&
    (ownName !== 'openai_chat' || own.option || overall === undefined)
  ) {
    return { name: ownName, theirs: key, given: own }
  }
  if (overall === undefined) return { name: 'openai_chat', theirs: key, given: own }
  const name = normalized(overall)
  return {
    name: role === 'target' ? name : (optimizerOf[name] ?? 'openai_chat'),
    theirs: 'model.backend',
    given: overall,
  }
}

function normalized(given: Given): string {
  const name = String(given.value).trim().toLowerCase()
  return aliases[name] ?? name
}

/** A setting of one role: role before shared, and the file before the environment, as in the reference. */
function setting(role: Role, family: Family, name: string, mapping: Mapping): Given | undefined {
  const legacy = family === 'azure_openai' ? mapping.text(`model.azure_${name}`) : undefined
  return (
    mapping.text(`model.${role}_${family}_${name}`) ??
    mapping.text(`model.${family}_${name}`) ??
    legacy ??
    variable(role, family, name, mapping)
  )
}

function variable(role: Role, family: Family, name: string, mapping: Mapping): Given | undefined {
  for (const candidate of variableNames(role, family, name)) {
    const value = mapping.env[candidate]
    if (value !== undefined && value.trim() !== '') {
      return { value: value.trim(), origin: `environment ${candidate}`, option: false, theirs: candidate }
    }
  }
  return undefined
}

function variableNames(role: Role, family: Family, name: string): string[] {
  const [own, shared] = [role, family].map(part => part.toUpperCase())
  const key = name.toUpperCase()
  const swapped = family === 'azure_openai' ? [`${shared}_${own}_${key}`] : []
  return [`${own}_${shared}_${key}`, ...swapped, `${shared}_${key}`]
}

function mapAzure(role: Role, effort: Given | undefined, mapping: Mapping): void {
  const family = families.azure
  const endpoint = setting(role, family, 'endpoint', mapping)
  const mode = settingOver('azure_cli', role, 'auth_mode', mapping)
  const modeName = String(mode?.value ?? 'azure_cli').toLowerCase()
  const compatible = ['openai_compatible', 'compat', 'openai'].includes(modeName)
  const withKey = ['api_key', 'key'].includes(modeName)
  const entra = ['azure_cli', 'managed_identity', 'aad', 'azure_ad'].includes(modeName)
  if (!compatible && !withKey && !entra) {
    mapping.problem(
      `model.azure_openai_auth_mode must be one of api_key, azure_cli, managed_identity, openai_compatible, but is "${modeName}"${mapping.place(mode)}`,
    )
    return
  }
  if (endpoint === undefined) {
    mapping.problem(
      `The ${role} has the backend openai_chat but no endpoint: set model.azure_openai_endpoint or the environment variable AZURE_OPENAI_ENDPOINT`,
    )
    return
  }
  refuseOther(role, 'ad_scope', 'https://cognitiveservices.azure.com/.default', mapping)
  refuseOther(role, 'managed_identity_client_id', '', mapping)
  const openai = compatible && isOpenAi(endpoint)
  nameModel(
    role,
    openai ? 'openai' : compatible ? 'openai-compatible' : 'azure',
    roleModel(role, mapping),
    mapping,
  )
  mapping.set(['models', role, 'endpoint'], endpoint)
  if (!compatible) {
    const version = settingOver('2024-12-01-preview', role, 'api_version', mapping)
    mapping.set(
      ['models', role, 'apiVersion'],
      version ?? mapping.standard('model.azure_openai_api_version', '2024-12-01-preview'),
    )
  }
  if (entra)
    mapping.set(['models', role, 'auth'], {
      ...(mode ?? mapping.standard('model.azure_openai_auth_mode', modeName)),
      value: 'entra',
    })
  else setKey(role, family, mapping)
  setOutputLimit(role, undefined, mapping)
  setEffort(role, effort, mapping)
}

/** The shipped default file spells some settings out; a variable that was set on purpose counts for more than those. */
function settingOver(shipped: string, role: Role, name: string, mapping: Mapping): Given | undefined {
  const written = setting(role, families.azure, name, mapping)
  if (written?.value !== shipped) return written
  return variable(role, families.azure, name, mapping) ?? written
}

function refuseOther(role: Role, name: string, fine: string, mapping: Mapping): void {
  const given = setting(role, families.azure, name, mapping)
  if (given !== undefined && given.value !== fine) {
    mapping.problem(
      `${given.theirs} cannot be honoured${mapping.place(given)}: Entra ID is signed in to the usual way; name the identity in AZURE_CLIENT_ID`,
    )
  }
}

function mapCompatible(role: Role, family: 'openai_compatible' | 'qwen_chat', mapping: Mapping): void {
  const qwen = family === 'qwen_chat'
  const fallbackUrl = qwen ? 'http://localhost:8000/v1' : 'https://api.openai.com/v1'
  const model = compatibleModel(role, family, mapping)
  const endpoint =
    setting(role, family, 'base_url', mapping) ?? mapping.standard(`model.${family}_base_url`, fallbackUrl)
  nameModel(role, isOpenAi(endpoint) ? 'openai' : 'openai-compatible', model, mapping)
  mapping.set(['models', role, 'endpoint'], {
    ...endpoint,
    value: String(endpoint.value).replace(/\/chat\/completions\/?$/, ''),
  })
  setKey(role, family, mapping)
  const temperature =
    setting(role, family, 'temperature', mapping) ??
    (qwen ? mapping.standard('model.qwen_chat_temperature', 0.7) : undefined)
  if (temperature !== undefined) mapping.set(['models', role, 'temperature'], mapping.number(temperature))
  setOutputLimit(
    role,
    setting(role, family, 'max_tokens', mapping) ?? mapping.standard(`model.${family}_max_tokens`, 8000),
    mapping,
  )
  const timeout = setting(role, family, 'timeout_seconds', mapping)
  if (timeout !== undefined) mapping.set(['models', role, 'timeout'], mapping.number(timeout))
  else if (role === 'optimizer')
    mapping.set(['models', role, 'timeout'], mapping.standard(`model.${family}_timeout_seconds`, 300))
  if (qwen) setThinking(role, mapping)
}

function compatibleModel(role: Role, family: Family, mapping: Mapping): Given {
  const chosen = mapping.text(`model.${role}`)
  if (chosen !== undefined && (chosen.option || !placeholderModels.includes(String(chosen.value))))
    return chosen
  const elsewhere = setting(role, family, 'model', mapping)
  if (elsewhere !== undefined) return elsewhere
  if (family === 'qwen_chat') return mapping.standard(`model.${role}`, 'Qwen/Qwen3.5-4B')
  if (chosen !== undefined) return chosen
  mapping.problem(
    `The ${role} has no model: set model.${role} or the environment variable OPENAI_COMPATIBLE_MODEL`,
  )
  return mapping.standard(`model.${role}`, 'missing')
}

function setThinking(role: Role, mapping: Mapping): void {
  const mode = setting(role, families.qwen, 'thinking_mode', mapping)
  const legacy = setting(role, families.qwen, 'enable_thinking', mapping)
  const wanted = mode === undefined ? undefined : thinking(mode.value)
  if (mode !== undefined && wanted === undefined) {
    mapping.problem(
      `${mode.theirs} must be one of server_default, enabled, disabled, but is "${String(mode.value)}"${mapping.place(mode)}`,
    )
    return
  }
  const old = legacy === undefined ? undefined : truth(legacy.value)
  if (legacy !== undefined && wanted !== undefined && old !== (wanted === 'enabled')) {
    mapping.problem(
      `${legacy.theirs} and ${mode?.theirs} contradict each other${mapping.place(legacy)}; remove the first`,
    )
    return
  }
  // The old switch, when off, left the choice to the server; only the newer mode can say no.
  const from = mode ?? legacy
  const value = wanted ?? (old === true ? 'enabled' : 'server_default')
  if (from === undefined || value === 'server_default') return
  mapping.set(['models', role, 'extraBody', 'chat_template_kwargs', 'enable_thinking'], {
    ...from,
    value: value === 'enabled',
  })
}

function thinking(value: unknown): 'server_default' | 'enabled' | 'disabled' | undefined {
  const text = String(value).trim().toLowerCase().replace('-', '_')
  if (['server_default', 'unset', 'auto'].includes(text)) return 'server_default'
  if (text === 'enabled' || text === 'disabled') return text
  const bool = truth(text)
  return bool === undefined ? undefined : bool ? 'enabled' : 'disabled'
}

function mapClaude(role: Role, effort: Given | undefined, mapping: Mapping): void {
  const chosen = mapping.text(`model.${role}`)
  const placeholder =
    chosen === undefined || (!chosen.option && placeholderModels.includes(String(chosen.value)))
  nameModel(
    role,
    'anthropic',
    placeholder ? mapping.standard(`model.${role}`, 'claude-sonnet-4-6') : chosen,
    mapping,
  )
  mapping.warn(
    `The ${role} has the backend claude_chat, for which the reference runs the Claude program; here the Anthropic API is called, with the key in ANTHROPIC_API_KEY.`,
  )
  setOutputLimit(role, undefined, mapping)
  setEffort(role, effort, mapping)
}

/** OpenAI itself wants some fields under other names than the servers that imitate it. */
function isOpenAi(endpoint: Given): boolean {
  return /^https:\/\/api\.openai\.com(\/v1)?\/?$/.test(String(endpoint.value))
}

function roleModel(role: Role, mapping: Mapping): Given {
  return mapping.text(`model.${role}`) ?? mapping.standard(`model.${role}`, 'gpt-5.5')
}

function nameModel(role: Role, provider: string, model: Given, mapping: Mapping): void {
  mapping.set(['models', role, 'model'], { ...model, value: `${provider}/${String(model.value)}` })
}

function setKey(role: Role, family: Family, mapping: Mapping): void {
  const found = variable(role, family, 'api_key', mapping)
  if (found !== undefined) mapping.set(['models', role, 'apiKeyEnv'], { ...found, value: found.theirs })
  // Servers of one's own often take no key; Azure always does, so that its absence is named when the model is made.
  else if (family === 'azure_openai') {
    mapping.set(['models', role, 'apiKeyEnv'], mapping.standard('the key', 'AZURE_OPENAI_API_KEY'))
  }
}

function setEffort(role: Role, effort: Given | undefined, mapping: Mapping): void {
  if (effort !== undefined) mapping.set(['models', role, 'effort'], effort)
}

/** The reference asks for 16,384 tokens at most, less where the backend has a lower limit of its own. */
function setOutputLimit(role: Role, backend: Given | undefined, mapping: Mapping): void {
  const asked =
    (role === 'target' ? mapping.text('env.max_completion_tokens') : undefined) ??
    mapping.standard('max_completion_tokens', 16384)
  const limit = backend === undefined ? undefined : mapping.number(backend)
  const lower =
    limit !== undefined && Number(limit.value) < Number(asked.value) ? limit : mapping.number(asked)
  mapping.set(['models', role, 'maxOutputTokens'], lower)
}
