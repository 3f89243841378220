import { describe, expect, it } from 'vitest'
import { InputError } from '../errors/errors.js'
import { checkPatterns } from './own-patterns.js'

const check = (pattern: string, name = 'customer') => checkPatterns([{ name, pattern }])

describe('patterns of one’s own', () => {
  it.each([
    'ACME-\\d{4}',
    'corp_\\w+',
    '(?:dev|prod)-[a-z]{2,20}-\\d{1,6}',
    '[A-Z]{2,10}-\\d{4,12}-[a-z]{1,20}',
    '(?:[A-Z]{4}-){3}[A-Z]{4}',
    '(?<=emp=)\\d+',
    '\\bJane Doe\\b',
    'a\\+b\\(c\\)[)+*]?x',
    '\\u0041+',
  ])('%s is taken', pattern => {
    expect(check(pattern)).toEqual([{ kind: 'customer', expression: new RegExp(pattern, 'g') }])
  })

  it.each([
    ['a repetition in a repetition', '(a+)+b', 'a+'],
    ['two open ones', '\\w*\\w*x', '\\w*'],
    ['an open one before the end', '\\d+x', '\\d+'],
    ['alternatives that repeat', '(?:a|ab)+', '(?:a|ab)+'],
    ['many bounded ones', 'a{0,99}a{0,99}a{0,99}b', 'a{0,99}a{0,99}a{0,99}b'],
    ['bounded ones in each other', '(?:a{1,9}){1,9}b', '(?:a{1,9}){1,9}b'],
    ['a reference back', '(a)\\1', '\\1'],
    ['a reference back by name', '(?<x>a)\\k<x>', '\\k'],
    ['an enormous count', 'a{200000}', 'a{200000}'],
    ['a look ahead', '(?=.*x)a', '.*'],
  ])('%s is refused, for it can take for ever', (_what, pattern, part) => {
    expect(() => check(pattern)).toThrow(InputError)
    expect(() => check(pattern)).toThrow(`could take for ever on some texts, because of ${part}`)
  })

  it('refuses an invalid regular expression with the reason', () => {
    expect(() => check('(')).toThrow(/"customer" is no regular expression: .*Unterminated group/)
  })

  it('refuses a pattern that matches the empty string', () => {
    expect(() => check('a*')).toThrow('matches nothing at all')
  })

  it.each(['', 'a]b', 'x'.repeat(61)])('the name "%s" is refused', name => {
    expect(() => check('a', name)).toThrow('cannot be the name of a pattern')
  })
})
