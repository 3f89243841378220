import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedDocument } from './document.js'
import { applyEdits, type Edit } from './edit.js'
import { tidySkill } from './tidy.js'

/** Pieces of skills as authors and models write them. */
const pieces = [
  '- Round prices down.',
  '- Round prices down.\n  Always to a cent.',
  '* Read the whole order.',
  '1. Weigh the parcel.\n2. Look up the zone.',
  '- Zones:\n  - EU: 5 days\n\n  - US: 9 days',
  '  - Nested.',
  '- Show code:\n  ```\n  a\n\n\n  b\n  ```',
  '```js\n- a\n\n- a\n\n\nend\n```',
  '## Prices',
  'A paragraph.',
  'A paragraph\nof two lines.',
  '- Item with a paragraph.\n\n  The paragraph.',
  '* * *',
  '    - indented code',
]
const piece = fc.constantFrom(...pieces)
const gap = fc.constantFrom('\n', '\n\n', '\n\n\n\n')
const seedText = fc
  .tuple(
    fc.constantFrom('', '---\nname: a\nlist:\n- a\n\n- a\n---\n\n'),
    fc.array(fc.tuple(piece, gap), { minLength: 1, maxLength: 6 }),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([front, parts, isCrlf, endsLine]) => {
    const body = parts.map(part => part.join('')).join('')
    const text = front + (endsLine ? body : body.trimEnd())
    return isCrlf ? text.replaceAll('\n', '\r\n') : text
  })
const about = (id: number) => ({ id: `edit ${id}`, support: 1, from: 'failure', tasks: [] }) as const
const change = fc.oneof(
  piece.map(content => ({ op: 'append' as const, content })),
  fc.tuple(piece, piece).map(([target, content]) => ({ op: 'insert_after' as const, target, content })),
  fc.tuple(piece, piece).map(([target, content]) => ({ op: 'replace' as const, target, content })),
  piece.map(target => ({ op: 'delete' as const, target })),
  piece.map(content => ({ op: 'rewrite' as const, content: `# New\n\n${content}`, summary: '' })),
)
const edits = fc
  .array(change, { maxLength: 6 })
  .map(changes => changes.map((one, id): Edit => ({ ...about(id), ...one })))

const composed = fc
  .tuple(seedText, edits)
  .map(([seed, list]) => ({ seed, document: applyEdits(seedDocument(seed), list).document }))

const blocksOfCode = (text: string) => text.match(/^```js[\s\S]*?^```/gm) ?? []
const runs = { numRuns: 300 }

describe('a version composed of any edits', () => {
  it('is tidy after one pass, with an origin for every character', () => {
    fc.assert(
      fc.property(composed, ({ document }) => {
        const tidy = tidySkill(document)
        expect(tidySkill(tidy).text).toBe(tidy.text)
        expect(tidy.origins.reduce((sum, { length }) => sum + length, 0)).toBe(tidy.text.length)
      }),
      runs,
    )
  })

  it('loses no text but repeated list items, and keeps code as it is', () => {
    fc.assert(
      fc.property(composed, ({ document }) => {
        const tidy = tidySkill(document)
        const said = (text: string) =>
          new Set(
            text
              .split('\n')
              .map(line => line.trim().replace(/^[-*]\s+/, ''))
              .filter(line => line !== ''),
          )
        expect([...said(tidy.text)].sort()).toEqual([...said(document.text)].sort())
        expect(blocksOfCode(tidy.text)).toEqual(blocksOfCode(document.text))
        expect(tidy.text.length).toBeLessThanOrEqual(document.text.length)
      }),
      runs,
    )
  })

  it('has no blank line between simple items of one list', () => {
    fc.assert(
      fc.property(composed, ({ document }) => {
        const outside = tidySkill(document)
          .text.replaceAll('* * *', 'rule')
          .replace(/^\uFEFF?---[\s\S]*?\n---/, '')
          .replace(/^ *```[\s\S]*?^ *```/gm, 'code')
        expect(outside).not.toMatch(/^([-*] )\S.*\r?\n(?:[ \t]*\r?\n)+\1\S/m)
        expect(outside).not.toMatch(/\n[ \t]*\r?\n[ \t]*\r?\n/)
      }),
      runs,
    )
  })

  it('keeps every line of the seed that no edit touched', () => {
    fc.assert(
      fc.property(seedText, fc.array(piece, { maxLength: 4 }), (seed, contents) => {
        const list = contents.map((content, id): Edit => ({ ...about(id), op: 'append', content }))
        const { document } = applyEdits(seedDocument(seed), list)
        const solid = (text: string) => text.split(/\r?\n/).filter(line => line.trim() !== '')
        const kept = solid(tidySkill(document).text)
        expect(kept.slice(0, solid(seed).length)).toEqual(solid(seed))
      }),
      runs,
    )
  })
})
