import { describe, expect, it } from 'vitest'
import { editText } from './edit-text.js'

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
