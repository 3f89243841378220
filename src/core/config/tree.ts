import { dotted, isSection, leafPaths } from './paths.js'

export { dotted, isSection, leafPaths, valueAt } from './paths.js'

/** A config under construction, with the origin of each value. */
export interface ConfigTree {
  readonly data: Record<string, unknown>
  /** Origin by dotted path: `file skillopt.yaml:12`, `environment SKILLOPT_…` or `flag --…`. */
  readonly origins: Map<string, string>
}

/**
 * Sets a value, replacing any earlier one. A model may be written `provider/model` or as a section, which
 * needs care in two cases. An option set on the short form expands it to the long form. A new model name
 * keeps the section's other options only if the provider stays the same, since the endpoint of another
 * provider would be wrong.
 */
export function assign(
  tree: ConfigTree,
  path: readonly string[],
  { value, origin }: { readonly value: unknown; readonly origin: string },
): void {
  let section = tree.data
  path.slice(0, -1).forEach((key, depth) => {
    const inner = section[key]
    if (isSection(inner)) {
      section = inner
      return
    }
    const opened: Record<string, unknown> = typeof inner === 'string' ? { model: inner } : {}
    const at = dotted(path.slice(0, depth + 1))
    const from = tree.origins.get(at)
    if (from !== undefined && 'model' in opened) tree.origins.set(`${at}.model`, from)
    tree.origins.delete(at)
    section[key] = opened
    section = opened
  })
  const key = path.at(-1)
  if (key === undefined) return
  const old = section[key]
  const here = dotted(path)
  if (isSection(old) && typeof value === 'string' && typeof old.model === 'string') {
    if (providerOf(old.model) === providerOf(value)) {
      old.model = value
      tree.origins.set(`${here}.model`, origin)
      return
    }
  }
  for (const known of tree.origins.keys()) {
    if (known === here || known.startsWith(`${here}.`)) tree.origins.delete(known)
  }
  section[key] = value
  for (const leaf of leafPaths(value, path)) tree.origins.set(dotted(leaf), origin)
}

const providerOf = (model: string): string => model.split('/')[0] ?? model

/** Origin of a value or, if the value is missing, of the section around it. */
export function originOf(tree: ConfigTree, path: readonly PropertyKey[]): string | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const prefix = dotted(path.slice(0, length))
    const own = tree.origins.get(prefix)
    if (own !== undefined) return own
    for (const [known, origin] of tree.origins) if (known.startsWith(`${prefix}.`)) return origin
  }
  return undefined
}
