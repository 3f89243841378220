/** Converts SheetJS cells to ours, and corrects differences from how openpyxl reads the same file. */
import { type CellObject, read, type WorkSheet } from '@e965/xlsx'
import { type Cell, cellKey, keysIn, placeOf, type Range, type Sheet, type Workbook } from './cells.js'
import { dateOf, durationOf, meaningOf, type NumberMeaning } from './excel-time.js'
import { WorkbookError } from './workbook-error.js'

export function parseWorkbook(content: Uint8Array): Workbook {
  const book = read(content, {
    type: 'buffer',
    dense: true,
    cellNF: true,
    cellHTML: false,
    // Keeps formulas without a stored value, which would otherwise be dropped.
    sheetStubs: true,
  })
  if (book.bookType !== 'xlsx' && book.bookType !== 'xlsm') throw new Error('not an Excel workbook')
  const reading = { date1904: book.Workbook?.WBProps?.date1904 ?? false, meanings: new Map() }
  const sheets: Sheet[] = []
  for (const name of book.SheetNames) {
    const sheet = book.Sheets[name]
    if (sheet !== undefined && sheet['!type'] !== 'chart') sheets.push(readSheet(name, sheet, reading))
  }
  refuseTooMuch(sheets)
  return { sheets }
}

const mostCells = 2_000_000
const mostCharacters = 100_000_000

/** Limits the text, because the file stores a repeated text once, but each parsed cell has a copy. */
function refuseTooMuch(sheets: readonly Sheet[]): void {
  let characters = 0
  for (const { cells } of sheets) {
    for (const cell of cells.values()) {
      characters += (cell.kind === 'text' ? cell.value.length : 0) + (cell.formula?.length ?? 0)
    }
  }
  const count = sheets.reduce((sum, { cells }) => sum + cells.size, 0)
  if (count > mostCells || characters > mostCharacters) throw new WorkbookError('is too large')
}

interface Reading {
  readonly date1904: boolean
  /** Meanings by number format, cached because many cells share few formats. */
  readonly meanings: Map<string, NumberMeaning>
}

function readSheet(name: string, sheet: WorkSheet, reading: Reading): Sheet {
  const cells = new Map<number, Cell>()
  // Empty rows and columns are holes in the array, which `forEach` skips.
  sheet['!data']?.forEach((cellsOfRow, row) => {
    cellsOfRow.forEach((given, column) => {
      const formula = given.f === undefined ? {} : { formula: given.f }
      const cell = { ...withoutFormula(given, reading), ...formula }
      if (cell.kind !== 'empty' || cell.formula !== undefined) cells.set(cellKey(row + 1, column + 1), cell)
    })
  })
  const merged = (sheet['!merges'] ?? []).map(({ s, e }) => ({
    top: s.r + 1,
    left: s.c + 1,
    bottom: e.r + 1,
    right: e.c + 1,
  }))
  blankCovered(cells, merged)
  return { name, cells, merged, used: rangeAround(cells) }
}

function withoutFormula({ t, v, w, z, r, l }: CellObject, reading: Reading): Cell {
  if (t === 'n' && typeof v === 'number') return numberOf(v, String(z ?? ''), reading)
  if (t === 'b') return { kind: 'boolean', value: v === true }
  if (t === 's') return { kind: 'text', value: textOf(String(v ?? ''), r) }
  // The formatted text shows every kind of error; the value only knows those of twenty years ago.
  if (t === 'e' && w !== undefined) return { kind: 'error', value: w }
  // The value of an empty cell with a link is the link's text.
  return l === undefined ? { kind: 'empty' } : { kind: 'text', value: linkText(l) }
}

function numberOf(value: number, format: string, { date1904, meanings }: Reading): Cell {
  const meaning = meanings.get(format) ?? meaningOf(format)
  meanings.set(format, meaning)
  if (meaning === 'date') return dateOf(value, date1904)
  return meaning === 'duration' ? durationOf(value) : { kind: 'number', value }
}

/**
 * The text of a cell as openpyxl reads it. SheetJS decodes `_x000D_` and drops carriage returns; openpyxl
 * does not. If the raw text may contain either, it is decoded here. Texts from formulas have no raw text and
 * stay unchanged.
 */
function textOf(text: string, raw: unknown): string {
  if (typeof raw !== 'string' || !/_x|&#|\r/.test(raw)) return text
  const runs = raw.replace(/<rPh[\s>][\s\S]*?<\/rPh>/g, '').matchAll(/<t(?:\s[^>]*)?>([\s\S]*?)<\/t>/g)
  return [...runs]
    .map(([, run = '']) => decodeXml(run))
    .join('')
    .replaceAll('x005F_', '')
}

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function decodeXml(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/&(?:#x([0-9a-f]+)|#([0-9]+)|([a-z]+));/gi, (whole, hex, decimal, name) => {
      if (name !== undefined) return named[name] ?? whole
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
    })
}

function linkText(link: { readonly Target: string; readonly Rel?: { readonly Target?: string } }): string {
  const target = link.Rel?.Target ?? link.Target
  return target.startsWith('#') ? target.slice(1) : target
}

/** A merged range shows only its first cell; values stored in its other cells are removed. */
function blankCovered(cells: Map<number, Cell>, merged: readonly Range[]): void {
  for (const range of merged) {
    const first = cellKey(range.top, range.left)
    for (const key of keysIn(range, cells)) if (key !== first) cells.delete(key)
  }
}

function rangeAround(cells: ReadonlyMap<number, Cell>): Range | undefined {
  if (cells.size === 0) return undefined
  const around = { top: Infinity, left: Infinity, bottom: 0, right: 0 }
  for (const key of cells.keys()) {
    const { row, column } = placeOf(key)
    around.top = Math.min(around.top, row)
    around.left = Math.min(around.left, column)
    around.bottom = Math.max(around.bottom, row)
    around.right = Math.max(around.right, column)
  }
  return around
}
