import { resolve } from 'node:path'
import { z } from 'zod'
import type { Config } from '../core/config/config.js'
import { problemsOf, refuse } from '../core/config/config-problems.js'
import { schemaNode } from '../core/config/schema-nodes.js'
import type { ConfigTree } from '../core/config/tree.js'
import { InputError, messageOf, SkillOptError } from '../core/errors/errors.js'
import type { Environment } from '../core/ports/environment.js'
import type { GateFactory } from '../core/ports/gate.js'
import type { Task } from '../core/task/task.js'
import { withFloors } from '../trainer/gates/floors.js'
import { fewestTasksOfType, withNoRegression } from '../trainer/gates/no-regression.js'
import { codeHash } from './code-hash.js'
import type { LoadedProject } from './load.js'
import { environmentKind, gateKind, isPath, loadModule } from './modules.js'

/** Exports of an environment's module. For a user's file these are in the default export. */
export interface EnvironmentModule {
  readonly options?: z.ZodType
  create(options: unknown, context: { baseDir: string }): Environment | Promise<Environment>
}

export async function loadEnvironment(
  loaded: LoadedProject,
  brought?: EnvironmentModule,
): Promise<Environment> {
  const { config, baseDir } = loaded
  const { use, ...given } = config.environment
  const exported = brought ?? (await namedEnvironment(use, baseDir))
  if (isEnvironment(exported)) {
    checkOptions(undefined, given, loaded)
    return exported
  }
  if (!isDefinition(exported)) {
    throw new InputError(`environment.use: the file ${use} does not default-export an environment.`, {
      hint: "Write `export default defineEnvironment({ id, tasks, prompt, score })`, with defineEnvironment from 'skillopt'.",
    })
  }
  const options = checkOptions(exported.options, given, loaded)
  try {
    const environment = await exported.create(options, { baseDir })
    if (isEnvironment(environment)) return environment
  } catch (error) {
    if (error instanceof SkillOptError) throw error
    throw new InputError(`environment.use: ${use} could not be set up: ${messageOf(error)}`, { cause: error })
  }
  throw new InputError(`environment.use: ${use} does not create an environment.`, {
    hint: 'It needs id, needs, tasks, open and score.',
  })
}

async function namedEnvironment(use: string, baseDir: string): Promise<unknown> {
  const module = await loadModule(environmentKind, use, baseDir)
  return isPath(use) ? module.default : module
}

function checkOptions(
  schema: z.ZodType | undefined,
  given: Record<string, unknown>,
  loaded: LoadedProject,
): unknown {
  const tree: ConfigTree = {
    data: loaded.config as unknown as Record<string, unknown>,
    origins: new Map(Object.entries(loaded.sources)),
  }
  const strict = strictly(schema ?? z.strictObject({}))
  const result = strict.safeParse(given)
  if (result.success) return result.data
  return refuse(
    'The environment',
    problemsOf(result.error.issues, {
      tree,
      schema: schemaNode(strict),
      prefix: ['environment'],
      label: path => loaded.labels?.get(path),
    }),
  )
}

/** Makes unknown options an error, also in users' environments, unless their schema sets a catchall. */
function strictly(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodObject && schema.def.catchall === undefined ? schema.strict() : schema
}

function isDefinition(value: unknown): value is EnvironmentModule {
  return isObject(value) && typeof value.create === 'function'
}

function isEnvironment(value: unknown): value is Environment {
  if (!isObject(value) || typeof value.id !== 'string' || !Array.isArray(value.needs)) return false
  return ['tasks', 'open', 'score'].every(name => typeof value[name] === 'function')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object'
}

/**
 * Loads the gate and adds the configured floors and regression check. Floors are checked first, since they
 * take fewer attempts.
 */
export async function loadGate({
  config,
  baseDir,
}: Pick<LoadedProject, 'config' | 'baseDir'>): Promise<GateFactory> {
  const { gate: use, noRegression, floors } = config.evaluation
  const module = await loadModule(gateKind, use, baseDir)
  const factory = isPath(use) ? (module.default ?? module.createGate) : module.createGate
  if (!isGateFactory(factory)) {
    throw new InputError(
      `evaluation.gate: the file ${use} does not default-export a function that creates a gate.`,
    )
  }
  const floored = Object.keys(floors).length === 0 ? factory : withFloors(factory, floors)
  return noRegression === 'off' ? floored : withNoRegression(floored, noRegression)
}

/** Loads the test that a trained skill has to pass against the seed before it ships. */
export async function loadFinalGate(): Promise<GateFactory> {
  const { createGate } = await import('../trainer/gates/better.js')
  return createGate
}

/** Throws if the regression check could never apply, because it would give no protection. */
export function checkRider({ evaluation }: Config, tasks: readonly Task[]): void {
  if (evaluation.noRegression !== 'type') return
  const counts = new Map<string, number>()
  for (const { type = '' } of tasks) counts.set(type, (counts.get(type) ?? 0) + 1)
  if ([...counts].some(([type, count]) => type !== '' && count >= fewestTasksOfType)) return
  throw new InputError(
    `evaluation.noRegression is type, but no type has at least ${fewestTasksOfType} validation tasks.`,
    { hint: 'Give tasks a `type`, or set evaluation.noRegression to task.' },
  )
}

function isGateFactory(value: unknown): value is GateFactory {
  return typeof value === 'function'
}

/**
 * Returns the hashes of users' files for a run's fingerprint, because code affects results as much as data
 * does.
 */
export async function codeFingerprints({ config, baseDir }: LoadedProject): Promise<Record<string, string>> {
  const files = { environment: config.environment.use, gate: config.evaluation.gate }
  const own = Object.entries(files).filter(([, use]) => isPath(use))
  return Object.fromEntries(
    await Promise.all(own.map(async ([name, use]) => [name, await codeHash(resolve(baseDir, use))] as const)),
  )
}
