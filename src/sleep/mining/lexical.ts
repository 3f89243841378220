import type { Keys, Space } from './space.js'
import { termsOf } from './words.js'

interface SparseVector {
  /** Term numbers in ascending order. */
  readonly terms: Int32Array
  readonly weights: Float32Array
}

/**
 * The exponent is below 1, so that a word that only one text uses does not outweigh the words it shares with
 * others.
 */
const rarityPower = 0.75

/** Compares texts by their words: rare terms weigh more than common ones, and text length has no effect. */
export function lexicalSpace(texts: readonly string[]): Space {
  const numbers = new Map<string, number>()
  const holders: number[] = []
  const numberOf = (term: string) => {
    const number = numbers.get(term) ?? numbers.size
    numbers.set(term, number)
    holders[number] = (holders[number] ?? 0) + 1
    return number
  }
  // Terms become numbers at once, because storing the words of tens of thousands of texts takes several times
  // the memory.
  const vectors = texts.map(text => toVector(termsOf(text), numberOf))
  const rarity = holders.map(count => Math.log(1 + texts.length / count) ** rarityPower)
  for (const vector of vectors) weigh(vector, rarity)
  return {
    size: texts.length,
    keysOf: item => heaviestFirst(at(vectors, item)),
    similarity: (left, right) => dot(at(vectors, left), at(vectors, right)),
  }
}

const empty: SparseVector = { terms: new Int32Array(), weights: new Float32Array() }
const at = (vectors: readonly SparseVector[], item: number): SparseVector => vectors[item] ?? empty

function toVector(bag: ReadonlyMap<string, number>, numberOf: (term: string) => number): SparseVector {
  const entries = [...bag]
    .map(([term, weight]) => [numberOf(term), weight] as const)
    .sort(([left], [right]) => left - right)
  return {
    terms: Int32Array.from(entries, ([number]) => number),
    weights: Float32Array.from(entries, ([, weight]) => weight),
  }
}

/** Weights a vector's terms by their rarity and normalises the vector to unit length, in place. */
function weigh({ terms, weights }: SparseVector, rarity: readonly number[]): void {
  for (const [index, term] of terms.entries()) weights[index] = (weights[index] ?? 0) * (rarity[term] ?? 0)
  const length = Math.hypot(...weights)
  for (const [index, weight] of weights.entries()) weights[index] = weight / length
}

function heaviestFirst({ terms, weights }: SparseVector): Keys {
  const order = Array.from(terms.keys()).sort(
    (left, right) => (weights[right] ?? 0) - (weights[left] ?? 0) || left - right,
  )
  return {
    keys: Int32Array.from(order, index => terms[index] ?? 0),
    weights: Float32Array.from(order, index => weights[index] ?? 0),
  }
}

function dot(left: SparseVector, right: SparseVector): number {
  let sum = 0
  let l = 0
  let r = 0
  while (l < left.terms.length && r < right.terms.length) {
    const difference = (left.terms[l] ?? 0) - (right.terms[r] ?? 0)
    if (difference === 0) sum += (left.weights[l] ?? 0) * (right.weights[r] ?? 0)
    if (difference <= 0) l += 1
    if (difference >= 0) r += 1
  }
  return sum
}
