import type { Given, Mapping } from './mapping.js'

export const roles = ['target', 'optimizer'] as const
export type Role = (typeof roles)[number]

export const families = {
  azure: 'azure_openai',
  compatible: 'openai_compatible',
  qwen: 'qwen_chat',
  minimax: 'minimax',
} as const
export type Family = (typeof families)[keyof typeof families]

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
  minimax: [
    'base_url',
    'region',
    'api_key',
    'model',
    'temperature',
    'timeout_seconds',
    'max_tokens',
    'enable_thinking',
  ],
}

/** All keys of the `model` section that are mapped. */
export const modelKeys: readonly string[] = [
  'backend',
  'optimizer',
  'target',
  'optimizer_backend',
  'target_backend',
  'reasoning_effort',
  'azure_endpoint',
  'azure_api_version',
  'azure_api_key',
  ...Object.entries(settings).flatMap(([family, names]) =>
    names.flatMap(name => [`${family}_${name}`, `optimizer_${family}_${name}`, `target_${family}_${name}`]),
  ),
].map(key => `model.${key}`)

/** Model names in the reference's default file. With another vendor's backend they mean "not chosen". */
const placeholderModels = ['gpt-5.4', 'gpt-5.5']

/** Whether a model was chosen explicitly. A model from the command line always was. */
export function isChosen(model: Given | undefined): model is Given {
  return model !== undefined && (model.option || !placeholderModels.includes(String(model.value)))
}

export interface SettingName {
  readonly role: Role
  readonly family: Family
  readonly name: string
}

/**
 * A setting of one role. As in the reference, a key of the role overrides a shared key, and the file
 * overrides the environment.
 */
export function setting(mapping: Mapping, { role, family, name }: SettingName): Given | undefined {
  const legacy = family === 'azure_openai' ? mapping.text(`model.azure_${name}`) : undefined
  return (
    mapping.text(`model.${role}_${family}_${name}`) ??
    mapping.text(`model.${family}_${name}`) ??
    legacy ??
    variable(mapping, { role, family, name })
  )
}

export function variable(mapping: Mapping, setting: SettingName): Given | undefined {
  for (const candidate of variableNames(setting)) {
    const value = mapping.env[candidate]
    if (value !== undefined && value.trim() !== '') {
      return { value: value.trim(), origin: `environment ${candidate}`, option: false, theirs: candidate }
    }
  }
  return undefined
}

function variableNames({ role, family, name }: SettingName): string[] {
  const [own, shared] = [role, family].map(part => part.toUpperCase())
  const key = name.toUpperCase()
  const swapped = family === 'azure_openai' ? [`${shared}_${own}_${key}`] : []
  return [`${own}_${shared}_${key}`, ...swapped, `${shared}_${key}`]
}

/** Whether an environment variable holds the API key of one of the reference's backends. */
export function isReferenceKey(name: string): boolean {
  return Object.values(families).some(family =>
    roles.some(role => variableNames({ role, family, name: 'api_key' }).includes(name)),
  )
}

/** Whether an endpoint is OpenAI itself. It uses other names for some fields than compatible servers. */
export function isOpenAi(endpoint: Given): boolean {
  return /^https:\/\/api\.openai\.com(\/v1)?\/?$/.test(String(endpoint.value))
}

export function nameModel(
  mapping: Mapping,
  role: Role,
  { provider, model }: { readonly provider: string; readonly model: Given },
): void {
  mapping.set(['models', role, 'model'], { ...model, value: `${provider}/${String(model.value)}` })
}

export function setKey(role: Role, family: Family, mapping: Mapping): void {
  const found = variable(mapping, { role, family, name: 'api_key' })
  if (found !== undefined) mapping.set(['models', role, 'apiKeyEnv'], { ...found, value: found.theirs })
  // Self-hosted servers often need no key. Azure always does, so its variable is set here; if it is missing,
  // the error names it.
  else if (family === 'azure_openai') {
    mapping.set(['models', role, 'apiKeyEnv'], mapping.standard('the key', 'AZURE_OPENAI_API_KEY'))
  }
}

/** Sets the token limit of replies. The reference requests at most 16,384, some backends fewer. */
export function setOutputLimit(role: Role, backend: Given | undefined, mapping: Mapping): void {
  const asked =
    (role === 'target' ? mapping.text('env.max_completion_tokens') : undefined) ??
    mapping.standard('max_completion_tokens', 16384)
  const limit = backend === undefined ? undefined : mapping.number(backend)
  const lower =
    limit !== undefined && Number(limit.value) < Number(asked.value) ? limit : mapping.number(asked)
  mapping.set(['models', role, 'maxOutputTokens'], lower)
}

/** A target uses `env.exec_timeout` as its timeout unless its backend sets one. */
export function setTimeLimit(role: Role, family: Family, mapping: Mapping): void {
  const timeout = setting(mapping, { role, family, name: 'timeout_seconds' })
  if (timeout !== undefined) mapping.set(['models', role, 'timeout'], mapping.number(timeout))
  else if (role === 'optimizer')
    mapping.set(['models', role, 'timeout'], mapping.standard(`model.${family}_timeout_seconds`, 300))
}
