import { describe, expect, it } from 'vitest'
import { inEnglish } from './english.js'

describe('inEnglish', () => {
  it('replaces known German words by English ones', () => {
    expect(inEnglish('Repariere bitte den roten Test im Xylofon')).toBe('fix fix test Xylofon')
  })

  it('leaves English as it is', () => {
    const text = 'Please fix the failing test in the die-cutting module'
    expect(inEnglish(text)).toBe(text)
    expect(inEnglish('')).toBe('')
  })
})
