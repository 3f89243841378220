import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contentHash } from '../core/text/hash.js'
import { PlaceIndex } from './place-index.js'

const keys = fc.oneof(
  fc.string(),
  fc.integer({ min: 0, max: 40 }).map(n => contentHash(String(n))),
)

it('does what a map that keeps first entries does', () => {
  fc.assert(
    fc.property(fc.array(keys), keys, (added, other) => {
      const index = new PlaceIndex()
      const map = new Map<string, { offset: number; length: number }>()
      for (const [offset, key] of added.entries()) {
        const place = { offset: offset * 5e9, length: offset }
        index.add(key, place)
        if (!map.has(key)) map.set(key, place)
      }
      for (const key of [...added, other]) {
        expect(index.get(key)).toEqual(map.get(key))
        expect(index.has(key)).toBe(map.has(key))
      }
    }),
  )
})

it('grows, and forgets the end of the file', () => {
  const index = new PlaceIndex()
  const key = (n: number) => (n % 2 === 0 ? contentHash(String(n)) : `step ${n}`)
  for (let n = 0; n < 10_000; n++) index.add(key(n), { offset: n, length: 1 })
  index.forgetFrom(6_000)
  for (let n = 0; n < 10_000; n++) expect(index.get(key(n))?.offset).toBe(n < 6_000 ? n : undefined)
  index.add(key(9_999), { offset: 6_000, length: 2 })
  expect(index.get(key(9_999))).toEqual({ offset: 6_000, length: 2 })
})
