import { describe, expect, it } from 'vitest'
import { clamped } from './clamp.js'

describe('the beginning of a long text', () => {
  it('is undefined for a short text', () => {
    expect(clamped('')).toBeUndefined()
    expect(clamped('a'.repeat(2_300))).toBeUndefined()
  })

  it('ends with a line', () => {
    const line = `${'x'.repeat(99)}\n`
    const start = clamped(line.repeat(100))
    expect(start).toBe(`${line.repeat(19)}${'x'.repeat(99)}`)
  })

  it('has so many lines at most', () => {
    const start = clamped('a line of words\n'.repeat(100))
    expect(start?.split('\n')).toHaveLength(29)
  })

  it('does not split a surrogate pair', () => {
    const start = clamped(`x${'🪲'.repeat(3_000)}`)
    expect(start).toHaveLength(1_999)
    expect(start?.endsWith('🪲')).toBe(true)
  })

  it('is shown whole where little would be hidden', () => {
    expect(clamped(`${'x'.repeat(2_000)}${'y'.repeat(300)}`)).toBeUndefined()
  })
})
