import { dotted, isSection, leafPaths, valueAt } from '../../../core/config/paths.js'
import { configNode, nodeAt, type SchemaNode } from '../../../core/config/schema-nodes.js'
import { typed } from '../../../core/config/variables.js'
import { canonicalJson } from '../../../core/text/hash.js'
import type { LoadedProject } from '../../../project/load.js'
import type { LaunchValue } from '../../contract/launch.js'

/** A value in `--set` syntax; undefined if it cannot be written as text, as for a section. */
export function textOf(value: unknown, node: SchemaNode | undefined): string | undefined {
  const candidates = [
    ...(Array.isArray(value) ? [value.join(',')] : []),
    ...(typeof value === 'string' ? [value, JSON.stringify(value)] : []),
    ...(typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : []),
  ]
  return candidates.find(text => canonicalJson(typed(text, node)) === canonicalJson(value))
}

/** All values of a config with their sources. A model appears under its name. */
export function valuesOf({ config, sources }: Pick<LoadedProject, 'config' | 'sources'>) {
  const entries = leafPaths(config).flatMap((path): [string, LaunchValue][] => {
    const value: unknown = valueAt(config, path)
    if (value === undefined || isSection(value)) return []
    const text = textOf(value, nodeAt(configNode, path)) ?? JSON.stringify(value)
    return [[optionPath(path), { value: text, source: sources[dotted(path)] ?? 'default' }]]
  })
  return Object.fromEntries(entries)
}

/** Maps `models.target.model` to `models.target`, the option that sets it. */
export function optionPath(path: readonly string[]): string {
  const isModelName = path.length === 3 && path[0] === 'models' && path[2] === 'model'
  return dotted(isModelName ? path.slice(0, 2) : path)
}
