import { describe, expect, it } from 'vitest'
import { versionSupport } from './definition.js'

describe('a version', () => {
  const tested = { from: '2.1.197', below: '3.0.0' }
  it.each([
    ['2.1.197', 'tested'],
    ['v2.10.0', 'tested'],
    ['2.1.197-beta.1', 'tested'],
    ['2.9', 'tested'],
    ['2.1.99', 'older'],
    ['1.99.99', 'older'],
    ['3.0.0', 'newer'],
    ['10.0.0', 'newer'],
    ['dev', 'unknown'],
    [undefined, 'unknown'],
  ])('%s is %s', (version, standing) => {
    expect(versionSupport(version, tested)).toBe(standing)
  })
})
