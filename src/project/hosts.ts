import { loadAgent } from '../agents/registry/harnesses.js'
import { type ModelConfig, resolveModel } from '../core/config/config.js'
import type { Variables } from '../core/config/variables.js'
import { InputError } from '../core/errors/errors.js'
import type { Role } from '../core/ports/model.js'
import { listProviders, type ProviderDefinition } from '../models/index.js'
import type { LoadedProject } from './load.js'

/** Where the calls of a model go, and with which key. */
interface ModelHosts {
  /** The address in the config or in a variable of the shell; undefined for the provider's own. */
  readonly given: string | undefined
  /** `models.target.endpoint` has none: it is the variable that gave the address. */
  readonly variable: string | undefined
  /** Whether that is the provider's own host after all. */
  readonly isOwnHost: boolean
  readonly ownHost: string | undefined
  /** A provider for servers that users run themselves, which has no host of its own in the network. */
  readonly isOwnServer: boolean
  /** The endpoint is a folder: nothing is sent. */
  readonly isFolder: boolean
  readonly keyVariables: readonly string[]
  readonly keyNeeded: boolean
  /** Name of the variable whose key is sent. */
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
  // A name that no provider has is refused when the model is made; until then it may be anything.
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

/** Hosts that cannot be anybody else's. A provider whose own address depends on variables has none of these. */
function ownHosts({ endpoint, regions = [] }: ProviderDefinition): string[] {
  let own: string | undefined
  try {
    own = endpoint?.({})
  } catch (error) {
    // Amazon Bedrock has no address without a region, which is a variable.
    if (!(error instanceof InputError)) throw error
  }
  return [...(own === undefined ? [] : [own]), ...regions].map(hostIn)
}

/** As it is shown; an address without a protocol is one too, as Ollama's variable has it. */
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

/** A line for each host that gets a key or texts and is not the provider's own; for everybody to see before they agree. */
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
