import { describe, expect, it } from 'vitest'
import { timeLimit } from '../../../test/support/time-limit.js'
import { withoutBlocks } from './blocks.js'

describe('withoutBlocks', () => {
  it.each([
    ['a <x>b</x> c', 'a   c'],
    ['<x>b</x><y>\nd\n</y>c', '  c'],
    ['<z>b</z>', '<z>b</z>'],
    ['<x>a <x>b</x> c', ' c'.padStart(3)],
    ['what is <x> for?', 'what is <x> for?'],
    ['<y>without an end, <x>b</x>', '<y>without an end,  '],
    ['<x>a</y></x>b', ' b'],
  ])('%j is %j', (text, left) => {
    expect(withoutBlocks(text, ['x', 'y'])).toBe(left)
  })

  it('is fast on unclosed blocks', () => {
    const began = performance.now()
    withoutBlocks('<x><y>'.repeat(300_000), ['x', 'y'])
    expect(performance.now() - began).toBeLessThan(timeLimit(5000))
  })
})
