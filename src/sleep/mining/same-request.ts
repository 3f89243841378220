const sameFrom = 0.8
const isLiteral = /[\d/\\._#]|\p{Ll}\p{Lu}/u

/**
 * True for requests with nearly the same words and the same files, names and numbers. A request about another
 * file is a different request.
 */
export function isSameRequest(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const shared = [...left].filter(word => right.has(word))
  const isAlike = shared.length / (left.size + right.size - shared.length) >= sameFrom
  if (!isAlike) return false
  const differing = [...left, ...right].filter(word => !(left.has(word) && right.has(word)))
  return !differing.some(word => isLiteral.test(word))
}

export function wordSet(text: string): ReadonlySet<string> {
  const words = text.match(/[\p{L}\d_./\\#'’-]*[\p{L}\d]/gu) ?? []
  return new Set(words.map(word => (isLiteral.test(word) ? word : word.toLowerCase())))
}
