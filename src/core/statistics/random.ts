import { InputError } from '../errors/errors.js'

const stateSize = 624
const shiftSize = 397

/**
 * The Mersenne Twister of CPython's `random.Random(seed)`, draw for draw, so that splits and samples made by
 * the Python implementation can be reproduced.
 */
export class PythonRandom {
  readonly #state = new Uint32Array(stateSize)
  #position = stateSize

  constructor(seed: number | bigint) {
    if (typeof seed === 'number' && !Number.isSafeInteger(seed)) {
      throw new InputError(`A seed must be a whole number; got ${seed}.`)
    }
    this.#seedWithArray(wordsOf(BigInt(seed)))
  }

  /** A random integer of `bits` bits, at most 32. */
  getRandomBits(bits: number): number {
    return this.#nextWord() >>> (32 - bits)
  }

  /** A random integer in 0 .. limit - 1, for limits up to 2^32 - 1. */
  below(limit: number): number {
    const bits = 32 - Math.clz32(limit)
    let drawn = this.getRandomBits(bits)
    while (drawn >= limit) drawn = this.getRandomBits(bits)
    return drawn
  }

  /** Shuffles a copy. */
  shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items]
    for (let index = shuffled.length - 1; index >= 1; index -= 1) {
      swap(shuffled, index, this.below(index + 1))
    }
    return shuffled
  }

  /** `count` distinct items in random order, drawn as `random.sample` does. */
  sample<T>(items: readonly T[], count: number): T[] {
    if (count > items.length) {
      throw new InputError(`Cannot sample ${count} of ${items.length} items.`)
    }
    // CPython draws from a shrinking pool or, if few of many items are wanted, redraws duplicates. The two
    // methods use different random numbers, so the choice between them must match.
    const setSize = 21 + (count > 5 ? 4 ** Math.ceil(Math.log(count * 3) / Math.log(4)) : 0)
    if (items.length <= setSize) {
      const pool = [...items]
      return Array.from({ length: count }, (_, taken) => {
        const last = pool.length - 1 - taken
        const chosen = this.below(last + 1)
        swap(pool, chosen, last)
        return pool[last] as T
      })
    }
    const chosen = new Set<number>()
    while (chosen.size < count) {
      let index = this.below(items.length)
      while (chosen.has(index)) index = this.below(items.length)
      chosen.add(index)
    }
    return [...chosen].map(index => items[index] as T)
  }

  #nextWord(): number {
    if (this.#position >= stateSize) this.#regenerate()
    let word = this.#at(this.#position)
    this.#position += 1
    word ^= word >>> 11
    word ^= (word << 7) & 0x9d2c5680
    word ^= (word << 15) & 0xefc60000
    word ^= word >>> 18
    return word >>> 0
  }

  #regenerate(): void {
    for (let index = 0; index < stateSize; index += 1) {
      const joined = (this.#at(index) & 0x80000000) | (this.#at(index + 1) & 0x7fffffff)
      const twisted = (joined >>> 1) ^ ((joined & 1) === 0 ? 0 : 0x9908b0df)
      this.#state[index] = this.#at(index + shiftSize) ^ twisted
    }
    this.#position = 0
  }

  #seedWithArray(key: readonly number[]): void {
    this.#state[0] = 19650218
    for (let index = 1; index < stateSize; index += 1) {
      this.#state[index] = Math.imul(1812433253, this.#mixed(index - 1)) + index
    }
    let index = 1
    const advance = () => {
      index += 1
      if (index < stateSize) return
      this.#state[0] = this.#at(stateSize - 1)
      index = 1
    }
    for (let round = 0; round < Math.max(stateSize, key.length); round += 1) {
      const position = round % key.length
      const mixed = Math.imul(this.#mixed(index - 1), 1664525)
      this.#state[index] = (this.#at(index) ^ mixed) + (key[position] ?? 0) + position
      advance()
    }
    for (let round = 1; round < stateSize; round += 1) {
      this.#state[index] = (this.#at(index) ^ Math.imul(this.#mixed(index - 1), 1566083941)) - index
      advance()
    }
    this.#state[0] = 0x80000000
  }

  #mixed(index: number): number {
    const word = this.#at(index)
    return word ^ (word >>> 30)
  }

  #at(index: number): number {
    return this.#state[index % stateSize] ?? 0
  }
}

export function seededShuffle<T>(items: readonly T[], seed: number | bigint): T[] {
  return new PythonRandom(seed).shuffle(items)
}

/** A 31-bit seed from any text: cheap, stable across machines, not cryptographic. */
export function hashSeed(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 1
}

export interface SplitCounts {
  readonly train: number
  readonly val: number
  readonly test: number
}

/**
 * Divides `total` by a ratio such as `2:1:7`. Each part gets its integer share, and the rest goes one each to
 * the largest remainders, with ties going to the larger part. The remainders are floating-point numbers on
 * purpose: in near ties their rounding decides, as in the Python implementation.
 */
export function splitCounts(total: number, ratio: string): SplitCounts {
  const parts = parseRatio(ratio)
  const sum = parts.reduce((left, right) => left + right, 0)
  const shares = parts.map((part, index) => {
    const exact = (total * part) / sum
    return { index, part, count: Math.floor(exact), remainder: exact - Math.floor(exact) }
  })
  const left = total - shares.reduce((counted, share) => counted + share.count, 0)
  const order = [...shares].sort(
    (first, second) =>
      second.remainder - first.remainder || second.part - first.part || first.index - second.index,
  )
  const lucky = new Set(order.slice(0, left))
  const [train = 0, val = 0, test = 0] = shares.map(share => share.count + (lucky.has(share) ? 1 : 0))
  return { train, val, test }
}

/** Shuffles with the seed and cuts into train, validation and test, in that order. */
export function ratioSplit<T>(
  items: readonly T[],
  ratio: string,
  seed: number | bigint,
): { readonly train: T[]; readonly val: T[]; readonly test: T[] } {
  const counts = splitCounts(items.length, ratio)
  const shuffled = seededShuffle(items, seed)
  return {
    train: shuffled.slice(0, counts.train),
    val: shuffled.slice(counts.train, counts.train + counts.val),
    test: shuffled.slice(counts.train + counts.val),
  }
}

function parseRatio(ratio: string): readonly number[] {
  const parts = ratio.split(':').map(part => part.trim())
  const numbers = parts.map(Number)
  const usable =
    parts.length === 3 && parts.every(part => /^\d+(\.\d+)?$/.test(part)) && numbers.some(part => part > 0)
  if (!usable) {
    throw new InputError(`"${ratio}" is not a split ratio.`, {
      hint: 'Write three numbers for train, validation and test, such as "2:1:7".',
    })
  }
  return numbers
}

/** The 32-bit words of a number, lowest first, as CPython seeds the generator; the sign is dropped. */
function wordsOf(seed: bigint): number[] {
  const words: number[] = []
  for (let rest = seed < 0n ? -seed : seed; rest > 0n; rest >>= 32n) words.push(Number(rest & 0xffffffffn))
  return words.length === 0 ? [0] : words
}

function swap<T>(items: T[], left: number, right: number): void {
  const kept = items[left] as T
  items[left] = items[right] as T
  items[right] = kept
}
