import { hash } from 'node:crypto'

/** A stream of random numbers. It depends only on the text of its seed. */
export interface Dice {
  /** A number from 0 to 1, uniform and without 1. */
  next(): number
  chance(probability: number): boolean
  /** An integer from 0 to count - 1. */
  integer(count: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  pick<Item>(items: readonly Item[]): Item | undefined
  shuffle<Item>(items: readonly Item[]): Item[]
}

/** Hashes a text to 32 bits. Every request hashes prompts of many kilobytes, so a native digest is used. */
function hashText(text: string): number {
  return Number.parseInt(hash('sha1', text).slice(0, 8), 16)
}

/** Maps two integers to a uniform number from 0 to 1. Cheap enough for every request of a load test. */
export function uniformOf(seed: number, index: number): number {
  let mixed = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 0x7f4a7c15, 0xc2b2ae35)) >>> 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 4294967296
}

export function diceOf(...seeds: readonly (string | number)[]): Dice {
  const seed = hashText(seeds.join('\u0000'))
  let index = 0
  const next = (): number => uniformOf(seed, index++)
  const integer = (count: number): number => Math.floor(next() * count)
  return {
    next,
    integer,
    chance: probability => next() < probability,
    pick: <Item>(items: readonly Item[]) => items[integer(items.length)] as Item,
    shuffle: items => {
      const shuffled = [...items]
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = integer(last + 1)
        const held = shuffled[last] as (typeof shuffled)[number]
        shuffled[last] = shuffled[other] as (typeof shuffled)[number]
        shuffled[other] = held
      }
      return shuffled
    },
  }
}
