/** Jaccard similarity of the word sets of two texts, from 0 to 1. Ignores case and punctuation. */
export function jaccard(one: string, other: string): number {
  const [left, right] = [wordSet(one), wordSet(other)]
  const shared = [...left].filter(word => right.has(word)).length
  const all = left.size + right.size - shared
  return all === 0 ? 1 : shared / all
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}
