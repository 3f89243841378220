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

/** What differs between a recorded run and now, leaving out what cannot change its results. */
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

/** The settings without those that may change under way: two configs that agree in these are one experiment. */
export function lastingSettings(config: unknown): Record<string, unknown> {
  const whole = written(config)
  // A section that is empty until a cap is set says nothing of the experiment.
  const lasting = leafPaths(whole).filter(path => !mayDiffer(path) && !isSection(valueAt(whole, path)))
  return Object.fromEntries(lasting.map(path => [dotted(path), valueAt(whole, path) ?? null]))
}

function different(path: string, was: unknown, now: unknown): Difference[] {
  // An empty section next to a filled one: what fills it is compared under its own path.
  if (isSection(was) && (now === undefined || isSection(now))) return []
  if (isSection(now) && was === undefined) return []
  return canonicalJson(was ?? null) === canonicalJson(now ?? null) ? [] : [{ path, was, now }]
}

/**
 * The config written out: options that came with a later version have their defaults, and a model that is written
 * short is the same as written long. What no longer fits the schema is compared as it stands.
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
