import { distance } from 'fastest-levenshtein'

/** The closest known name, if it is close enough to be a typo. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map(candidate => ({ candidate, far: distance(plain(name), plain(candidate)) }))
    .sort((left, right) => left.far - right.far)
  const [best] = ranked
  return best !== undefined && best.far <= Math.max(1, Math.floor(plain(name).length / 2))
    ? best.candidate
    : undefined
}

/** A name without differences in spelling: case, hyphens and underscores. */
export const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')
