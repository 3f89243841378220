import { lexer } from 'marked'
import { expect, it } from 'vitest'
import { fencedLines, markdownText } from './markdown-text.js'

it.each([
  '# a',
  '**a**',
  '[a](b)',
  '<b>a</b>',
  '| a |',
  'https://a.bc',
  'www.a.bc',
  'a@b.cd',
  '`a`',
  'a\n\n# b',
  '~~a~~',
])('%j stays a text', text => {
  const [paragraph, ...rest] = lexer(`Said: ${markdownText(text)}`)
  expect(rest).toEqual([])
  const inline = paragraph !== undefined && 'tokens' in paragraph ? paragraph.tokens : []
  for (const token of inline ?? []) expect(['text', 'escape']).toContain(token.type)
})

it('no line of a block ends it', () => {
  const lines = ['```', '````', 'a\u001b[31m', '']
  expect(fencedLines('diff', lines)).toBe('`````diff\n```\n````\na\n\n`````')
})
