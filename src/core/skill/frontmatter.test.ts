import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readFrontmatter, withFields } from './frontmatter.js'
import { parseSkill } from './skill.js'

describe('readFrontmatter', () => {
  it('reads the fields', () => {
    expect(readFrontmatter('---\nname: a\ntags: [x]\n---\nBody\n')).toEqual({
      state: 'read',
      fields: { name: 'a', tags: ['x'] },
    })
  })

  it('tells an absent one from an empty one', () => {
    expect(readFrontmatter('# Title\n')).toEqual({ state: 'absent' })
    expect(readFrontmatter('---\n---\n# Title\n')).toEqual({ state: 'read', fields: {} })
  })

  it('takes a rule at the top of a text for a rule', () => {
    expect(readFrontmatter('---\n\nText after a rule.\n')).toEqual({ state: 'absent' })
  })

  it('says where it breaks, in lines of the file', () => {
    expect(readFrontmatter('---\nname: a\ndescription: one: two\n---\n')).toMatchObject({
      state: 'broken',
      line: 3,
    })
    expect(readFrontmatter('---\nname: a\n\n# never closed\n')).toMatchObject({ state: 'broken', line: 1 })
    expect(readFrontmatter('---\n- one\n---\n')).toMatchObject({ state: 'broken', line: 2 })
  })
})

describe('withFields', () => {
  const fieldsOf = (text: string) => parse(parseSkill(text).frontmatter.replace(/---\s*$/, ''))

  it('puts a frontmatter before a text that has none, and leaves every byte of it', () => {
    const body = '# Title\r\n\r\nText without a last line end'
    const written = withFields(body, { name: 'a', description: 'Reads: "tables" # and more' })
    expect(written.endsWith(`---\r\n\r\n${body}`)).toBe(true)
    expect(written.replaceAll('\r\n', '')).not.toContain('\n')
    expect(fieldsOf(written)).toEqual({ name: 'a', description: 'Reads: "tables" # and more' })
  })

  it('keeps a byte order mark first', () => {
    expect(withFields('\uFEFFText', { name: 'a' })).toBe('\uFEFF---\nname: a\n---\n\nText')
  })

  it('replaces one value and leaves comments, order and other values alone', () => {
    const text = '---\n# ours\nname: old # why\nlicense:   MIT\n---\nBody\n'
    expect(withFields(text, { name: 'new' })).toBe(
      '---\n# ours\nname: new # why\nlicense:   MIT\n---\nBody\n',
    )
  })

  it('adds missing fields in the order given, before the others', () => {
    expect(withFields('---\nlicense: MIT\n---\nBody\n', { name: 'a', description: 'b' })).toBe(
      '---\nname: a\ndescription: b\nlicense: MIT\n---\nBody\n',
    )
    expect(withFields('---\n---\nBody\n', { name: 'a', description: 'b' })).toBe(
      '---\nname: a\ndescription: b\n---\nBody\n',
    )
  })

  it.each([
    ['a block', '---\ndescription: >\n  one\n  two\nname: a\n---\nBody\n'],
    ['a quoted text over two lines', '---\ndescription: "one\n  two"\nname: a\n---\nBody\n'],
    ['nothing', '---\ndescription:\nname: a\n---\nBody\n'],
    ['a list', '---\ndescription:\n  - one\n  - two\nname: a\n---\nBody\n'],
  ])('replaces %s', (_, text) => {
    const written = withFields(text, { description: 'new\nlines' })
    expect(fieldsOf(written)).toEqual({ name: 'a', description: 'new\nlines' })
    expect(parseSkill(written).body).toBe('Body\n')
  })

  it('changes nothing without fields', () => {
    expect(withFields('Text', {})).toBe('Text')
  })
})
