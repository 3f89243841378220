import { canonicalJson } from '../text/hash.js'
import { type Config, configSchema, resolveModel } from './config.js'
import { configNode, nodeAt } from './schema-nodes.js'
import { dotted, isSection, leafPaths, valueAt } from './tree.js'

export interface Recorded {
  readonly config: unknown
  readonly fingerprints: Readonly<Record<string, string>>
}

export interface Difference {
  readonly path: string
  readonly was: unknown
  readonly now: unknown
}

/** Differences between a recorded run and the current setup, except those that cannot change results. */
export function differences(recorded: Recorded, now: Recorded): Difference[] {
  const [before, after] = [written(recorded.config), written(now.config)]
  const paths = new Map([...leafPaths(before), ...leafPaths(after)].map(path => [dotted(path), path]))
  const inConfig = [...paths].flatMap(([path, keys]) =>
    mayDiffer(keys) ? [] : different(path, valueAt(before, keys), valueAt(after, keys)),
  )
  const names = new Set([...Object.keys(recorded.fingerprints), ...Object.keys(now.fingerprints)])
  const inContent = [...names].flatMap(name =>
    different(`content of ${name}`, recorded.fingerprints[name], now.fingerprints[name]),
  )
  return [...inConfig, ...inContent].sort((left, right) => left.path.localeCompare(right.path))
}

/** The settings that may not change during a run. Two configs that agree in these are the same experiment. */
export function lastingSettings(config: unknown): Record<string, unknown> {
  const whole = written(config)
  // Leaves out empty sections: a section that is empty until a cap is set does not define the experiment.
  const lasting = leafPaths(whole).filter(path => !mayDiffer(path) && !isSection(valueAt(whole, path)))
  return Object.fromEntries(lasting.map(path => [dotted(path), valueAt(whole, path) ?? null]))
}

function different(path: string, was: unknown, now: unknown): Difference[] {
  // If one side is an empty section, its options are compared under their own paths.
  if (isSection(was) && (now === undefined || isSection(now))) return []
  if (isSection(now) && was === undefined) return []
  return canonicalJson(was ?? null) === canonicalJson(now ?? null) ? [] : [{ path, was, now }]
}

/**
 * Normalises a config: fills in defaults of newer options and expands short model references. A config that
 * no longer fits the schema is compared as it is.
 */
function written(config: unknown): unknown {
  const parsed = configSchema.safeParse(config)
  if (!parsed.success) return config
  const { target, optimizer, judge } = parsed.data.models
  const models: Record<keyof Config['models'], unknown> = {
    target: resolveModel(target, 'target'),
    optimizer: resolveModel(optimizer, 'optimizer'),
    judge: judge === undefined ? undefined : resolveModel(judge, 'judge'),
  }
  return { ...parsed.data, models }
}

function mayDiffer(path: readonly string[]): boolean {
  if (path[0] === '$schema') return true
  return path.some((_key, depth) => nodeAt(configNode, path.slice(0, depth + 1))?.mayChange === true)
}
