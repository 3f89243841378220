import { agentIds, loadAgent } from '../agents/registry/harnesses.js'
import { type AgentSettings, checkSettings } from '../agents/shared/harness/attempt.js'
import type { AgentDefinition } from '../agents/shared/harness/definition.js'
import { createAgentHarness } from '../agents/shared/harness/harness.js'
import { createAgentModel } from '../agents/shared/harness/model.js'
import { defaultLimits, locateProgram } from '../agents/shared/harness/process.js'
import { readVersion } from '../agents/shared/harness/version.js'
import { type ModelConfig, modelSchema, resolveModel } from '../core/config/config.js'
import { InputError } from '../core/errors/errors.js'
import type { Capability } from '../core/ports/environment.js'
import type { Harness } from '../core/ports/harness.js'
import type { AgentTraits, Model, Role } from '../core/ports/model.js'
import { isHandoff } from '../core/transcript/handoff-marks.js'
import { priceOf } from '../models/index.js'
import type { LoadedProject } from './load.js'

/**
 * Defaults for agents. Their calls take minutes rather than seconds and use local memory, so they get a
 * longer timeout and lower concurrency.
 */
const usual = { timeout: 900, concurrency: 4 }
/**
 * Defaults for handoff models. Their prompts wait for answers from outside and use no local resources, so
 * high concurrency means fewer rounds.
 */
const usualOfHandoff = { concurrency: 1000 }
/**
 * Defaults for local models. Each concurrent call takes memory for its context, and all calls share the
 * processor.
 */
const usualOfLocal = { timeout: 900, concurrency: 2 }

/**
 * Tokens of an agent's own instructions and tools when the prompt is otherwise empty, measured on the
 * supported agents.
 */
const tokensOfQuestion = 60_000
/** Upper bound for the call that is running when the limit is reached: a full context and a long answer. */
const tokensOfLastCall = 200_000

export interface OpenedAgent {
  readonly definition: AgentDefinition
  readonly settings: AgentSettings
  readonly model: Model
  readonly harness: Harness
}

/** Splits a reference `agent/model`; undefined if no agent has that id. */
async function namedAgent(reference: string | ModelConfig, role: Role) {
  const { model } = resolveModel(reference, role)
  const [id = '', ...rest] = model.split('/')
  const definition = await loadAgent(id)
  if (definition === undefined) return undefined
  const name = rest.join('/')
  if (name === '') {
    throw new InputError(`models.${role} names the agent ${definition.title}, but no model for it.`, {
      hint: `Add the model after a slash: ${id}/MODEL, or ${id}/default to let ${definition.title} choose.`,
    })
  }
  return { definition, name: name === 'default' ? undefined : name }
}

/**
 * Fills in the call defaults for agents, handoff models and local models, which differ from those for other
 * models.
 */
export async function withAgentDefaults(loaded: LoadedProject): Promise<LoadedProject> {
  const { config, sources } = loaded
  const models: LoadedProject['config']['models'] = { ...config.models }
  for (const role of ['target', 'optimizer', 'judge'] as const) {
    const reference = models[role]
    const usually = reference === undefined ? undefined : await usualOf(reference, role)
    if (reference === undefined || usually === undefined) continue
    const isGiven = (option: string) => (sources[`models.${role}.${option}`] ?? 'default') !== 'default'
    models[role] = {
      ...(typeof reference === 'string' ? modelSchema.parse({ model: reference }) : reference),
      ...Object.fromEntries(Object.entries(usually).filter(([option]) => !isGiven(option))),
    }
  }
  return { ...loaded, config: { ...config, models } }
}

async function usualOf(
  reference: string | ModelConfig,
  role: Role,
): Promise<Partial<typeof usual> | undefined> {
  const { model } = resolveModel(reference, role)
  if (isHandoff(model)) return usualOfHandoff
  if (model.startsWith('local/')) return usualOfLocal
  return (await namedAgent(reference, role)) === undefined ? undefined : usual
}

/** Opens and checks the agent of a role; undefined if the role's model is not an agent. */
export async function openAgent(role: Role, loaded: LoadedProject): Promise<OpenedAgent | undefined> {
  const reference = loaded.config.models[role]
  const named = reference === undefined ? undefined : await namedAgent(reference, role)
  if (reference === undefined || named === undefined) return undefined
  const { definition, name } = named
  const config = resolveModel(reference, role)
  const { access, inherit, tokensPerAttempt } = loaded.config.harness
  await checkRole(role, definition)
  checkOptions(role, reference, definition)
  const program = await locateProgram(definition, loaded.env)
  const { version, warnings } = await checkedVersion(definition, program, loaded.env)
  const { endpoint, effort, timeout } = config
  const isTarget = role === 'target'
  const settings: AgentSettings = {
    program,
    model: name,
    effort,
    endpoint,
    key: keyOf(role, config, loaded.env),
    env: loaded.env,
    // Only the target works on tasks, so only the target gets wider access.
    access: isTarget ? access : 'workspace',
    inherit: isTarget && inherit,
    limits: { ...defaultLimits, seconds: timeout, tokens: tokensPerAttempt },
  }
  checkSettings(definition, settings, isTarget ? 'work' : 'chat')
  const agent: AgentTraits = {
    title: definition.title,
    version,
    ownTokens: isTarget ? tokensPerAttempt + tokensOfLastCall : tokensOfQuestion,
    isBounded: !isTarget || definition.tokensIn !== undefined,
    warnings: [...warnings, ...(isTarget && access === 'full' ? [fullAccess(definition)] : [])],
  }
  const sold = definition.soldBy === undefined ? undefined : priceOf(`${definition.soldBy}/${name ?? ''}`)
  const model = createAgentModel(definition, settings, {
    id: config.model,
    maxOutputTokens: config.maxOutputTokens,
    price: config.price ?? sold,
    agent,
  })
  return { definition, settings, model, harness: createAgentHarness(definition, settings) }
}

