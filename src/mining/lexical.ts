import type { Keys, Space } from './space.js'
import { termsOf } from './words.js'

interface SparseVector {
  /** Rising. */
  readonly terms: Int32Array
  readonly weights: Float32Array
}

/** Below 1, so that a word that only one has does not drown what it shares with others. */
const rarityPower = 0.75

/** Texts by their words: rare terms say more than common ones, and the length of a text says nothing. */
export function lexicalSpace(texts: readonly string[]): Space {
  const bags = texts.map(termsOf)
  const numbers = new Map<string, number>()
  const holders: number[] = []
  for (const term of bags.flatMap(bag => [...bag.keys()])) {
    const number = numbers.get(term) ?? numbers.size
    numbers.set(term, number)
    holders[number] = (holders[number] ?? 0) + 1
  }
  const rarity = holders.map(count => Math.log(1 + texts.length / count) ** rarityPower)
  const vectors = bags.map(bag => toVector(bag, numbers, rarity))
  return {
    size: texts.length,
    keysOf: item => heaviestFirst(at(vectors, item)),
    similarity: (left, right) => dot(at(vectors, left), at(vectors, right)),
  }
}

const empty: SparseVector = { terms: new Int32Array(), weights: new Float32Array() }
const at = (vectors: readonly SparseVector[], item: number): SparseVector => vectors[item] ?? empty

function toVector(
  bag: ReadonlyMap<string, number>,
  numbers: ReadonlyMap<string, number>,
  rarity: readonly number[],
): SparseVector {
  const entries = [...bag]
    .map(([term, weight]) => {
      const number = numbers.get(term) ?? 0
      return [number, weight * (rarity[number] ?? 0)] as const
    })
    .sort(([left], [right]) => left - right)
  const length = Math.hypot(...entries.map(([, weight]) => weight))
  return {
    terms: Int32Array.from(entries, ([number]) => number),
    weights: Float32Array.from(entries, ([, weight]) => weight / length),
  }
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
