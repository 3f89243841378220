import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import { installMessage } from '../system/optional-package.js'
import { type EngineOptions, EngineProcess } from './local/process.js'
import { findWeights } from './local/weights.js'
import { createCompatible, tuneCompatible } from './wire/compatible.js'
import type {
  Environment,
  Fetch,
  ModelFactoryContext,
  OwnServer,
  ProviderDefinition,
} from './wire/definition.js'

type Config = Parameters<NonNullable<ProviderDefinition['serve']>>[0]

const defaultContextTokens = 8192

interface SharedEngine {
  readonly process: EngineProcess
  /** Parallel sequences: the highest concurrency of the roles that share these weights. */
  slots: number
}

/** Running engines. Roles with the same weights and context size share one process. */
const engines = new Map<string, SharedEngine>()

/**
 * Runs GGUF weights on this machine in a separate process with a Chat Completions endpoint. Replies, failures
 * and usage are handled as for any other endpoint.
 */
export const provider: ProviderDefinition = {
  id: 'local',
  keyVariables: [],
  endpointVariables: [],
  keyNeeded: false,
  structured: ['schema', 'json', 'text'],
  local: true,
  seedByDefault: false,
  price: { input: 0, output: 0, cachedInput: 0 },
  files: () => ({}),
  serve,
  close: async () => {
    const closing = [...engines.values()]
    engines.clear()
    await Promise.all(closing.map(engine => engine.process.close()))
  },
  create: settings => createCompatible('local', settings),
  tune: tuneCompatible,
}

async function serve(config: Config, context: ModelFactoryContext): Promise<OwnServer> {
  requireEngine()
  const name = config.model.slice('local/'.length)
  const { file, fingerprint } = await findWeights(name, context)
  const contextTokens = contextTokensOf(config)
  const threads = positiveVariable(context.env, 'SKILLOPT_LOCAL_THREADS')
  const gpu = context.env.SKILLOPT_LOCAL_GPU === '1'
  const key = JSON.stringify([file, contextTokens, threads, gpu])
  const engine: SharedEngine = engines.get(key) ?? {
    slots: 0,
    process: new EngineProcess((): Omit<EngineOptions, 'token'> => {
      return { file, slots: engine.slots, contextTokens, threads, gpu }
    }),
  }
  engines.set(key, engine)
  engine.slots = Math.max(engine.slots, config.concurrency)
  return {
    endpoint: 'http://local-weights/v1',
    parameters: { weights: fingerprint, contextTokens },
    connect: fetch => connectTo(engine.process, fetch),
  }
}

/** Sends requests to the engine's current address, which changes whenever the process starts. */
function connectTo(process: EngineProcess, fetch: Fetch): Fetch {
  return async (input, init) => {
    const { url, token } = await process.running()
    const path = new URL(String(input)).pathname.replace(/^\/v1/, '')
    const headers = { ...Object.fromEntries(new Headers(init?.headers)), authorization: `Bearer ${token}` }
    return fetch(`${url}${path}`, { ...init, headers })
  }
}

function contextTokensOf({ extraBody, model }: Config): number {
  const given = extraBody?.contextTokens ?? defaultContextTokens
  if (typeof given === 'number' && Number.isInteger(given) && given >= 256) return given
  throw new InputError(`${model}: extraBody.contextTokens must be a whole number ≥ 256.`)
}

function positiveVariable(env: Environment, name: string): number | undefined {
  const text = env[name]?.trim()
  if (text === undefined || text === '') return undefined
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new InputError(`${name} must be a whole number ≥ 1, not "${text}".`)
}

const packageName = 'node-llama-cpp'

/** Throws if the engine's package is missing. The package is loaded only in the engine's process. */
function requireEngine(): void {
  const folders = createRequire(import.meta.url).resolve.paths(packageName) ?? []
  if (folders.some(folder => existsSync(join(folder, packageName, 'package.json')))) return
  throw new InputError(installMessage([packageName], 'local/… models'))
}
