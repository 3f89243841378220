import type { SkillVersion, SkillVersions } from '../../../../src/dashboard/contract/skill.js'

/** Finds a version by id, by hash, or by the alias `seed`, `best` or `last`. */
export function findVersion({ versions, best }: SkillVersions, name: string): SkillVersion | undefined {
  const kept = versions.filter(({ kind }) => kind !== 'candidate')
  const id = { seed: kept[0]?.id, last: kept.at(-1)?.id, best }[name] ?? name
  return versions.find(version => version.id === id) ?? versions.find(({ skill }) => skill === name)
}

/**
 * Id of the version to compare with by default: the base of a candidate, the next version for the seed, the
 * seed for all others.
 */
export function comparedWith(versions: readonly SkillVersion[], to: SkillVersion): string {
  const others = versions.filter(({ id, hasText }) => id !== to.id && hasText)
  const earlier = versions
    .slice(0, versions.indexOf(to))
    .filter(({ kind, hasText }) => kind !== 'candidate' && hasText)
  const base = to.kind === 'candidate' ? earlier.at(-1) : others[0]
  return base?.id ?? others[0]?.id ?? to.id
}
