/** The content of a page of text, which its layout divides into labelled entries and tables. */

export interface Entry {
  readonly label: string
  readonly value: string
}

interface Table {
  /** Names of the columns after the first. The first column contains the names of the rows. */
  readonly columns: readonly string[]
  readonly rows: readonly { readonly label: string; readonly values: readonly string[] }[]
}

export interface Page {
  readonly entries: readonly Entry[]
  readonly tables: readonly Table[]
}

export function readLayout(text: string): Page {
  const lines = text.split('\n')
  const tables = tablesIn(lines.map(cellsOf))
  return { entries: lines.flatMap(entryIn), tables }
}

/** Splits a line into cells, which are separated by two or more spaces. */
function cellsOf(line: string): string[] {
  return line.trim().split(/ {2,}/)
}

function entryIn(line: string): Entry[] {
  const [, label, value] = /^([^:]+): +(.+)$/.exec(line.trim()) ?? []
  if (label !== undefined && value !== undefined) return [{ label, value }]
  const [first, second, ...more] = cellsOf(line)
  return first === undefined || second === undefined || more.length > 0
    ? []
    : [{ label: first, value: second }]
}

/**
 * Finds tables: consecutive lines with the same number of cells, at least three. The first line contains the
 * names of the columns.
 */
function tablesIn(lines: readonly (readonly string[])[]): Table[] {
  const tables: Table[] = []
  for (let at = 0; at < lines.length; ) {
    const width = lines[at]?.length ?? 0
    const after = lines.findIndex((cells, index) => index > at && cells.length !== width)
    const end = after === -1 ? lines.length : after
    const [header, ...rows] = lines.slice(at, end)
    if (width >= 3 && header !== undefined && rows.length > 0)
      tables.push({
        columns: header.slice(1),
        rows: rows.map(([label = '', ...values]) => ({ label, values })),
      })
    at = end
  }
  return tables
}

const empty = new Set(
  'a an the is was were are of for in on by at what which who whom how many much does has have there it'.split(
    ' ',
  ),
)

export function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter(word => !empty.has(word))
}

/** Whether a question contains all words of a label. */
export function isNamedIn(label: string, question: string): boolean {
  const asked = new Set(wordsOf(question))
  const words = wordsOf(label)
  return words.length > 0 && words.every(word => asked.has(word))
}
