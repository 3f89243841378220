/** Helpers for nested settings and the paths of their values. */

export function isSection(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

export const dotted = (path: readonly PropertyKey[]): string => path.map(String).join('.')

export function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data
  for (const key of path) {
    if (Array.isArray(value) && typeof key === 'number') value = value[key]
    else if (isSection(value) && Object.hasOwn(value, String(key))) value = value[String(key)]
    else return undefined
  }
  return value
}

/** Paths of all values that are not sections; a list counts as one value. */
export function leafPaths(value: unknown, prefix: readonly string[] = []): string[][] {
  if (!isSection(value) || Object.keys(value).length === 0) return prefix.length === 0 ? [] : [[...prefix]]
  return Object.entries(value).flatMap(([key, inner]) => leafPaths(inner, [...prefix, key]))
}
