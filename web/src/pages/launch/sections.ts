import type { LaunchOption } from '../../../../src/dashboard/contract/launch.js'

/** Whether every word occurs in the option's name or documentation. */
export function matches({ path, description }: LaunchOption, search: string): boolean {
  const text = `${path} ${description}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}

/** Sections in schema order; each model has its own, and options without a section come last. */
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
