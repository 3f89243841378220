import { mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'

type Cell = string | number

/** Pads columns to their widest cell and right-aligns numbers. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [head, ...rows].map(row => row.map(String))
  const widths = head.map((_, column) => Math.max(...texts.map(row => (row[column] ?? '').length)))
  const isNumber = head.map((_, column) => rows.length > 0 && rows.every(row => isFigure(row[column])))
  const line = (row: readonly string[]) =>
    row
      .map((text, column) => {
        const width = widths[column] ?? 0
        return isNumber[column] === true ? text.padStart(width) : text.padEnd(width)
      })
      .join('  ')
      .trimEnd()
  const rule = widths.map(width => '-'.repeat(width)).join('  ')
  return [line(texts[0] ?? []), rule, ...texts.slice(1).map(line)].join('\n')
}

function isFigure(cell: Cell | undefined): boolean {
  return typeof cell === 'number' || /^[+-]?[\d,.]+( ?[%a-zA-Z/]+)?$/.test(cell ?? '')
}

/** Results from a busy machine are unreliable, so each result records the load. */
export function saveResult(name: string, result: object): void {
  const folder = new URL('../bench-results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const load = loadavg().map(value => Math.round(value * 100) / 100)
  const about = { node: process.version, load }
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify({ ...about, ...result }, null, 2)}\n`)
  console.log(
    `\nLoad of this machine over 1, 5 and 15 minutes: ${load.join(', ')}. Written to bench-results/${name}.json.`,
  )
}

export const count = (value: number): string => Math.round(value).toLocaleString('en-US')
export const met = (isMet: boolean): string => (isMet ? 'met' : 'NOT MET')
