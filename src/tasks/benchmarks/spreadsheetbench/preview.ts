import { type Cell, cellAt, columnName, type Sheet, type Workbook } from './cells.js'

export interface PreviewLimits {
  readonly rows: number
  readonly columns: number
  /** Maximum number of characters per value. */
  readonly characters: number
}

/** The first rows of every sheet as tables with the names of rows and columns. */
export function previewOf({ sheets }: Workbook, limits: PreviewLimits): string {
  return sheets.map(sheet => sheetPreview(sheet, limits)).join('\n\n')
}

function sheetPreview(sheet: Sheet, limits: PreviewLimits): string {
  const { name, used } = sheet
  if (used === undefined) return `Sheet "${name}": empty`
  const rows = numbersTo(Math.min(used.bottom, limits.rows))
  const columns = numbersTo(Math.min(used.right, limits.columns))
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const extent = `${columnName(used.left)}${used.top}:${columnName(used.right)}${used.bottom}`
  return [
    `Sheet "${name}": values in ${extent}`,
    line(['', ...columns.map(columnName)]),
    ...rows.map(row =>
      line([String(row), ...columns.map(column => shown(cellAt(sheet, row, column), limits.characters))]),
    ),
    ...more(used.bottom - rows.length, 'row'),
    ...more(used.right - columns.length, 'column'),
  ].join('\n')
}

function shown(cell: Cell, characters: number): string {
  const value = valueText(cell)
  const text = cell.formula === undefined ? value : `${value} (=${cell.formula})`.trim()
  const oneLine = text.replace(/\s*[\r\n]+\s*/g, ' ').replaceAll('|', '\\|')
  const kept = [...oneLine]
  return kept.length > characters ? `${kept.slice(0, characters - 1).join('')}…` : oneLine
}

/** Text that looks like a number or date is quoted, because a program must treat it as text. */
export function valueText(cell: Cell): string {
  switch (cell.kind) {
    case 'empty':
      return ''
    case 'text':
      return /^[\s\d.,:/()$€£%+-]*\d[\s\d.,:/()$€£%+-]*$/.test(cell.value) ? `"${cell.value}"` : cell.value
    case 'error':
      return cell.value
    case 'number':
      return String(cell.value)
    case 'boolean':
      return cell.value ? 'TRUE' : 'FALSE'
    case 'date':
      return dateText(cell.milliseconds)
    case 'time':
      return clockText(cell.milliseconds)
    case 'duration':
      return durationText(cell.milliseconds)
  }
}

const firstDay = Date.UTC(1899, 11, 30)

function dateText(milliseconds: number): string {
  const [day, clock = ''] = new Date(firstDay + milliseconds).toISOString().slice(0, 19).split('T')
  return clock === '00:00:00' ? `${day}` : `${day} ${clock}`
}

function durationText(milliseconds: number): string {
  const length = Math.abs(milliseconds)
  const hours = Math.floor(length / 3_600_000)
  return `${milliseconds < 0 ? '-' : ''}${hours}:${clockText(length).slice(3)}`
}

function clockText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(11, 19)
}

function numbersTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}

function more(count: number, what: string): string[] {
  return count > 0 ? [`(${count} more ${count === 1 ? what : `${what}s`})`] : []
}
