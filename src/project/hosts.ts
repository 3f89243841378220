import { loadAgent } from '../agents/registry/harnesses.js'
import { type ModelConfig, resolveModel } from '../core/config/config.js'
import type { Variables } from '../core/config/variables.js'
import { InputError } from '../core/errors/errors.js'
import type { Role } from '../core/ports/model.js'
import { listProviders, type ProviderDefinition } from '../models/index.js'
import type { LoadedProject } from './load.js'

/** Where a model's calls are sent, and with which key. */
interface ModelHosts {
  /** Address from the config or from a shell variable; undefined if the provider's default is used. */
  readonly given: string | undefined
  /** Shell variable that contains the address; undefined if `models.<role>.endpoint` does. */
  readonly variable: string | undefined
  /** True if the given address belongs to the provider. */
  readonly isOwnHost: boolean
  readonly ownHost: string | undefined
  /** True for providers whose servers users host themselves. They have no public host. */
  readonly isOwnServer: boolean
  /** True if the endpoint is a folder, so that nothing is sent over the network. */
  readonly isFolder: boolean
  readonly keyVariables: readonly string[]
  readonly keyNeeded: boolean
  /** Name of the variable with the key that is sent. */
  readonly key: string | undefined
}

const nowhere: ModelHosts = {
  given: undefined,
  variable: undefined,
  isOwnHost: false,
  ownHost: undefined,
  isOwnServer: false,
  isFolder: false,
  keyVariables: [],
  keyNeeded: true,
  key: undefined,
}

export async function hostsOf(model: ModelConfig, env: Variables): Promise<ModelHosts> {
  const isSet = (name: string) => (env[name]?.trim() ?? '') !== ''
  const [id = ''] = model.model.split('/')
  const agent = await loadAgent(id)
  if (agent !== undefined) {
    const { secrets } = agent
    return { ...nowhere, given: model.endpoint, keyVariables: secrets, key: keyOf(model, secrets, isSet) }
  }
  // An unknown provider is an error later, when the model is created.
  const provider = (await listProviders()).find(known => known.id === id)
  if (provider === undefined) return { ...nowhere, given: model.endpoint, key: model.apiKeyEnv }
  const { keyVariables, endpointVariables, keyNeeded } = provider
  const variable = model.endpoint === undefined ? endpointVariables.find(isSet) : undefined
  const given = model.endpoint ?? (variable === undefined ? undefined : env[variable]?.trim())
  const key = model.auth === 'entra' ? 'a token of Entra ID' : keyOf(model, keyVariables, isSet)
  const isFolder = 'open' in provider
  const own = isFolder ? [] : ownHosts(provider)
  return {
    given: isFolder ? undefined : given,
    variable,
    isOwnHost: given !== undefined && own.includes(hostIn(given)),
    ownHost: own[0],
    isOwnServer: !keyNeeded,
    isFolder,
    keyVariables,
    keyNeeded,
    key,
  }
}

function keyOf(
  { apiKeyEnv }: ModelConfig,
  keyVariables: readonly string[],
  isSet: (name: string) => boolean,
): string | undefined {
  return apiKeyEnv ?? keyVariables.find(isSet)
}

/** Returns hosts that certainly belong to the provider; empty if its address depends on variables. */
function ownHosts({ endpoint, regions = [] }: ProviderDefinition): string[] {
  let own: string | undefined
  try {
    own = endpoint?.({})
  } catch (error) {
    // Amazon Bedrock's address needs a region, which comes from a variable.
    if (!(error instanceof InputError)) throw error
  }
  return [...(own === undefined ? [] : [own]), ...regions].map(hostIn)
}

/**
 * Returns the host of an address, for display. An address without a protocol, as in Ollama's variable, is
 * accepted.
 */
export function hostIn(address: string): string {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`
  if (!URL.canParse(whole)) return address
  const { protocol, host } = new URL(whole)
  return protocol === 'https:' ? host : `${protocol}//${host}`
}

export function isLoopback(address: string): boolean {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`
  if (!URL.canParse(whole)) return false
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(whole).hostname)
}

const roles = ['target', 'optimizer', 'judge'] as const satisfies readonly Role[]

/**
 * Returns one line for each host that receives a key or text and does not belong to the provider. The lines
 * are shown before the user agrees.
 */
export async function hostWarnings({
  config,
  env,
}: Pick<LoadedProject, 'config' | 'env'>): Promise<string[]> {
  const lines = new Map<string, Role[]>()
  for (const role of roles) {
    const reference = config.models[role]
    if (reference === undefined) continue
    const { given, isOwnHost, isOwnServer, ownHost, key, variable } = await hostsOf(
      resolveModel(reference, role),
      env,
    )
    if (given === undefined || isOwnHost || (isOwnServer && isLoopback(given))) continue
    const where = variable === undefined ? '' : ` (${variable})`
    const instead = ownHost === undefined || isOwnServer ? '' : `, not to ${ownHost}`
    const line = `${key === undefined ? 'All' : `${key} and all`} texts of ROLES go to ${hostIn(given)}${where}${instead}.`
    lines.set(line, [...(lines.get(line) ?? []), role])
  }
  return [...lines].map(([line, who]) => line.replace('ROLES', who.map(role => `the ${role}`).join(' and ')))
}
