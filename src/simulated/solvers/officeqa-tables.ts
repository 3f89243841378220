/**
 * Tables of finance bulletins, as the simulated target reads them. They are in Markdown, with a heading in
 * the lines above.
 */

export interface ReadTable {
  readonly heading: string
  /** Names of the columns, except the column of labels. */
  readonly columns: readonly string[]
  readonly rows: readonly { readonly label: string; readonly cells: readonly string[] }[]
}

/** Maximum number of lines between a table and its heading. */
const headingLines = 4

export function tablesIn(text: string): ReadTable[] {
  const lines = text.split('\n')
  const tables: ReadTable[] = []
  let start = 0
  while (start < lines.length) {
    if (!isRow(lines[start])) {
      start += 1
      continue
    }
    let end = start
    while (isRow(lines[end])) end += 1
    const above = lines.slice(Math.max(0, start - headingLines), start)
    const heading = above.findLast(line => line.trim() !== '') ?? ''
    tables.push(toTable(heading.trim(), lines.slice(start, end).map(cellsOf)))
    start = end
  }
  return tables
}

/** The cells of a row. The first one is the label. */
export function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map(cell => cell.trim())
}

export function isRow(line: string | undefined): boolean {
  return line?.trimStart().startsWith('|') === true
}

/** The first number in a text. Commas are ignored. */
export function numberIn(text: string): number | undefined {
  const written = /-?\d[\d,]*(?:\.\d+)?/.exec(text)?.[0]
  return written === undefined ? undefined : Number(written.replaceAll(',', ''))
}

function toTable(heading: string, rows: readonly string[][]): ReadTable {
  const [[, ...columns] = [], ...rest] = rows
  const isRule = (cells: readonly string[]) => cells.every(cell => /^:?-+:?$/.test(cell))
  return {
    heading,
    columns,
    rows: rest.filter(cells => !isRule(cells)).map(([label = '', ...cells]) => ({ label, cells })),
  }
}
