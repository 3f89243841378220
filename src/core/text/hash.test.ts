import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { canonicalJson, contentHash, taskHash } from './hash.js'

describe('contentHash', () => {
  it('is the first 32 hex digits of sha256, of text and of the same bytes', () => {
    const whole = createHash('sha256').update('Öl').digest('hex')
    expect(contentHash('Öl')).toBe(whole.slice(0, 32))
    expect(contentHash(Buffer.from('Öl'))).toBe(contentHash('Öl'))
  })
})

describe('canonicalJson', () => {
  it('sorts keys at every depth and leaves lists in their order', () => {
    const text = canonicalJson({ b: { d: 1, c: [{ z: 1, y: 2 }, 'x'] }, a: null, 10: true, 9: 'nine' })
    expect(text).toBe('{"9":"nine","10":true,"a":null,"b":{"c":[{"y":2,"z":1},"x"],"d":1}}')
    expect(canonicalJson({ c: 3, a: 1, b: 2 })).toBe('{"a":1,"b":2,"c":3}')
  })

  it('tells an empty list, an empty object, null and a text apart', () => {
    expect([[], {}, null, ''].map(canonicalJson)).toEqual(['[]', '{}', 'null', '""'])
  })
})

describe('taskHash', () => {
  it('depends on the content, not on the order of keys', () => {
    const hash = taskHash({ id: 'a', type: 'sums' })
    expect(taskHash({ type: 'sums', id: 'a' })).toBe(hash)
    expect(taskHash({ id: 'a', type: 'products' })).not.toBe(hash)
  })

  it('depends on the content of a file, not on its name', () => {
    const file = { name: 'a.png', mediaType: 'image/png', bytes: 3, hash: 'abc' } as const
    const hash = taskHash({ id: 'a', attachments: [file] })
    expect(taskHash({ id: 'a', attachments: [{ ...file, name: 'b.png' }] })).toBe(hash)
    expect(taskHash({ id: 'a', attachments: [{ ...file, hash: 'abd' }] })).not.toBe(hash)
    expect(taskHash({ id: 'b', attachments: [file] })).not.toBe(hash)
  })
})
