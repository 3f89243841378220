import type { ModelConfig } from '../../core/config/config.js'
import { InputError } from '../../core/errors/errors.js'
import type { Environment, ProviderDefinition, Structured } from './definition.js'

/** Splits `provider/model`. The model's name may contain further slashes. */
export function splitModel(model: string): { provider: string; name: string } {
  const slash = model.indexOf('/')
  const provider = model.slice(0, slash)
  const name = model.slice(slash + 1)
  if (slash < 1 || name === '') {
    throw new InputError(`The model "${model}" has no provider.`, {
      hint: 'Write it as provider/model, for example openai/gpt-5-mini or ollama/llama3.2.',
    })
  }
  return { provider, name }
}

/** Refuses options that the provider would not use, rather than ignoring them. */
export function checkOptions(config: ModelConfig, definition: ProviderDefinition, name: string): void {
  const { id, models } = definition
  if (models !== undefined && !models.includes(name)) {
    throw new InputError(`Unknown model: ${id}/${name}.`, {
      hint: `Available: ${models.map(model => `${id}/${model}`).join(', ')}.`,
    })
  }
  if (config.auth === 'entra' && definition.token === undefined) {
    throw new InputError(`${config.model}: \`auth: entra\` is for azure/… only.`, { hint: 'Leave auth out.' })
  }
  if (config.auth === 'entra' && config.apiKeyEnv !== undefined) {
    throw new InputError(`${config.model} has both \`auth: entra\` and \`apiKeyEnv\`.`, {
      hint: 'Keep one of them.',
    })
  }
  if (config.apiVersion !== undefined && definition.takesApiVersion !== true) {
    throw new InputError(`${config.model}: \`apiVersion\` is for azure/… only.`, {
      hint: 'Leave apiVersion out.',
    })
  }
  if (config.apiVersion !== undefined && !/^\d{4}-\d\d-\d\d(-preview)?$/.test(config.apiVersion)) {
    throw new InputError(`${config.model}: the apiVersion "${config.apiVersion}" is not a date.`, {
      hint: 'Write one such as 2024-10-21, or leave apiVersion out: then the v1 API is called.',
    })
  }
}

export function resolveStructured(config: ModelConfig, definition: ProviderDefinition): Structured {
  const [best] = definition.structured
  if (config.structured === 'auto') return best ?? 'text'
  if (!definition.structured.includes(config.structured)) {
    throw new InputError(`${config.model} does not support \`structured: ${config.structured}\`.`, {
      hint: `Use auto, or one of: ${definition.structured.join(', ')}.`,
    })
  }
  return config.structured
}

export function resolveKey(
  config: ModelConfig,
  definition: Pick<ProviderDefinition, 'keyVariables' | 'keyNeeded'>,
  env: Environment,
): { key?: string; variable?: string } {
  if (config.auth === 'entra') return {}
  const variables = config.apiKeyEnv === undefined ? definition.keyVariables : [config.apiKeyEnv]
  for (const variable of variables) {
    const key = readVariable(env, variable)
    if (key === undefined) continue
    if (!/^[\x21-\x7e]+$/.test(key)) {
      throw new InputError(
        `The key in ${variable} contains a character that is not allowed in a key, such as a space or a line break.`,
        {
          hint: `Set ${variable} again.`,
        },
      )
    }
    return { key, variable }
  }
  if (config.apiKeyEnv === undefined && !definition.keyNeeded) return {}
  const usual = variables[0] ?? 'apiKeyEnv'
  throw new InputError(
    `${config.model} needs an API key; ${variables.join(' and ')} ${variables.length > 1 ? 'are' : 'is'} not set.`,
    {
      hint: `Set ${usual} in the environment or in a .env file, or name another variable with apiKeyEnv.`,
    },
  )
}

/** The endpoint set in the config or the environment; undefined if the provider's default applies. */
export function resolveEndpoint(
  config: ModelConfig,
  definition: Pick<ProviderDefinition, 'endpointVariables' | 'normalizeEndpoint'>,
  env: Environment,
): string | undefined {
  const variable = definition.endpointVariables.find(name => readVariable(env, name) !== undefined)
  const fromEnvironment = variable === undefined ? undefined : readVariable(env, variable)
  const given = config.endpoint ?? fromEnvironment
  if (given === undefined) return undefined
  const origin = config.endpoint === undefined ? `${variable}` : `The endpoint of ${config.model}`
  let normal: string
  try {
    normal = definition.normalizeEndpoint?.(given) ?? given
    const { protocol } = new URL(normal)
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new Error(`${protocol} is not a protocol for an endpoint`)
  } catch {
    throw new InputError(`${origin} is not a URL: "${given}".`, {
      hint: 'Write it in full, such as http://127.0.0.1:8000/v1.',
    })
  }
  const url = new URL(normal)
  if (url.username !== '' || url.password !== '') {
    throw new InputError(`${origin} holds a user name or a password.`, {
      hint: 'Put the key into an environment variable and name it with apiKeyEnv.',
    })
  }
  if (url.search !== '' || url.hash !== '') {
    throw new InputError(`${origin} has a query, which may hold a key.`, {
      hint: 'Remove everything from ? or # on, put the key into an environment variable and name it with apiKeyEnv.',
    })
  }
  return normal.replace(/\/+$/, '')
}

export function missingEndpoint(config: ModelConfig, definition: ProviderDefinition): InputError {
  return new InputError(`${config.model} needs an endpoint.`, {
    hint: `Set \`endpoint\` of the model, or ${definition.endpointVariables.join(' or ')}, for example to ${definition.endpointExample ?? 'http://127.0.0.1:8000/v1'}.`,
  })
}

function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}
