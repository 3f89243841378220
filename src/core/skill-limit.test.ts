import { expect, it } from 'vitest'
import { lengthNote, lengthObjection } from './skill-limit.js'

const limit = { tokens: 3, count: (text: string) => text.split(' ').length }

it('objects to a text that passes the limit, unless it got shorter', () => {
  expect(lengthObjection('a', 'a b c', limit)).toBeUndefined()
  expect(lengthObjection('a', 'a b c d', limit)).toBe(
    'It would take the skill to about 4 tokens; the limit is 3.',
  )
  expect(lengthObjection('a b c d e', 'a b c d', limit)).toBeUndefined()
  expect(lengthObjection('a b c d', 'a b c d', limit)).toBeUndefined()
  expect(lengthObjection('a', 'a b c d', undefined)).toBeUndefined()
})

it('tells the optimizer where it stands', () => {
  expect(lengthNote('a b', limit)).toMatch(/about 2 tokens.*at most 3/)
  expect(lengthNote('a b', undefined)).toBe('')
})
