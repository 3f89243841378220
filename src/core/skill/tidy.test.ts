import { describe, expect, it } from 'vitest'
import { seedDocument } from './document.js'
import { applyEdits, type Edit } from './edit.js'
import { tidySkill } from './tidy.js'

const tidied = (text: string) => tidySkill(seedDocument(text)).text

/** A seed after edits that append. */
const edited = (seed: string, ...contents: readonly string[]) => {
  const edits = contents.map((content, index): Edit => {
    const about = { id: `edit ${index}`, support: 1, from: 'failure', tasks: [] } as const
    return { ...about, op: 'append', content }
  })
  return tidySkill(applyEdits(seedDocument(seed), edits).document).text
}

describe('a tidied skill', () => {
  it('joins the items of one list', () => {
    expect(tidied('# A\n\n- one\n\n- two\n\n\n- three\n')).toBe('# A\n\n- one\n- two\n- three\n')
  })

  it.each([
    ['a nested list', '- one\n\n  - two\n\n- three\n', '- one\n  - two\n- three\n'],
    ['items of several lines', '- one\n  more\n\n- two\n', '- one\n  more\n- two\n'],
    ['lines that end in CRLF', '- one\r\n\r\n- two\r\n', '- one\r\n- two\r\n'],
    [
      'items with code',
      '- one\n  ```\n  a\n\n  b\n  ```\n\n- two\n',
      '- one\n  ```\n  a\n\n  b\n  ```\n- two\n',
    ],
  ])('joins %s', (_what, text, expected) => {
    expect(tidied(text)).toBe(expected)
  })

  it('keeps lists of another kind, and items with paragraphs, apart', () => {
    for (const text of ['- one\n\n1. two\n', '- one\n\nText.\n\n- two\n', '- one\n\n  Text.\n\n- two\n'])
      expect(tidied(text)).toBe(text)
  })

  it('states every list item of an edit once', () => {
    expect(edited('- one\n- two\n', '- one', '* three', '- three')).toBe('- one\n- two\n* three\n')
    expect(edited('# A\n', '- one\n  more', '- one\n  more')).toBe('# A\n\n- one\n  more\n')
  })

  it('keeps what the seed repeats, and equal items below different ones', () => {
    const repeats = '# A\n\n- none\n\n# B\n\n- none\n'
    expect(tidied(repeats)).toBe(repeats)
    const nested = '- EU\n  - 5 days\n- US\n  - 5 days'
    expect(edited('# A\n', nested)).toBe(`# A\n\n${nested}\n`)
  })

  it('takes no rule for a list item, and no inner fence for the end of a fence', () => {
    const rules = '# A\n\n* * *\n\nText\n\n* * *\n\nText\n'
    expect(tidied(rules)).toBe(rules)
    const fences = '```\n```js\n\n\n- a\n\n- b\n```\n'
    expect(tidied(fences)).toBe(fences)
  })

  it('removes blank lines at the end', () => {
    expect(tidied('one\n\n\n')).toBe('one\n')
  })

  it('leaves one blank line of several', () => {
    expect(tidied('one\n\n\n\ntwo\n')).toBe('one\n\ntwo\n')
  })

  it.each([
    ['front matter', '---\nlist:\n- a\n\n- b\n- a\n---\n\nText\n'],
    ['fenced code', '```\n- a\n\n- b\n- a\n\n\nend\n```\n'],
    ['a marked region', '<!-- SLOW_UPDATE_START -->\n- a\n\n- b\n- a\n<!-- SLOW_UPDATE_END -->\n'],
  ])('leaves %s as it is', (_what, text) => {
    expect(tidied(text)).toBe(text)
  })

  it('is the same document where there is nothing to do', () => {
    const document = seedDocument('- one\n- two\n')
    expect(tidySkill(document)).toBe(document)
  })
})
