import { expect, it } from 'vitest'
import { configSchema } from './config.js'
import { epochsOf } from './epochs.js'

const withTrain = (train: object) =>
  configSchema.parse({ environment: {}, models: { target: 'a/b', optimizer: 'a/c' }, train })

it.each([
  [0, 20],
  [1, 20],
  [20, 20],
  [21, 20],
  [30, 14],
  [100, 4],
  [134, 3],
  [5000, 3],
])('%i tasks are gone through %i times by trials', (tasks, expected) => {
  expect(epochsOf(withTrain({}), tasks)).toBe(expected)
})

it.each([1, 30, 5000])('%i tasks are gone through three times by steps', tasks => {
  expect(epochsOf(withTrain({ loop: 'steps' }), tasks)).toBe(3)
})

it.each(['trials', 'steps'])('what the config says stands, by %s', loop => {
  expect(epochsOf(withTrain({ loop, epochs: 7 }), 10)).toBe(7)
})
