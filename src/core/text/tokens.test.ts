import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { countTokens as countWithLibrary } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { timeLimit } from '../../../test/support/time-limit.js'
import { countTokens, loadTokenCounter } from './tokens.js'

describe('countTokens', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['# Title\n\nRound to two decimals.\n', 8],
    ['日本語の表', 4],
  ])('%j has %i', async (text, expected) => {
    expect(await countTokens(text)).toBe(expected)
  })

  it('counts the names of special tokens as text', async () => {
    expect(await countTokens('<|endoftext|>')).toBeGreaterThan(1)
  })

  it('counts a long text as the sum of its lines', async () => {
    const line = 'Answer with the number alone.\n'
    expect(await countTokens(line.repeat(1000))).toBe((await countTokens(line)) * 1000)
  })

  it('is not slowed down by an endless word', { timeout: timeLimit(10_000) }, async () => {
    expect(await countTokens('a'.repeat(100_000))).toBeGreaterThan(10_000)
  })

  it('agrees with gpt-tokenizer on our own documentation', async () => {
    const count = await loadTokenCounter()
    const docs = new URL('../../../docs/', import.meta.url)
    const pages = readdirSync(docs).filter(file => file.endsWith('.md'))
    expect(pages.length).toBeGreaterThan(10)
    for (const page of pages) {
      // Line by line: a longer text is cut into pieces here and not there.
      const lines = readFileSync(new URL(page, docs), 'utf8').split(/(?<=\n)/)
      for (const line of lines) expect([line, count(line)]).toEqual([line, expectedCount(line)])
    }
  })

  it('agrees with gpt-tokenizer on any text', async () => {
    const count = await loadTokenCounter()
    const parts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.constantFrom(
        ' ',
        '\n',
        '\r\n',
        '\t',
        "'s",
        "'LL",
        'Don’t',
        '1234',
        '日本',
        'ß',
        '👩‍🚀',
        '<|endoftext|>',
      ),
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 20 }), given => {
        const text = given.join('')
        expect(count(text)).toBe(expectedCount(text))
      }),
      { numRuns: 500, seed: 7 },
    )
  })
})

const expectedCount = (text: string) => countWithLibrary(text, { disallowedSpecial: new Set<string>() })
