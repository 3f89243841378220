import { describe, expect, it } from 'vitest'
import { inEnglish } from './english.js'

describe('inEnglish', () => {
  it('puts English words in the place of German ones that are known', () => {
    expect(inEnglish('Repariere bitte den roten Test im Xylofon')).toBe('fix fix test Xylofon')
  })

  it('leaves English as it is', () => {
    const text = 'Please fix the failing test in the die-cutting module'
    expect(inEnglish(text)).toBe(text)
    expect(inEnglish('')).toBe('')
  })
})
