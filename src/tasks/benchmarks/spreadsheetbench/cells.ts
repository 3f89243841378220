/**
 * A workbook's values as stored in its file, without recalculation. A formula has its stored value or none.
 * Rows and columns count from 1.
 */
export interface Workbook {
  readonly sheets: readonly Sheet[]
}

export interface Sheet {
  readonly name: string
  /** Cells that hold a value or a formula, by `cellKey`. */
  readonly cells: ReadonlyMap<number, Cell>
  readonly merged: readonly Range[]
  /** The smallest range that contains all `cells`. */
  readonly used: Range | undefined
}

/** A rectangle of cells; it includes both ends. */
export interface Range {
  readonly top: number
  readonly left: number
  readonly bottom: number
  readonly right: number
}

export type Cell = (
  | { readonly kind: 'empty' }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'error'; readonly value: string }
  /** Milliseconds since 1899-12-30, the first day of Excel's calendar. */
  | { readonly kind: 'date'; readonly milliseconds: number }
  /** Milliseconds since midnight. */
  | { readonly kind: 'time'; readonly milliseconds: number }
  | { readonly kind: 'duration'; readonly milliseconds: number }
) & {
  /** The formula without its equals sign. */
  readonly formula?: string
}

/** The largest row and column that Excel supports. */
export const lastRow = 1_048_576
export const lastColumn = 16_384

export function cellKey(row: number, column: number): number {
  return row * lastColumn + column - 1
}

export function placeOf(key: number): { readonly row: number; readonly column: number } {
  return { row: Math.floor(key / lastColumn), column: (key % lastColumn) + 1 }
}

export function cellAt(sheet: Sheet, row: number, column: number): Cell {
  return sheet.cells.get(cellKey(row, column)) ?? { kind: 'empty' }
}

/** Keys of the cells in a range, unordered. A range may be a whole sheet with only a few cells. */
export function keysIn(range: Range, cells: ReadonlyMap<number, Cell>): number[] {
  const { top, left, bottom, right } = range
  const keys: number[] = []
  if ((bottom - top + 1) * (right - left + 1) > cells.size) {
    for (const key of cells.keys()) {
      const { row, column } = placeOf(key)
      if (row >= top && row <= bottom && column >= left && column <= right) keys.push(key)
    }
    return keys
  }
  for (let row = top; row <= bottom; row += 1) {
    for (let column = left; column <= right; column += 1) {
      const key = cellKey(row, column)
      if (cells.has(key)) keys.push(key)
    }
  }
  return keys
}

/** The letters of a column, such as `AA` for 27. */
export function columnName(column: number): string {
  const before = Math.floor((column - 1) / 26)
  return (before > 0 ? columnName(before) : '') + String.fromCharCode(65 + ((column - 1) % 26))
}
