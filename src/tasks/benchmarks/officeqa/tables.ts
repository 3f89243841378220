import { type Cell, type HtmlTable, type Row, readTable } from './html-table.js'

/** A table with more cells stays as HTML; no page has that many. */
const mostCells = 20_000
/** A longer text is shown only once, even if its cell spans several columns or rows. */
const longestRepeated = 200

/** Converts the HTML tables of a text to Markdown; everything else stays unchanged. */
export function tablesToMarkdown(text: string): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end } of tablesIn(text)) {
    const before = text.slice(at, start)
    const table = toMarkdown(readTable(text.slice(start, end)))
    if (table === undefined) continue
    const opening = before === '' || before.endsWith('\n') ? '' : '\n'
    const closing = end === text.length || text[end] === '\n' || text[end] === '\r' ? '' : '\n'
    parts.push(before, opening, table, closing)
    at = end
  }
  return parts.length === 0 ? text : [...parts, text.slice(at)].join('')
}

/** Start and end of each outermost table. A table without end tag extends to the end of the text. */
function tablesIn(text: string): { readonly start: number; readonly end: number }[] {
  const found: { start: number; end: number }[] = []
  let start = 0
  let depth = 0
  for (const { 0: tag, index } of text.matchAll(/<\/?table(?=[\s/>])/gi)) {
    if (!tag.startsWith('</')) {
      if (depth === 0) start = index
      depth += 1
    } else if (depth > 0) {
      depth -= 1
      const closed = text.indexOf('>', index)
      if (depth === 0) found.push({ start, end: closed === -1 ? text.length : closed + 1 })
    }
  }
  return depth === 0 ? found : [...found, { start, end: text.length }]
}

function toMarkdown({ caption, stray, rows }: HtmlTable): string | undefined {
  const grid = spread(rows)
  if (grid === undefined) return undefined
  const width = Math.max(0, ...grid.map(line => line.length))
  const headings = headingRows(rows)
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, column) => escaped(cells[column] ?? '')).join(' | ')} |`
  const table =
    width === 0
      ? []
      : [
          line(joined(grid.slice(0, headings), width)),
          `|${' --- |'.repeat(width)}`,
          ...grid.slice(headings).map(line),
        ]
  const words = [stray, caption].filter(text => text !== '')
  const between = words.length > 0 && table.length > 0 ? [''] : []
  return [...words, ...between, ...table].join('\n')
}

/** Joins several heading rows into one, from general to specific: `Receipts > Customs`. */
function joined(rows: readonly (readonly string[])[], width: number): string[] {
  return Array.from({ length: width }, (_, column) => {
    const texts = rows.map(row => row[column] ?? '').filter(text => text !== '')
    return texts.filter((text, index) => text !== texts[index - 1]).join(' > ')
  })
}

/** The number of heading rows. Markdown requires one, so the first row is used if none is marked. */
function headingRows(rows: readonly Row[]): number {
  const first = rows.findIndex(({ head, cells }) => !head && !cells.every(({ heading }) => heading))
  return first === -1 ? 1 : Math.max(1, first)
}

/**
 * The cells as a grid, with each cell repeated in all positions that it spans. Undefined if the grid would be
 * too large.
 */
function spread(rows: readonly Row[]): string[][] | undefined {
  const grid: string[][] = []
  const reachingDown = new Map<number, { readonly text: string; readonly rows: number }>()
  let size = 0
  for (const { cells } of rows) {
    const line: string[] = []
    const fill = () => {
      for (let above = reachingDown.get(line.length); above; above = reachingDown.get(line.length)) {
        if (above.rows > 1) reachingDown.set(line.length, { ...above, rows: above.rows - 1 })
        else reachingDown.delete(line.length)
        line.push(above.text)
      }
    }
    for (const cell of cells) {
      fill()
      size += cell.columns
      if (size > mostCells) return undefined
      place(cell, line, reachingDown)
    }
    fill()
    size += line.length
    grid.push(line)
  }
  return grid
}

function place(
  { text, columns, rows }: Cell,
  line: string[],
  reachingDown: Map<number, { readonly text: string; readonly rows: number }>,
): void {
  const again = text.length > longestRepeated ? '' : text
  for (let column = 0; column < columns; column++) {
    if (rows > 1) reachingDown.set(line.length, { text: again, rows: rows - 1 })
    line.push(column === 0 ? text : again)
  }
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('|', '\\|')
}
