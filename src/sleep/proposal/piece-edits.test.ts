import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editRegion } from '../model/proposal.js'
import { gives, numbered, pieceEdits } from './piece-edits.js'
import { piecesOf } from './pieces.js'

const guidance = '<!-- SLOW_UPDATE_START -->\nThink:\n\n- first\n\n- then\n<!-- SLOW_UPDATE_END -->'

describe('pieces', () => {
  it('are paragraphs, list items with their content, headings and protected parts', () => {
    const parts = [
      '# Title',
      'A paragraph\nof two lines.',
      '- one\n  more of it',
      '- two:\n\n  ```sh\n  - not an item\n\n# nor a heading\n  ```',
      '1. three',
      guidance,
      'Last.',
    ]
    expect(piecesOf(parts.join('\n\n')).map(({ text }) => text)).toEqual(parts)
    expect(piecesOf('- a\n- b\n').map(({ text, gap }) => [gap, text])).toEqual([
      ['', '- a'],
      ['\n', '- b'],
    ])
    expect(piecesOf('')).toEqual([])
    expect(piecesOf(' \n\n')).toEqual([])
  })
})

describe('edits piece by piece', () => {
  it.each([
    ['nothing', '- a', '- a', []],
    ['a first text', '', '- a\n\n- b', ['append', 'append']],
    ['more at the end', '- a', '- a\n\n- b\n\n- c', ['append', 'append']],
    ['more at the beginning', '- c', '- a\n\n- b\n\n- c', ['replace', 'replace']],
    ['more between', '- a\n\n- c', '- a\n\n- b1\n\n- b2\n\n- c', ['insert_after', 'insert_after']],
    ['more between items without a gap', '- a\n- c', '- a\n- b\n- c', ['replace']],
    ['another text', '- a\n\n- b\n\n- c', '- a\n\n- B\n\n- c', ['replace']],
    ['less at the end', '- a\n\n- b', '- a', ['delete']],
    ['less at the beginning', '- a\n\n- b', '- b', ['delete']],
    ['less between', '- a\n\n- b\n\n- c', '- a\n\n- c', ['delete']],
    ['nothing left', '- a\n\n- b', '', ['delete', 'delete']],
    ['guidance', '- a', `- a\n\n${guidance}`, ['append']],
    ['other guidance', guidance, guidance.replace('first', 'second'), ['replace']],
    ['no guidance', `- a\n\n${guidance}`, '- a', ['delete']],
    ['the same piece twice', '- a\n\n- a', '- a\n\n- b\n\n- a\n\n- c', ['append', 'insert_after']],
    ['gaps alone', '- a\n- b', '- a\n\n- b', ['replace']],
  ])('%s', (_, current, wanted, ops) => {
    const edits = pieceEdits(current, wanted)
    expect(edits.map(({ op }) => op)).toEqual(ops)
    expect(gives(current, edits, wanted)).toBe(true)
  })

  it('are empty if a protected beginning would have to change', () => {
    expect(pieceEdits('---\na: b\n---\nText.', '---\na: c\n---\nText.')).toEqual([])
  })

  const pieces = fc.constantFrom(
    '- a',
    '- b',
    '- c',
    '- a b',
    'Text\nof two.',
    '# H',
    '- x\n\n  ```\n  # y\n  ```',
    guidance,
  )
  const gaps = fc.constantFrom('\n', '\n\n', '\n\n\n')
  const texts = fc
    .array(fc.tuple(pieces, gaps), { maxLength: 7 })
    .map(parts =>
      parts
        .map(([piece, gap]) => `${piece}${gap}`)
        .join('')
        .trim(),
    )
    .filter(text => text.split('SLOW_UPDATE_START').length < 3)

  it('give the new text for any two texts', () => {
    fc.assert(
      fc.property(texts, texts, (current, wanted) => {
        expect(gives(current, pieceEdits(current, wanted), wanted)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('can be chosen one by one: each is applied, or refused with a reason', () => {
    const rules = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { maxLength: 8 })
    const list = (names: readonly string[]) => names.map(name => `- Rule ${name}.`).join('\n\n')
    fc.assert(
      fc.property(
        rules,
        rules,
        fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }),
        (old, fresh, picks) => {
          const edits = numbered(pieceEdits(list(old), list(fresh)))
          for (const edit of edits) {
            const { reports } = editRegion(list(old), [edit])
            expect(reports.map(({ status }) => status)).toEqual(['applied'])
          }
          const { reports } = editRegion(
            list(old),
            edits.filter((_, index) => picks[index]),
          )
          for (const { status, reason } of reports) if (status !== 'applied') expect(reason).not.toBe('')
        },
      ),
      { numRuns: 200 },
    )
  })
})
