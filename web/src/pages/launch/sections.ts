import type { LaunchOption } from '../../../../src/dashboard/contract/launch.js'

/** Every word has to be somewhere in its name or documentation. */
export function matches({ path, description }: LaunchOption, search: string): boolean {
  const text = `${path} ${description}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}

/** In the order of the schema; each model has a section of its own, and what stands alone goes last. */
export function sectionsOf(
  options: readonly LaunchOption[],
): readonly (readonly [string, readonly LaunchOption[]])[] {
  const sections = new Map<string, LaunchOption[]>()
  for (const option of options) {
    const parts = option.path.split('.')
    const name = parts.length === 1 ? 'project' : parts.slice(0, parts[0] === 'models' ? 2 : 1).join('.')
    sections.set(name, [...(sections.get(name) ?? []), option])
  }
  const isLast = (name: string) => Number(name.startsWith('models.') || name === 'project')
  return [...sections].toSorted(([left], [right]) => isLast(left) - isLast(right))
}
