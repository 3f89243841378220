import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { utils, write } from '@e965/xlsx'
import { describe, expect, it } from 'vitest'
import { fromRepr, pythonTable, workbookFolder } from '../../../../test/support/python-table.js'
import { workbookWith } from '../../../../test/support/zip.js'
import { type Cell, cellAt, columnName, placeOf, type Sheet } from './cells.js'
import { sameValue } from './compare.js'
import { parseWorkbook } from './parse.js'
import { WorkbookError } from './workbook-error.js'

const parsed = (name: string) => parseWorkbook(readFileSync(join(workbookFolder, name)))

function sheetOf(name: string, sheet: string): Sheet {
  const found = parsed(name).sheets.find(each => each.name === sheet)
  if (found === undefined) throw new Error(`no sheet ${sheet}`)
  return found
}

function expectedCell([kind, value]: readonly [string, string | number]): Cell {
  if (kind === 'duration') return { kind: 'duration', milliseconds: Number(value) }
  return kind === 'number'
    ? { kind: 'number', value: fromRepr(String(value)) }
    : { kind: 'text', value: String(value) }
}

describe.each(Object.entries(pythonTable.read))('%s', (name, sheets) => {
  it('has the sheets in their order', () => {
    expect(parsed(name).sheets.map(sheet => sheet.name)).toEqual(Object.keys(sheets))
  })

  it.each(Object.entries(sheets))('holds in "%s" what openpyxl sees', (sheetName, cells) => {
    const sheet = sheetOf(name, sheetName)
    const places = [...sheet.cells.keys()].map(key => {
      const { row, column } = placeOf(key)
      return `${columnName(column)}${row}`
    })
    for (const place of new Set([...Object.keys(cells), ...places])) {
      const [, letters = '', row = ''] = /^([A-Z]+)(\d+)$/.exec(place) ?? []
      const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
      const found = cellAt(sheet, Number(row), column)
      const expected = cells[place]
      if (expected?.[1] === 'nan') expect(sameValue(found, found), place).toBe(false)
      else expect([place, sameValue(found, expectedCell(expected ?? ['text', '']))]).toEqual([place, true])
    }
  })
})

describe('what the file says of a cell', () => {
  const texts = () => sheetOf('cells.xlsx', 'texts & more')
  const at = (row: number, column: number) => cellAt(texts(), row, column)

  it('keeps formulas beside their values', () => {
    expect(at(13, 2)).toEqual({ kind: 'number', value: 2, formula: '1+1' })
    expect(at(14, 2)).toEqual({ kind: 'boolean', value: true, formula: 'TRUE()' })
  })

  it('tells a formula that was never calculated from one that gave zero', () => {
    expect(at(8, 2)).toEqual({ kind: 'empty', formula: 'SUM(A1:A2)' })
    expect(at(9, 2)).toEqual({ kind: 'empty', formula: 'SUM(A1:A2)' })
    expect(at(10, 2)).toEqual({ kind: 'number', value: 0, formula: 'SUM(A1:A2)' })
    expect(at(17, 2)).toEqual({ kind: 'number', value: 0, formula: 'A2+1' })
    expect(at(18, 2)).toEqual({ kind: 'empty', formula: 'A3+1' })
  })

  it('knows errors, new ones too', () => {
    expect(at(5, 2)).toEqual({ kind: 'error', value: '#N/A' })
    expect(at(6, 2)).toEqual({ kind: 'error', value: '#SPILL!' })
  })

  it('reads only the first of merged cells', () => {
    expect([at(1, 4), at(1, 5), at(2, 4), at(4, 4), at(4, 5)].map(({ kind }) => kind)).toEqual([
      'number',
      'empty',
      'empty',
      'number',
      'empty',
    ])
    expect(texts().merged).toContainEqual({ top: 1, left: 4, bottom: 2, right: 5 })
  })

  it('has the range of what is used, or none', () => {
    expect(sheetOf('cells.xlsx', 'nothing').used).toBeUndefined()
    expect(texts().used).toMatchObject({ top: 1, left: 1, right: 7 })
  })
})

it('refuses other kinds of files that SheetJS would read', () => {
  const book = utils.book_new()
  utils.book_append_sheet(book, utils.aoa_to_sheet([[1, 2]]), 'one')
  for (const bookType of ['csv', 'ods', 'xlsb', 'xls'] as const) {
    const content: Buffer = write(book, { type: 'buffer', bookType })
    expect(() => parseWorkbook(content), bookType).toThrow('not an Excel workbook')
  }
})

it('rejects a huge text that is stored once and used in many cells', () => {
  const text = 'x'.repeat(30_000)
  const rows = Array.from({ length: 4000 }, (_, row) => `<row r="${row + 1}"><c t="s"><v>0</v></c></row>`)
  expect(() => parseWorkbook(workbookWith(rows.join(''), [text]))).toThrow(new WorkbookError('is too large'))
  expect(parseWorkbook(workbookWith(rows.slice(0, 9).join(''), [text])).sheets[0]?.cells.size).toBe(9)
})
