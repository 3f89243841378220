import { describe, expect, it } from 'vitest'
import { caseFold, codePointLength, containsWords, pythonRegex, splitWords, strip } from './python-text.js'

describe('text helpers', () => {
  it('knows Python\u2019s white space', () => {
    expect(strip('\u00a0\x1c a\u3000\n')).toBe('a')
    expect(strip('\ufeffa')).toBe('\ufeffa')
    expect(splitWords(' a\u2003b\x85c ')).toEqual(['a', 'b', 'c'])
    expect(splitWords(' \n')).toEqual([])
  })

  it('counts code points and folds case', () => {
    expect(codePointLength('a😀é')).toBe(3)
    expect(caseFold('STRAßE ΣΑΣ')).toBe(caseFold('strasse σας'))
  })

  it('finds whole words only', () => {
    expect(containsWords('it is 142', '42')).toBe(false)
    expect(containsWords('142 and 42.', '42')).toBe(true)
    expect(containsWords('naïve', 'na')).toBe(false)
    expect(containsWords('costs $5 now', '$5')).toBe(true)
    expect(containsWords('C++ code', 'C++')).toBe(true)
  })
})

describe('pythonRegex', () => {
  it.each([
    ['^Yes$', 'Yes\n', true],
    ['^Yes$', 'No\nYes', false],
    ['(?m)^Yes$', 'No\nYes\nNo', true],
    ['(?i)yes', 'YES', true],
    ['a.b', 'a\rb', true],
    ['a.b', 'a\nb', false],
    ['(?s)a.b', 'a\nb', true],
    ['\\bnaïve\\b', 'so naïve!', true],
    ['\\bna\\b', 'naïve', false],
    ['\\d+', '٣', true],
    ['[Cc]onfidence\\s*[:=]', 'Confidence :', true],
    ['[]a]+$', ']a', true],
    ['[^]]', ']', false],
    ['[\\w.-]+@\\w+', 'a.b-c@d', true],
    ['\\-\\#\\ \\"\\%\\:', '-# "%:', true],
    ['a{,2}b', 'aab', true],
    ['{x}', '{x}', true],
    ['a{2}', 'aa', true],
    ['(?P<q>["\'])x(?P=q)', '"x"', true],
    ['(?#note)a', 'a', true],
    ['(?<!a)b(?=c)', 'bc', true],
    ['\\Aa\\Z', 'a\n', false],
    ['\\x41\\u0042', 'AB', true],
    ['(a)\\1', 'aa', true],
    ['x|y]', 'y]', true],
    ['[a\\]]', ']', true],
    ['https?://', 'see http://x', true],
  ])('%j on %j is %s', (pattern, text, expected) => {
    expect(pythonRegex(pattern).test(text)).toBe(expected)
  })

  it.each(['[bad', '(', '*a', 'a)', '\\', '\\q', '(?x)a', '(?i:a)', 'a(?i)', '(?P<1>a)', '[b-a]'])(
    'refuses %j',
    pattern => {
      expect(() => pythonRegex(pattern)).toThrow(SyntaxError)
    },
  )
})
