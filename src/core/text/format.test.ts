import { describe, expect, it } from 'vitest'
import {
  aboutTokens,
  bytes,
  chanceText,
  clean,
  count,
  duration,
  knownCost,
  listed,
  money,
  oneLine,
  plural,
  points,
  shortCount,
  signedPoints,
} from './format.js'

describe('texts', () => {
  it('lose their colours, keep line ends and tabs, and show what could not be seen', () => {
    expect(clean('\u001b[31mred\u001b[0m\u0007 a\tb\r\nc\u202Ed\u2066e')).toBe(
      'red⟨U+0007⟩ a\tb\nc⟨U+202E⟩d⟨U+2066⟩e',
    )
    expect(clean('a\u001b]0;a title\u0007b\u001b[2J')).toBe('a⟨U+001B⟩]0;a title⟨U+0007⟩b⟨U+001B⟩[2J')
  })

  it('fit in one line', () => {
    expect(oneLine('  a\n\n b\t\u001b[1mc\u001b[0m ')).toBe('a b c')
  })
})

describe('figures', () => {
  it.each([
    [0.8349, '83.5%'],
    [1, '100.0%'],
    [0, '0.0%'],
  ])('points: %d is %s', (score, shown) => {
    expect(points(score)).toBe(shown)
  })

  it.each([
    [0.0123, '+1.2'],
    [-0.0123, '−1.2'],
    [0, '0.0'],
    [-0.0001, '0.0'],
    [-0.1, '−10.0'],
  ])('a difference of %d is %s', (difference, shown) => {
    expect(signedPoints(difference)).toBe(shown)
  })

  it.each([
    [0, '0'],
    [949.6, '950'],
    [999, '999'],
    [1000, '1.0k'],
    [12_345, '12.3k'],
    [99_949, '99.9k'],
    [99_950, '100k'],
    [999_499, '999k'],
    [999_500, '1.0M'],
    [4_500_000, '4.5M'],
  ])('%d is short for %s', (number, shown) => {
    expect(shortCount(number)).toBe(shown)
  })

  it('group thousands and count nouns', () => {
    expect(count(1_234_567.4)).toBe('1,234,567')
    expect([0, 1, 2, 1200].map(number => plural(number, 'task'))).toEqual([
      '0 tasks',
      '1 task',
      '2 tasks',
      '1,200 tasks',
    ])
  })

  it('say which tokenizer counted, and the limit if there is one', () => {
    expect(aboutTokens(1234)).toBe('about 1,234 tokens (o200k)')
    expect(aboutTokens(1234, 2000)).toBe('about 1,234 of 2,000 tokens (o200k)')
  })

  it.each([
    [0, '0 B'],
    [0.5, '1 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [12_340, '12.3 kB'],
    [123_400, '123 kB'],
    [1_000_000, '1.0 MB'],
    [5e12, '5000 GB'],
  ])('%d bytes are %s', (value, shown) => {
    expect(bytes(value)).toBe(shown)
  })
})

it('writes chances with two digits that count', () => {
  expect([1, 0.997, 0.426, 0.1, 0.0631, 0.0066, 0, -1e-12].map(chanceText)).toEqual([
    '100%',
    '100%',
    '43%',
    '10%',
    '6.3%',
    '0.66%',
    '0.0%',
    '0.0%',
  ])
})

describe('money', () => {
  it.each([
    [0, '$0'],
    [0.0049, '< $0.01'],
    [0.005, '$0.01'],
    [1234.5, '$1,234.50'],
  ])('%d is %s', (dollars, shown) => {
    expect(money(dollars)).toBe(shown)
  })

  it('says how much of a sum is unknown, and never guesses', () => {
    expect(knownCost({ calls: 3, cost: 0, unknownCost: 3 })).toBe('unknown')
    expect(knownCost({ calls: 3, cost: 1.5, unknownCost: 1 })).toBe('$1.50 + 1 call of unknown price')
    expect(knownCost({ calls: 3, cost: 1.5, unknownCost: 0 })).toBe('$1.50')
    expect(knownCost({ calls: 0, cost: 0, unknownCost: 0 })).toBe('$0')
  })
})

describe('duration', () => {
  const seconds = 1000
  const minutes = 60 * seconds
  const hours = 60 * minutes
  it.each([
    [400, '0 s'],
    [59.4 * seconds, '59 s'],
    [59.6 * seconds, '1 min 00 s'],
    [61 * seconds, '1 min 01 s'],
    [hours - seconds, '59 min 59 s'],
    [hours, '1 h 00 min'],
    [47 * hours + 59 * minutes, '47 h 59 min'],
    [48 * hours, '2 d 0 h'],
    [51 * hours, '2 d 3 h'],
  ])('%d ms are %s', (milliseconds, shown) => {
    expect(duration(milliseconds)).toBe(shown)
  })
})

describe('listed', () => {
  it.each([
    [1, 'n1'],
    [5, 'n1, n2, n3, n4, n5'],
    [6, 'n1, n2, n3, n4, n5 and 1 more'],
    [1205, 'n1, n2, n3, n4, n5 and 1,200 more'],
  ])('of %d names shows five at most', (number, shown) => {
    expect(listed(Array.from({ length: number }, (_, index) => `n${index + 1}`))).toBe(shown)
  })
})
