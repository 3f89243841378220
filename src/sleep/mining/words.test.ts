import { describe, expect, it } from 'vitest'
import { maskedText, termsOf } from './words.js'

const terms = (text: string) => [...termsOf(text).keys()].filter(term => !term.startsWith('~')).sort()

describe('termsOf', () => {
  it('gives the same terms for synonyms, another order and another language', () => {
    const wanted = ['<path>', 'fix', 'fix+test', 'test']
    expect(terms('fix the failing test in src/a.test.ts')).toEqual(wanted)
    expect(terms('the test in lib/b.spec.ts is red, repair it')).toEqual(wanted)
    expect(terms('der Test in lib/b.spec.ts ist rot, bitte reparieren')).toEqual(wanted)
  })

  it.each(['tesst faling', 'teset failng', 'faliing test'])('sees through typing errors: %s', text => {
    expect(terms(text)).toContain('fix')
  })

  it('splits compounds', () => {
    expect(terms('Testabdeckung')).toEqual(['coverage', 'coverage+test', 'test'])
  })

  it.each([
    ['see https://example.com/a?b=1', '<url>'],
    ['ask ada@example.com', '<email>'],
    ['rename parseDate', '<name>'],
    ['rename user_id', '<name>'],
    ['ticket SHOP-123', '<name>'],
    ['revert 3f2a9c1', '<hash>'],
    ['bump to v2.4.0', '<number>'],
    ['open C:\\work\\a.txt', '<path>'],
    ['read notes.md', '<path>'],
    ['say "hello there"', '<quote>'],
    ['run ```\nrm x\n```', '<code>'],
  ])('puts something in the place of what differs: %s', (text, placeholder) => {
    expect(terms(text)).toContain(placeholder)
  })

  it('matches unknown words by their letters', () => {
    const [left, right] = [termsOf('xylophone'), termsOf('xylofone')]
    expect([...left.keys()].some(term => right.has(term))).toBe(true)
    expect(terms('xylophone')).toEqual(['=xylophon'])
  })

  it('uses both ends of a long text', () => {
    const text = `translate ${Array.from({ length: 500 }, (_, index) => `w${'abcdefghij'[index % 10]}x`).join(' ')} docker`
    expect(terms(text)).toEqual(expect.arrayContaining(['translate', 'docker']))
    expect(termsOf('').size).toBe(0)
  })
})

it('masks varying parts with plain words', () => {
  expect(maskedText('rename parseDate in src/a.ts')).toBe('rename name in path')
})
