import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import {
  bytes,
  clean,
  duration,
  fit,
  joinLines,
  knownCost,
  money,
  oneLine,
  shortCount,
  signedPoints,
  table,
  widthOf,
} from './text.js'

describe('text from models', () => {
  it('cannot move the cursor, colour the screen or turn the writing around', () => {
    expect(clean('a\u0007\u001b[2J\u001b[31mb\u202ec\r\nd\te')).toBe('a⟨U+0007⟩⟨U+001B⟩[2Jb⟨U+202E⟩c\nd\te')
    expect(oneLine('  two\n\n lines\u001b]0;title\u0007 ')).toBe('two lines⟨U+001B⟩]0;title⟨U+0007⟩')
  })
})

describe('width', () => {
  it('counts columns, not characters', () => {
    expect(widthOf('abc')).toBe(3)
    expect(widthOf('日本')).toBe(4)
    expect(widthOf('e\u0301')).toBe(1)
    expect(widthOf('\u001b[31mred\u001b[39m')).toBe(3)
  })

  it('cuts to fit', () => {
    expect(fit('short', 10)).toBe('short')
    expect(fit('a long sentence', 8)).toBe('a long…')
    expect(widthOf(fit('日本語日本語', 6))).toBeLessThanOrEqual(6)
    expect(fit('anything', 0)).toBe('')
  })

  it('breaks between parts only', () => {
    expect(joinLines(['aaaa', 'bbbb', 'cccc'], 11)).toEqual(['aaaa · bbbb', 'cccc'])
  })
})

describe('figures', () => {
  it('says what is unknown', () => {
    expect(knownCost({ calls: 3, cost: 0, unknownCost: 3 })).toBe('unknown')
    expect(knownCost({ calls: 3, cost: 1.5, unknownCost: 1 })).toBe('$1.50 + 1 call of unknown price')
    expect(knownCost({ calls: 3, cost: 1.5, unknownCost: 0 })).toBe('$1.50')
    expect(knownCost({ calls: 0, cost: 0, unknownCost: 0 })).toBe('$0')
  })

  it('is short and readable', () => {
    expect([0, 999, 1234, 99_960, 999_499, 4_500_000].map(shortCount)).toEqual([
      '0',
      '999',
      '1.2k',
      '100k',
      '999k',
      '4.5M',
    ])
    expect([0, 999, 1000, 3_600_000, 250_000_000, 5e12].map(bytes)).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '3.6 MB',
      '250 MB',
      '5000 GB',
    ])
    expect([0, 0.001, 0.014, 1234.5].map(money)).toEqual(['$0', '< $0.01', '$0.01', '$1,234.50'])
    expect([900, 61_000, 3_660_000, 200_000_000].map(duration)).toEqual([
      '1 s',
      '1 min 01 s',
      '1 h 01 min',
      '2 d 7 h',
    ])
    expect([0.125, -0.05, 0, -0.0001].map(signedPoints)).toEqual(['+12.5', '−5.0', '0.0', '0.0'])
  })
})

it('aligns columns without a frame', () => {
  const colors = picocolors.createColors(false)
  expect(
    table(
      ['name', 'n'],
      [
        ['a', '1'],
        ['longer', '100'],
      ],
      { colors, right: [1] },
    ),
  ).toBe(['name      n', 'a         1', 'longer  100'].join('\n'))
})
