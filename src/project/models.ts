import { resolve } from 'node:path'
import { agentIds } from '../agents/registry/harnesses.js'
import { resolveModel } from '../core/config/config.js'
import { InputError } from '../core/errors/errors.js'
import type { Model, Role } from '../core/ports/model.js'
import {
  createModel,
  isCustomProvider,
  type ModelContext,
  providerOf,
  type ResolvedModel,
} from '../models/index.js'
import { openAgent } from './agents.js'
import { codeHash } from './code-hash.js'
import type { LoadedProject } from './load.js'
import { isPath, loadModule, providerKind } from './modules.js'

export type MakeModel = (config: ResolvedModel, context: ModelContext) => Promise<Model>

/** Opens the model of a role; undefined if the config names no model for it. */
export async function openModel(
  role: Role,
  loaded: LoadedProject,
  make: MakeModel = createModel,
): Promise<Model | undefined> {
  const reference = loaded.config.models[role]
  if (reference === undefined) return undefined
  const agent = await openAgent(role, loaded)
  if (agent !== undefined) return agent.model
  const config = resolveModel(reference, role)
  if (config.provider === undefined) {
    const from = { config: loaded.baseDir, variables: loaded.cwd }
    return make(config, { env: loaded.env, agents: agentIds(), from })
  }
  const provider = await ownProvider(role, config.provider, loaded.baseDir)
  return make(config, { env: loaded.env, provider })
}

/**
 * Checks that a model's provider exists. This comes first, because a misspelt provider makes all other errors
 * meaningless.
 */
export async function checkProvider(role: Role, { config }: LoadedProject, make?: MakeModel): Promise<void> {
  const reference = config.models[role]
  if (reference === undefined || make !== undefined) return
  const { model, provider } = resolveModel(reference, role)
  if (provider === undefined) await providerOf(model, agentIds())
}

/** Throws if a reasoning effort, for all stages or for one, would not reach the model. */
export async function checkStageEfforts(loaded: LoadedProject, make?: MakeModel): Promise<void> {
  const { models, optimizer } = loaded.config
  const full = resolveModel(models.optimizer, 'optimizer')
  for (const [stage, effort] of Object.entries(optimizer.effort)) {
    if (effort === undefined) continue
    const config = { ...loaded.config, models: { ...models, optimizer: { ...full, effort } } }
    await openModel('optimizer', { ...loaded, config }, make).catch((error: unknown) => {
      if (!(error instanceof InputError)) throw error
      const hint = error.hint === undefined ? {} : { hint: error.hint }
      throw new InputError(`optimizer.effort.${stage}: ${error.message}`, { ...hint, cause: error })
    })
  }
}

/**
 * Lists the variables that are set and affect the calls of a role: those with its key, and others such as
 * addresses.
 */
export async function variablesOf(
  role: Role,
  loaded: LoadedProject,
): Promise<{ readonly keys: readonly string[]; readonly others: readonly string[] }> {
  const reference = loaded.config.models[role]
  if (reference === undefined) return { keys: [], others: [] }
  const isSet = (name: string) => (loaded.env[name] ?? '') !== ''
  const config = resolveModel(reference, role)
  const named = config.apiKeyEnv === undefined ? undefined : [config.apiKeyEnv]
  const agent = await openAgent(role, loaded)
  if (agent !== undefined) {
    const { secrets, variables } = agent.definition
    return { keys: named ?? secrets.filter(isSet), others: variables.filter(isSet) }
  }
  const { keyVariables, endpointVariables } =
    config.provider === undefined
      ? await providerOf(config.model)
      : await ownProvider(role, config.provider, loaded.baseDir)
  const keys = config.auth === 'entra' ? [] : (named ?? keyVariables.filter(isSet).slice(0, 1))
  return { keys, others: endpointVariables.filter(isSet) }
}

async function ownProvider(role: Role, use: string, baseDir: string) {
  const kind = providerKind(role)
  if (!isPath(use)) {
    throw new InputError(`${kind.option} must be the path of a file, but is "${use}".`, {
      hint: `For a built-in provider, its name in \`model\` is enough: ${use}/…`,
    })
  }
  const module = await loadModule(kind, use, baseDir)
  const provider = module.default ?? module.provider
  if (isCustomProvider(provider)) return provider
  throw new InputError(`${kind.option}: the file ${use} does not default-export a provider.`, {
    hint: "Write `export default defineProvider({ id, endpoint, keyVariables })`, with defineProvider from 'skillopt'.",
  })
}

/**
 * Returns the hashes of users' provider files for a run's fingerprint, because code that makes the calls
 * affects results as much as data does.
 */
export async function providerFingerprints(
  roles: readonly Role[],
  { config, baseDir }: LoadedProject,
): Promise<Record<string, string>> {
  const own = roles.flatMap(role => {
    const reference = config.models[role]
    const use = typeof reference === 'string' ? undefined : reference?.provider
    return use === undefined ? [] : [[`provider of the ${role}`, resolve(baseDir, use)] as const]
  })
  const hashed = own.map(async ([name, file]) => [name, await codeHash(file)] as const)
  return Object.fromEntries(await Promise.all(hashed))
}
