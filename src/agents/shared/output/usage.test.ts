import { expect, it } from 'vitest'
import { addUsage, knownCost } from './usage.js'

it('adds what is known and keeps unknown what neither says', () => {
  expect(addUsage({ input: 1, cachedInput: 0 }, { input: 2, output: 3, reasoning: undefined })).toEqual({
    input: 3,
    output: 3,
    cachedInput: 0,
  })
  expect(addUsage({}, {})).toEqual({})
})

it('does not let a figure below zero lower the sum', () => {
  const sum = addUsage(addUsage({ input: 100 }, { input: -90 }), { input: 5 })
  expect(sum.input).toBeNaN()
})

it('treats a cost of 0 as unknown', () => {
  expect(knownCost(0)).toEqual({})
  expect(knownCost(0.5)).toEqual({ cost: 0.5 })
})
