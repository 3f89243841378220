import { describe, expect, it } from 'vitest'
import { seedDocument } from './document.js'
import { tidySkill } from './tidy.js'

const tidied = (text: string) => tidySkill(seedDocument(text)).text

describe('a tidied skill', () => {
  it('joins the items of one list', () => {
    expect(tidied('# A\n\n- one\n\n- two\n\n\n- three\n')).toBe('# A\n\n- one\n- two\n- three\n')
  })

  it('keeps lists of another kind or depth apart', () => {
    for (const text of ['- one\n\n1. two\n', '- one\n\n  - two\n', '- one\n\nText.\n\n- two\n'])
      expect(tidied(text)).toBe(text)
  })

  it('states every list item once, where it stood first', () => {
    expect(tidied('- one\n- two\n- one\n')).toBe('- one\n- two\n')
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
