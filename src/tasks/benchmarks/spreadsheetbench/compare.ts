import { pythonFloat, pythonRound } from '../../scoring/python-number.js'
import { type Cell, columnName, keysIn, placeOf, type Sheet, type Workbook } from './cells.js'
import type { Position } from './positions.js'

export interface WrongCell {
  /** Address such as `Sheet1!B5`. */
  readonly cell: string
  readonly expected: Cell
  readonly found: Cell
}

export interface Comparison {
  readonly passed: boolean
  readonly wrong: readonly WrongCell[]
  /** Sheets with expected answers that the agent's workbook lacks. */
  readonly missingSheets: readonly string[]
  /** Sheets that the reference file itself lacks. If there are any, no workbook can pass. */
  readonly unknownSheets: readonly string[]
}

/** Compares the values of all cells in the given positions. Formatting is ignored. */
export function compareWorkbooks(gold: Workbook, made: Workbook, positions: readonly Position[]): Comparison {
  const wrong: WrongCell[][] = []
  const missingSheets = new Set<string>()
  const unknownSheets = new Set<string>()
  for (const { sheet, range } of positions) {
    const name = sheetFor(sheet, gold)
    const expected = sheetNamed(gold, name)
    const found = sheetNamed(made, name)
    if (expected === undefined) unknownSheets.add(name)
    else if (found === undefined) missingSheets.add(name)
    else wrong.push(differences(expected, found, range))
  }
  const wrongCells = wrong.flat()
  return {
    passed: wrongCells.length === 0 && missingSheets.size === 0 && unknownSheets.size === 0,
    wrong: wrongCells,
    missingSheets: [...missingSheets],
    unknownSheets: [...unknownSheets],
  }
}

/** The sheet of an answer. One published task names several sheets, of which the first is used. */
function sheetFor(name: string | undefined, gold: Workbook): string {
  if (name === undefined) return gold.sheets[0]?.name ?? ''
  const [first = ''] = name.split(',')
  return sheetNamed(gold, name) === undefined && sheetNamed(gold, first) !== undefined ? first : name
}

function sheetNamed(workbook: Workbook, name: string): Sheet | undefined {
  return workbook.sheets.find(sheet => sheet.name === name)
}

const empty: Cell = { kind: 'empty' }

function differences(gold: Sheet, made: Sheet, range: Position['range']): WrongCell[] {
  // Cells that are in neither workbook are empty in both, so they are not compared.
  const added = keysIn(range, made.cells).filter(key => !gold.cells.has(key))
  const cellsAt = (key: number) => ({
    expected: gold.cells.get(key) ?? empty,
    found: made.cells.get(key) ?? empty,
  })
  const differs = (key: number) => {
    const { expected, found } = cellsAt(key)
    return !sameValue(expected, found)
  }
  return [...keysIn(range, gold.cells), ...added]
    .filter(differs)
    .sort((one, other) => one - other)
    .map(key => {
      const { row, column } = placeOf(key)
      return { cell: `${gold.name}!${columnName(column)}${row}`, ...cellsAt(key) }
    })
}

/** Whether two values are equal by the benchmark's own rule. NaN is not equal even to itself. */
export function sameValue(one: Cell, other: Cell): boolean {
  // Most cells of large sheets are equal numbers. Comparing them first avoids most of the rounding.
  if (one.kind === 'number' && other.kind === 'number' && one.value === other.value) return true
  const left = comparable(one)
  const right = comparable(other)
  return left.kind === right.kind && left.value === right.value
}

type Comparable =
  | { readonly kind: 'number' | 'duration'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }

/**
 * The form in which values are compared. Numbers, booleans and numbers written as text are rounded to two
 * decimals, dates to the day, and times are text to the minute. An empty cell equals the empty text.
 */
function comparable(cell: Cell): Comparable {
  switch (cell.kind) {
    case 'empty':
      return { kind: 'text', value: '' }
    case 'number':
    case 'boolean':
      return { kind: 'number', value: pythonRound(Number(cell.value), 2) }
    case 'text':
    case 'error': {
      const number = pythonFloat(cell.value)
      if (number === undefined) return { kind: 'text', value: cell.value }
      return { kind: 'number', value: pythonRound(number, 2) }
    }
    case 'date':
      return { kind: 'number', value: pythonRound(daysOf(cell.milliseconds)) }
    case 'time':
      return { kind: 'text', value: timeText(cell.milliseconds) }
    case 'duration':
      return { kind: 'duration', value: cell.milliseconds }
  }
}

/** Converts to days. It divides whole seconds, because milliseconds could round differently at noon. */
function daysOf(milliseconds: number): number {
  const days = Math.floor(milliseconds / 86_400_000)
  const seconds = Math.floor((milliseconds - days * 86_400_000) / 1000)
  return days + seconds / 86_400
}

/**
 * A time as text without its last three characters: the seconds, or the last digits of the six that Python
 * writes after the point.
 */
function timeText(milliseconds: number): string {
  const [clock = '', fraction] = new Date(milliseconds).toISOString().slice(11, 23).split('.')
  return fraction === '000' ? clock.slice(0, -3) : `${clock}.${fraction}`
}
