import { describe, expect, it } from 'vitest'
import { fromRepr, pythonTable } from '../../../test/support/python-table.js'
import { pythonFloat, pythonRound } from './python-number.js'

describe('float()', () => {
  it('reads what Python reads, and nothing else', () => {
    for (const [text, expected] of pythonTable.floats) {
      expect(pythonFloat(text), JSON.stringify(text)).toEqual(
        expected === null ? undefined : fromRepr(expected),
      )
    }
  })
})

describe('round()', () => {
  it('decides by the exact value, and takes the even digit on a tie', () => {
    for (const [value, two, none] of pythonTable.rounds) {
      // Unlike Python, negative zero is not distinguished: nothing here uses its sign.
      expect(pythonRound(fromRepr(value), 2) + 0, value).toBe(fromRepr(two) + 0)
      expect(pythonRound(fromRepr(value)) + 0, value).toBe(fromRepr(none) + 0)
    }
  })

  it('leaves what is not finite as it is', () => {
    expect(pythonRound(Number.NEGATIVE_INFINITY, 2)).toBe(Number.NEGATIVE_INFINITY)
    expect(pythonRound(Number.NaN, 2)).toBeNaN()
  })
})
