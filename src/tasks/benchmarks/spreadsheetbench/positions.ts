import { strip } from '../../scoring/python-text.js'
import { lastColumn, lastRow, type Range } from './cells.js'

/** One place of an answer. Without a sheet, it is on the first sheet of the reference file. */
export interface Position {
  readonly sheet?: string
  /** A whole column or row reaches to the end of the sheet. */
  readonly range: Range
}

/** A sheet's name in quotes may hold commas; every other comma stands between two places. */
const places = /(?:'[^'!]*'!|[^,])+/g

/**
 * Reads `A1:B5`, `'Sheet 2'!C3`, several of them with commas between, whole columns (`A:G`) and rows (`2:5`). Published
 * items have quotes in odd places (`'Sheet1!'A2:B19`), spaces and dollar signs: they are passed over. Throws `Error`
 * that says which place cannot be read.
 *
 * @param answerSheet Where the first place is if no place names a sheet: so the benchmark's data means it.
 */
export function parsePositions(text: string, answerSheet?: string): readonly Position[] {
  const written = (text.match(places) ?? []).map(strip).filter(place => place !== '')
  if (written.length === 0) throw new Error('it names no cell')
  const named = text.includes('!')
  return written.map((place, index) => parsePlace(place, named || index > 0 ? undefined : answerSheet))
}

function parsePlace(place: string, answerSheet: string | undefined): Position {
  const mark = place.indexOf('!')
  const range = parseRange(place.slice(mark + 1))
  if (range === undefined) throw new Error(`"${place}" is no cell or range`)
  const sheet = mark < 0 ? answerSheet : place.slice(0, mark)
  const name = sheet === undefined ? '' : unquote(sheet)
  return { ...(name === '' ? {} : { sheet: name }), range }
}

function parseRange(text: string): Range | undefined {
  const bare = text.replace(/[\s$'"]/g, '').toUpperCase()
  const [, column, row, colon, endColumn, endRow] =
    /^([A-Z]{1,3})?([0-9]{1,7})?(?:(:)([A-Z]{1,3})?([0-9]{1,7})?)?$/.exec(bare) ?? []
  const isCell = column !== undefined && row !== undefined
  if (colon === undefined) return isCell ? within(column, row, column, row) : undefined
  // Both ends are of one kind: cells, columns or rows.
  const sameKind =
    (column === undefined) === (endColumn === undefined) && (row === undefined) === (endRow === undefined)
  if (!sameKind || (column === undefined && row === undefined)) return undefined
  return within(column ?? 'A', row ?? '1', endColumn ?? columnLetters, endRow ?? String(lastRow))
}

const columnLetters = 'XFD'

/** Nothing for a range that is outside of every sheet, or runs backwards and so holds no cell. */
function within(column: string, row: string, endColumn: string, endRow: string): Range | undefined {
  const range = {
    top: Number(row),
    left: columnNumber(column),
    bottom: Number(endRow),
    right: columnNumber(endColumn),
  }
  const possible = range.top >= 1 && range.bottom <= lastRow && range.right <= lastColumn
  return possible && range.top <= range.bottom && range.left <= range.right ? range : undefined
}

function columnNumber(letters: string): number {
  return [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0)
}

function unquote(text: string): string {
  return strip(text).replace(/^['"]+|['"]+$/g, '')
}
