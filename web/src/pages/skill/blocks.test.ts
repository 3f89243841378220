import { describe, expect, it } from 'vitest'
import { blockRows } from './blocks.js'

const seed = '---\nname: x\n---\n\n# Rules\n\nA paragraph\nof two lines.\n\n- one\n- two\n- three\n'

describe('a block diff of two texts', () => {
  it('is one row if they are equal', () => {
    expect(blockRows(seed, seed).map(({ kind }) => kind)).toEqual(['same'])
  })

  it('separates list items', () => {
    const rows = blockRows(seed, seed.replace('- two', '- two and more'))
    expect(rows.map(({ kind }) => kind)).toEqual(['same', 'changed', 'same'])
    expect(rows[1]).toEqual({ kind: 'changed', before: '- two\n', after: '- two and more\n' })
    expect(rows[2]).toEqual({ kind: 'same', text: '- three\n' })
  })

  it('shows blocks that are only in one of them', () => {
    expect(blockRows(seed, `${seed}\n## More\n`).at(-1)).toMatchObject({ kind: 'changed', before: '' })
    expect(blockRows(seed, '')).toMatchObject([{ kind: 'changed', after: '' }])
  })

  it('keeps the front matter together', () => {
    const rows = blockRows(seed, seed.replace('name: x', 'name: y'))
    expect(rows[0]).toEqual({
      kind: 'changed',
      before: expect.stringContaining('---\nname: x\n---'),
      after: expect.stringContaining('---\nname: y\n---'),
    })
  })

  it('loses nothing of either text', () => {
    const after = '# Other\n\n1. first\n2. second\n\n```sh\nls\n```\n\nThe end'
    const side = (name: 'before' | 'after') =>
      blockRows(seed, after)
        .map(row => (row.kind === 'same' ? row.text : row[name]))
        .join('')
        .replaceAll(/\s+/g, '')
    expect(side('before')).toBe(seed.replaceAll(/\s+/g, ''))
    expect(side('after')).toBe(after.replaceAll(/\s+/g, ''))
  })

  it('skips the parser if it would take too long', () => {
    const deep = '>'.repeat(5_000)
    expect(blockRows(deep, `${deep} x`)).toHaveLength(1)
  })
})