/** Returns the agents with all the given capabilities. The error about a target that lacks one names them. */
export async function agentsThatOffer(needs: readonly Capability[]): Promise<readonly string[]> {
  const able = await agentsWhere(({ supports }) => needs.every(need => supports.includes(need)))
  return able.map(id => `${id}/…`)
}

async function agentsWhere(isMeant: (agent: AgentDefinition) => boolean): Promise<readonly string[]> {
  const all = await Promise.all(agentIds().map(loadAgent))
  return all.flatMap(agent => (agent !== undefined && isMeant(agent) ? [agent.id] : []))
}

function fullAccess({ title, grants }: AgentDefinition): string {
  return `harness.access is full: ${title} acts without asking. ${grants.full}`
}

async function checkRole(role: Role, { title, chats }: AgentDefinition): Promise<void> {
  if (role === 'target' || chats) return
  const able = await agentsWhere(agent => agent.chats)
  throw new InputError(`${title} cannot be the ${role}: its tools cannot be turned off.`, {
    hint: `Use ${able.join(', ')}, or a provider's model.`,
  })
}

/** Model options that agents do not support. */
const noPlaceFor = [
  'provider',
  'apiVersion',
  'temperature',
  'extraBody',
  'seed',
  'maxOutputTokens',
] as const satisfies readonly (keyof ModelConfig)[]

/** Throws for options that would not reach the agent, because no part of a config is silently ignored. */
function checkOptions(
  role: Role,
  reference: string | ModelConfig,
  { title, efforts }: AgentDefinition,
): void {
  if (typeof reference === 'string') return
  const { auth, structured, stream, effort } = reference
  const given = [
    ...noPlaceFor.filter(option => reference[option] !== undefined),
    ...(auth === 'key' ? [] : ['auth']),
    ...(structured === 'auto' ? [] : ['structured']),
    ...(stream ? ['stream'] : []),
  ]
  const [first] = given
  if (first !== undefined) {
    throw new InputError(`models.${role}.${first} has no effect: ${title} calls its model itself.`, {
      hint: 'Remove it. Agents support model, endpoint, apiKeyEnv, effort, price, timeout, concurrency, retries, requestsPerMinute and tokensPerMinute.',
    })
  }
  if (effort === undefined || efforts.includes(effort)) return
  throw new InputError(`models.${role}.effort is ${effort}, which ${title} does not support.`, {
    hint: efforts.length === 0 ? 'It supports none: remove it.' : `Supported: ${efforts.join(', ')}.`,
  })
}

function keyOf(
  role: Role,
  { apiKeyEnv }: Pick<ModelConfig, 'apiKeyEnv'>,
  env: LoadedProject['env'],
): string | undefined {
  if (apiKeyEnv === undefined) return undefined
  const key = env[apiKeyEnv]
  if (key !== undefined && key !== '') return key
  throw new InputError(`The ${role}'s API key is missing: ${apiKeyEnv} is not set.`, {
    hint: `Set it, or remove models.${role}.apiKeyEnv.`,
  })
}

const versions = new Map<string, ReturnType<typeof readVersion>>()

/**
 * Checks the version of an agent's program. The result is cached per program, because a check takes up to a
 * second and several commands need the same one.
 */
async function checkedVersion(
  definition: AgentDefinition,
  program: string,
  env: LoadedProject['env'],
): Promise<{ readonly version: string | undefined; readonly warnings: readonly string[] }> {
  const asked =
    versions.get(program) ?? readVersion(definition, program, { env, signal: new AbortController().signal })
  versions.set(program, asked)
  const { version, standing } = await asked
  const { title, install } = definition
  const { from, below } = definition.version.tested
  if (standing === 'older') {
    throw new InputError(`${title} ${version ?? ''} is too old: ${from} is the first tested version.`, {
      hint: `Update it: ${install}`,
    })
  }
  const doubt =
    version === undefined ? `The version of ${title} is unknown` : `${title} ${version} has not been tested`
  const warnings = standing === 'tested' ? [] : [`${doubt}; tested versions: ${from} to below ${below}.`]
  return { version, warnings }
}
