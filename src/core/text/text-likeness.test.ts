import { describe, expect, it } from 'vitest'
import { jaccard } from './text-likeness.js'

describe('the likeness of two texts', () => {
  it.each([
    ['Round up.', 'round UP', 1],
    ['', '', 1],
    ['a', '', 0],
    ['one two', 'three four', 0],
    ['one two three', 'two three four', 0.5],
    ['two two two', 'two', 1],
    ['Größe prüfen', 'größe prüfen!', 1],
  ])('of %j and %j is %f', (one, other, expected) => {
    expect(jaccard(one, other)).toBeCloseTo(expected, 12)
    expect(jaccard(other, one)).toBeCloseTo(expected, 12)
  })
})
