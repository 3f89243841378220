import { clean } from '../text/format.js'

export { comparisonSentences } from './skill-comparison-sentences.js'

/** Comparison results in words, shared by the terminal and the reports. */

/**
 * Removes the folders and file names that all names share, so that `runs/my-skill-001/best_skill.md` becomes
 * `my-skill-001`.
 */
export function shortNames(names: readonly string[]): string[] {
  const parts = names.map(name => clean(name).split(/[\\/]/))
  const shortest = Math.min(...parts.map(({ length }) => length))
  const isShared = (at: number) => new Set(parts.map(part => part.at(at))).size === 1
  let before = 0
  while (before < shortest - 1 && isShared(before)) before += 1
  let after = 0
  while (after < shortest - before - 1 && isShared(-after - 1)) after += 1
  const short = parts.map(part => part.slice(before, part.length - after).join('/'))
  return new Set(short).size === names.length ? short : names.map(clean)
}
