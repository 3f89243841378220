import { expect, it } from 'vitest'
import { finalPasses } from './sign-flip-test.js'

it.each([
  [0, 6],
  [10, 6],
  [20, 6],
  [30, 4],
  [50, 3],
  [119, 2],
  [120, 1],
  [1000, 1],
])('%i validation tasks are run %i times at most', (tasks, expected) => {
  expect(finalPasses(tasks)).toBe(expected)
})
