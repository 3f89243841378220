import { describe, expect, it } from 'vitest'
import { timeLimit } from '../../../test/support/time-limit.js'
import { countTokens } from './tokens.js'

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
})
