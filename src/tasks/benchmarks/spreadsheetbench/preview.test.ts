import { describe, expect, it } from 'vitest'
import { type Cell, cellKey, type Sheet } from './cells.js'
import { previewOf, valueText } from './preview.js'

const limits = { rows: 2, columns: 3, characters: 10 }
const day = 86_400_000

function sheetOf(name: string, rows: readonly (readonly Cell[])[]): Sheet {
  const cells = rows.flatMap((row, y) => row.map((cell, x) => [cellKey(y + 1, x + 1), cell] as const))
  const right = Math.max(0, ...rows.map(row => row.length))
  const used = rows.length === 0 ? undefined : { top: 1, left: 1, bottom: rows.length, right }
  return { name, cells: new Map(cells), merged: [], used }
}
const text = (value: string): Cell => ({ kind: 'text', value })
const number = (value: number): Cell => ({ kind: 'number', value })

describe('the preview', () => {
  it('shows the beginning of every sheet, with the names of rows and columns, and says what it leaves out', () => {
    const rows = [1, 2, 3].map(row => [1, 2, 3, 4, 5].map(column => number(row * column)))
    const sheets = [sheetOf('Sales', rows), sheetOf('Empty', [])]
    expect(previewOf({ sheets }, limits)).toBe(
      [
        'Sheet "Sales": values in A1:E3',
        '|  | A | B | C |',
        '| 1 | 1 | 2 | 3 |',
        '| 2 | 2 | 4 | 6 |',
        '(1 more row)',
        '(2 more columns)',
        '',
        'Sheet "Empty": empty',
      ].join('\n'),
    )
  })

  it('keeps every value on its line and within its length', () => {
    const row = [text('a\nb | c'), text('0123456789x'), text('🙂'.repeat(10))]
    const shown = previewOf({ sheets: [sheetOf('S', [row])] }, limits).split('\n')[2]
    expect(shown).toBe(`| 1 | a b \\| c | 012345678… | ${'🙂'.repeat(10)} |`)
  })

  it('shows a formula with the value that is kept, or alone', () => {
    const row: Cell[] = [
      { ...number(3), formula: 'A1+2' },
      { kind: 'empty', formula: 'A1' },
    ]
    expect(previewOf({ sheets: [sheetOf('S', [row])] }, limits)).toContain('| 1 | 3 (=A1+2) | (=A1) |')
  })
})

it.each<[Cell, string]>([
  [{ kind: 'empty' }, ''],
  [{ kind: 'boolean', value: true }, 'TRUE'],
  [{ kind: 'error', value: '#N/A' }, '#N/A'],
  [number(0.1), '0.1'],
  [text('Oslo'), 'Oslo'],
  [text('12'), '"12"'],
  [text(' 1,200.50 '), '" 1,200.50 "'],
  [text('2024-01-31'), '"2024-01-31"'],
  [text('A-12'), 'A-12'],
  [text('-'), '-'],
  [{ kind: 'date', milliseconds: 45292 * day }, '2024-01-01'],
  [{ kind: 'date', milliseconds: 45292.5 * day }, '2024-01-01 12:00:00'],
  [{ kind: 'time', milliseconds: 0.25 * day }, '06:00:00'],
  [{ kind: 'duration', milliseconds: 1.5 * day }, '36:00:00'],
  [{ kind: 'duration', milliseconds: -90_000 }, '-0:01:30'],
])('%j is shown as %j', (cell, shown) => {
  expect(valueText(cell)).toBe(shown)
})
