import { expect, it } from 'vitest'
import { Heap } from './heap.js'

it('pops the greatest first, whatever the insertion order', () => {
  const heap = new Heap<number>(value => value)
  for (let value = 0; value < 100; value += 1) heap.push((value * 37) % 100)
  expect(heap.greatest).toBe(99)
  const taken = Array.from({ length: 100 }, () => heap.pop())
  expect(taken).toEqual(Array.from({ length: 100 }, (_, index) => 99 - index))
  expect(heap.pop()).toBeUndefined()
  expect(heap.greatest).toBeUndefined()
})
