import { describe, expect, it } from 'vitest'
import { editText, worthText } from './edit-text.js'

describe('editText', () => {
  it.each([
    [{ op: 'append', content: 'one\ntwo' }, 'add “one two”'],
    [{ op: 'insert_after', content: 'two', target: '# A' }, 'add “two” after “# A”'],
    [{ op: 'replace', content: 'new', target: 'old' }, 'replace “old” by “new”'],
    [{ op: 'delete', target: 'gone\n' }, 'delete “gone”'],
    [{ op: 'rewrite', content: '# All of it', title: 'shorter' }, 'rewrite the skill: “shorter”'],
    [{ op: 'suggest', content: 'be brief' }, 'suggest “be brief”'],
    [{ op: 'remind', content: 'check twice' }, 'remind “check twice”'],
    [{ op: 'append' }, 'add “”'],
    [{ op: 'rewrite' }, 'rewrite the skill: “”'],
  ] as const)('says what %j does', (edit, text) => {
    const absent = { title: undefined, content: undefined, target: undefined }
    expect(editText({ ...absent, ...edit })).toBe(text)
  })
})

describe('worthText', () => {
  const entry = { edits: ['a'], fate: 'kept', reason: '' } as const
  const contribution = { mean: 0.052, low: -0.01, high: 0.11 }

  it('says what an edit is worth, and with which others', () => {
    const alone = { ...entry, edits: ['a'], contribution }
    expect(worthText({ id: 'a', attribution: alone })).toBe('worth +5.2 points (−1.0 to +11.0)')
    const shared = { ...alone, edits: ['a', 'b', 'c'] }
    expect(worthText({ id: 'b', attribution: shared })).toContain(' together with a, c')
  })

  it('says nothing where nothing was measured', () => {
    expect(worthText({ id: 'a', attribution: undefined })).toBe('')
    expect(worthText({ id: 'a', attribution: { ...entry, edits: ['a'] } })).toBe('')
  })
})
