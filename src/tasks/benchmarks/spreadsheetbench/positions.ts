import { strip } from '../../scoring/python-text.js'
import { lastColumn, lastRow, type Range } from './cells.js'

/** A range of cells that holds an answer. Without a sheet, it is on the reference file's first sheet. */
export interface Position {
  readonly sheet?: string
  /** The range of cells. A whole column or row extends to the end of the sheet. */
  readonly range: Range
}

/** Matches one position. Commas separate positions, except in a quoted sheet name. */
const places = /(?:'[^'!]*'!|[^,])+/g

/**
 * Parses `A1:B5`, `'Sheet 2'!C3`, comma-separated lists of them, whole columns (`A:G`) and rows (`2:5`).
 * Published items have misplaced quotes (`'Sheet1!'A2:B19`), spaces and dollar signs, which are ignored.
 * Throws an `Error` that names the unreadable position.
 *
 * @param answerSheet Sheet of the first position if no position names one, as the benchmark's data intends.
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
  // Both ends must be of the same kind: two cells, two columns or two rows.
  const sameKind =
    (column === undefined) === (endColumn === undefined) && (row === undefined) === (endRow === undefined)
  if (!sameKind || (column === undefined && row === undefined)) return undefined
  return within(column ?? 'A', row ?? '1', endColumn ?? columnLetters, endRow ?? String(lastRow))
}

const columnLetters = 'XFD'

/** The range; undefined if it is outside every sheet or runs backwards and so contains no cell. */
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
