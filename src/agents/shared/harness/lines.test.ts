import { describe, expect, it } from 'vitest'
import { createLines } from './lines.js'

function split(chunks: readonly string[], longest = 100) {
  const found: string[] = []
  const lines = createLines(line => void found.push(line), longest)
  for (const chunk of chunks) lines.add(chunk)
  const before = [...found]
  lines.finish()
  return { before, found, lost: lines.lostSome() }
}

describe('lines', () => {
  it.each([
    [['a\nb\n'], ['a', 'b']],
    [
      ['a', 'b', 'c\nd', '\n'],
      ['abc', 'd'],
    ],
    [
      ['a\r', '\nb\r\n'],
      ['a', 'b'],
    ],
    [['\n\na\n\n'], ['a']],
  ])('of %j are %j', (chunks, wanted) => {
    expect(split(chunks)).toEqual({ before: wanted, found: wanted, lost: false })
  })

  it('wait for their end, which the last may lack', () => {
    expect(split(['a\nb'])).toEqual({ before: ['a'], found: ['a', 'b'], lost: false })
  })

  it.each([[['x'.repeat(11), '\nshort\n']], [['xxxxxx', 'xxxxxx', 'xxxx\nshort\n']]])(
    'that are too long are left out, and what comes after is not',
    chunks => {
      expect(split(chunks, 10)).toEqual({ before: ['short'], found: ['short'], lost: true })
    },
  )

  it('of just the longest length are kept', () => {
    expect(split(['0123456789\n'], 10)).toMatchObject({ found: ['0123456789'], lost: false })
  })
})
