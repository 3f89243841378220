import { contentHash } from '../core/text/hash.js'
import type { LinePlace } from './read-lines.js'

const firstSlots = 1024
const wordsPerKey = 4
const isHash = /^[0-9a-f]{32}$/

/**
 * Maps keys to positions in a file with about 50 bytes per entry: a run has hundreds of thousands of entries,
 * and a Map of strings takes four times as much. Keys are stored as 128 bits, which most of them have; others
 * are hashed. The first entry of a key wins.
 */
export class PlaceIndex {
  #count = 0
  #keys = new Uint32Array(firstSlots * wordsPerKey)
  #offsets = new Float64Array(firstSlots)
  #lengths = new Uint32Array(firstSlots)
  /** Hash table with open addressing. 0 is an empty bucket; other values are the slot number plus one. */
  #buckets = new Uint32Array(firstSlots * 2)
  /** Reused by each lookup to avoid allocation. */
  readonly #wanted = new Uint32Array(wordsPerKey)

  has(key: string): boolean {
    return this.#slotOf(key) !== undefined
  }

  get(key: string): LinePlace | undefined {
    const slot = this.#slotOf(key)
    if (slot === undefined) return undefined
    return { offset: this.#offsets[slot] ?? 0, length: this.#lengths[slot] ?? 0 }
  }

  add(key: string, { offset, length }: LinePlace): void {
    if (this.#slotOf(key) !== undefined) return
    if (this.#count === this.#offsets.length) this.#grow()
    const slot = this.#count
    this.#keys.set(this.#wanted, slot * wordsPerKey)
    this.#offsets[slot] = offset
    this.#lengths[slot] = length
    this.#count += 1
    this.#fillBucket(slot)
  }

  /** Removes all entries from `offset` on. Entries are added in file order, so these are the last ones. */
  forgetFrom(offset: number): void {
    while (this.#count > 0 && (this.#offsets[this.#count - 1] ?? 0) >= offset) this.#count -= 1
    this.#fillBuckets()
  }

  #slotOf(key: string): number | undefined {
    const wanted = this.#wanted
    // Prefixed, because the plain hash of the key could equal the ref of a blob or the key of an effect.
    const hex = isHash.test(key) ? key : contentHash(`key ${key}`)
    for (let word = 0; word < wordsPerKey; word++) {
      wanted[word] = Number.parseInt(hex.slice(word * 8, word * 8 + 8), 16)
    }
    const mask = this.#buckets.length - 1
    for (let bucket = (wanted[0] ?? 0) & mask; ; bucket = (bucket + 1) & mask) {
      const slot = (this.#buckets[bucket] ?? 0) - 1
      if (slot === -1) return undefined
      if (this.#holds(slot)) return slot
    }
  }

  #holds(slot: number): boolean {
    for (let word = 0; word < wordsPerKey; word++) {
      if (this.#keys[slot * wordsPerKey + word] !== this.#wanted[word]) return false
    }
    return true
  }

  #fillBucket(slot: number): void {
    const mask = this.#buckets.length - 1
    let bucket = (this.#keys[slot * wordsPerKey] ?? 0) & mask
    while (this.#buckets[bucket] !== 0) bucket = (bucket + 1) & mask
    this.#buckets[bucket] = slot + 1
  }

  #fillBuckets(): void {
    this.#buckets.fill(0)
    for (let slot = 0; slot < this.#count; slot++) this.#fillBucket(slot)
  }

  #grow(): void {
    const slots = this.#offsets.length * 2
    const [keys, offsets, lengths] = [this.#keys, this.#offsets, this.#lengths]
    this.#keys = new Uint32Array(slots * wordsPerKey)
    this.#offsets = new Float64Array(slots)
    this.#lengths = new Uint32Array(slots)
    this.#buckets = new Uint32Array(slots * 2)
    this.#keys.set(keys)
    this.#offsets.set(offsets)
    this.#lengths.set(lengths)
    this.#fillBuckets()
  }
}
