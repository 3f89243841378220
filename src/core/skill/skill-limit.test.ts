import { expect, it } from 'vitest'
import { allLimits, tokenLimit } from './skill-limit.js'

const limit = tokenLimit(3, text => text.split(' ').length)

it('objects to a text that passes the limit, unless it got shorter', () => {
  expect(limit.objection('a', 'a b c')).toBeUndefined()
  expect(limit.objection('a', 'a b c d')).toBe('It would take the skill to about 4 tokens; the limit is 3.')
  expect(limit.objection('a b c d e', 'a b c d')).toBeUndefined()
  expect(limit.objection('a b c d', 'a b c d')).toBeUndefined()
})

it('tells the optimizer where it stands', () => {
  expect(limit.note('a b')).toMatch(/about 2 tokens.*at most 3/)
})

it('holds all of several limits, and says the first that is passed', () => {
  const quiet = {
    note: () => '',
    objection: (_: string, after: string) => (after === 'x' ? 'No x.' : undefined),
  }
  const both = allLimits([quiet, limit])
  expect(both.note('a b')).toBe(limit.note('a b'))
  expect(both.objection('a', 'x')).toBe('No x.')
  expect(both.objection('a', 'a b c d')).toMatch(/limit is 3/)
  expect(both.objection('a', 'b')).toBeUndefined()
})
