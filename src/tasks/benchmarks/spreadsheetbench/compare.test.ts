import { describe, expect, it } from 'vitest'
import { pythonTable } from '../../../../test/support/python-table.js'
import { timeLimit } from '../../../../test/support/time-limit.js'
import { type Cell, cellKey, type Workbook } from './cells.js'
import { compareWorkbooks, sameValue } from './compare.js'
import { parsePositions } from './positions.js'

const number = (value: number): Cell => ({ kind: 'number', value })

function book(sheets: Readonly<Record<string, readonly (readonly [number, number, Cell])[]>>): Workbook {
  return {
    sheets: Object.entries(sheets).map(([name, cells]) => ({
      name,
      cells: new Map(cells.map(([row, column, cell]) => [cellKey(row, column), cell])),
      merged: [],
      used: undefined,
    })),
  }
}

describe('two cells', () => {
  it('are equal where they are to the benchmark', () => {
    const { cells, same } = pythonTable
    const ours = cells.map(one => cells.map(other => (sameValue(one, other) ? '1' : '0')).join(''))
    expect(ours).toEqual(same)
  })
})

describe('two workbooks', () => {
  const gold = book({
    First: [[1, 1, number(1)]],
    Second: [
      [2, 2, number(5)],
      [3, 2, number(6)],
    ],
  })

  it('pass where every cell of the positions is the same', () => {
    const made = book({
      Second: [
        [2, 2, number(5.001)],
        [9, 9, number(1)],
      ],
      First: [[1, 1, number(1)]],
    })
    expect(compareWorkbooks(gold, made, parsePositions('A1,Second!A1:B2')).passed).toBe(true)
  })

  it('name the cells that differ, in the order of reading', () => {
    const made = book({
      First: [],
      Second: [
        [3, 2, number(7)],
        [2, 1, number(1)],
      ],
    })
    const { passed, wrong } = compareWorkbooks(gold, made, parsePositions('Second!A1:C9'))
    expect(passed).toBe(false)
    expect(wrong).toEqual([
      { cell: 'Second!A2', expected: { kind: 'empty' }, found: number(1) },
      { cell: 'Second!B2', expected: number(5), found: { kind: 'empty' } },
      { cell: 'Second!B3', expected: number(6), found: number(7) },
    ])
  })

  it('are compared on the first sheet of the reference file where none is named', () => {
    const made = book({ Second: [], First: [] })
    expect(compareWorkbooks(gold, made, parsePositions('A1')).wrong[0]?.cell).toBe('First!A1')
  })

  it('are compared on the first of several answer sheets, unless one has that name', () => {
    const made = book({ First: [], Second: [] })
    const positions = parsePositions('B2', 'Second,First')
    expect(compareWorkbooks(gold, made, positions).wrong[0]?.cell).toBe('Second!B2')
    const odd = book({ Second: [], 'Second,First': [[2, 2, number(1)]] })
    expect(compareWorkbooks(odd, made, positions).missingSheets).toEqual(['Second,First'])
  })

  it('do not pass without the sheet, whichever of them lacks it', () => {
    const made = book({ First: [[1, 1, number(1)]] })
    expect(compareWorkbooks(gold, made, parsePositions('First!A1,Second!A1'))).toMatchObject({
      passed: false,
      missingSheets: ['Second'],
      wrong: [],
    })
    expect(compareWorkbooks(made, gold, parsePositions('Third!A1'))).toMatchObject({
      passed: false,
      unknownSheets: ['Third'],
    })
  })

  it('are compared in whole columns without walking through a million rows for each', () => {
    const made = book({
      First: [
        [1, 1, number(1)],
        [1_048_576, 16_384, number(3)],
      ],
    })
    const started = performance.now()
    const { wrong } = compareWorkbooks(gold, made, parsePositions('A:XFD'))
    expect(performance.now() - started).toBeLessThan(timeLimit(200))
    expect(wrong.map(({ cell }) => cell)).toEqual(['First!XFD1048576'])
  })

  it('are compared in far less than a second with 50,000 cells', () => {
    const cells = Array.from(
      { length: 50_000 },
      (_, index) => [1 + Math.floor(index / 50), 1 + (index % 50), number(index / 7)] as const,
    )
    const large = book({ First: cells })
    const other = book({ First: cells.map(([row, column, cell]) => [row, column, { ...cell }]) })
    const started = performance.now()
    expect(compareWorkbooks(large, other, parsePositions('A1:AX1000')).passed).toBe(true)
    expect(performance.now() - started).toBeLessThan(timeLimit(1000))
  })
})
