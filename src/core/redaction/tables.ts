import { isLocation, isPlaceholder, isScrambled } from './opaque.js'
import { matchAt, type Rule, type Span, spellings } from './rule.js'
import { type SecretName, secretName } from './secret-names.js'

const words = ['key', 'token', 'secret', 'pass', 'pwd', 'cred']

/** A Markdown table cell that names a secret, and the cell after it. */
const cellBefore = /\|[ \t]{0,40}[`*_]{0,3}$/
const nextCell =
  /[`*_]{0,3}[ \t]{0,40}\|[ \t]{0,40}[`*_]{0,2}([^|\n`]{1,256}?)[`*_]{0,2}[ \t]{0,40}(?=\||$|\n|\\n)/y

export const tableRowRule: Rule = {
  anchors: words.flatMap(spellings),
  find(text, at) {
    const name = secretName(text, at)
    if (name === undefined || !cellBefore.test(text.slice(Math.max(0, name.start - 44), name.start)))
      return undefined
    const match = matchAt(nextCell, text, name.end)
    const value = match?.[1] ?? ''
    if (match === undefined || !isCellSecret(name, value)) return undefined
    const start = name.end + match[0].lastIndexOf(value)
    return { kind: name.kind, start, end: start + value.length, certainty: 1 }
  },
}

/** Whether a table cell is a secret. A plain word is not, since many tables describe fields. */
function isCellSecret(name: SecretName, value: string): boolean {
  if (value.length < 5 || /\s/.test(value) || isPlaceholder(value) || isLocation(value)) return false
  if (isScrambled(value)) return true
  return name.strength === 'strong' && /^(?=.*\p{L})(?=.*[\d!@#$%^&*?])[^()<>[\]{}]+$/u.test(value)
}

const mostRows = 20
const longestLine = 600

/** A table column whose heading names a secret, in CSV (as consoles offer for download) and in Markdown. */
export const tableColumnRule: Rule = {
  anchors: words.flatMap(spellings),
  find(text, at) {
    const name = secretName(text, at)
    if (name === undefined) return undefined
    const lineStart = startOfLine(text, at)
    const head = lineStart === undefined ? undefined : lineAt(text, lineStart)
    if (lineStart === undefined || head === undefined) return undefined
    const delimiter = [',', '|', '\t', ';'].find(each => head.includes(each))
    if (delimiter === undefined) return undefined
    const headings = head.split(delimiter)
    if (headings.length < 2 || !headings.every(isHeading)) return undefined
    const column = text.slice(lineStart, at).split(delimiter).length - 1
    // The heading must end with the name: `Access key ID` is no key.
    const [after = ''] = text.slice(name.end, lineStart + head.length).split(delimiter)
    if (!/^["'\s*`]{0,6}$/.test(after)) return undefined
    const cells = [
      ...cellsOf(text, lineStart + head.length + 1, { delimiter, column, width: headings.length }),
    ]
    const spans = cells.filter(cell => isColumnSecret(name, text.slice(cell.start, cell.end)))
    return spans.map((cell): Span => ({ kind: name.kind, ...cell, certainty: 1 }))
  },
}

const isHeading = (cell: string) =>
  /^[\s"'*`]{0,8}(?:[\p{L}][\p{L}\d _.()/-]{0,40})?[\s"'*`]{0,8}$/u.test(cell)

/** Start of the line; undefined if the line is too long for a table. The search is limited to that length. */
function startOfLine(text: string, at: number): number | undefined {
  const from = Math.max(0, at - longestLine)
  const lineEnd = text.slice(from, at).lastIndexOf('\n')
  if (lineEnd === -1) return from === 0 ? 0 : undefined
  return from + lineEnd + 1
}

function lineAt(text: string, start: number): string | undefined {
  const [line = ''] = text.slice(start, start + longestLine + 1).split('\n', 1)
  return line.length > longestLine ? undefined : line
}

interface Column {
  readonly delimiter: string
  readonly column: number
  readonly width: number
}

function* cellsOf(text: string, from: number, { delimiter, column, width }: Column) {
  let lineStart = from
  for (let row = 0; row < mostRows && lineStart < text.length; row++) {
    const line = lineAt(text, lineStart)
    const cells = line?.split(delimiter)
    if (line === undefined || cells === undefined || cells.length !== width) return
    const cell = cells[column] ?? ''
    const value = /^[\s"'`]*(.*?)[\s"'`]*$/.exec(cell)?.[1] ?? ''
    const start =
      lineStart + cells.slice(0, column).join(delimiter).length + (column > 0 ? 1 : 0) + cell.indexOf(value)
    if (value !== '' && !/^:?-+:?$/.test(value)) yield { start, end: start + value.length }
    lineStart += line.length + 1
  }
}

function isColumnSecret(name: SecretName, value: string): boolean {
  if (value.length < 4 || /\s/.test(value) || isPlaceholder(value) || isLocation(value)) return false
  if (isScrambled(value)) return true
  if (name.strength === 'weak' || /^(?:true|false|yes|no|null|none|\d+)$/i.test(value)) return false
  return /^(?=.*\p{L})(?=.*[\d!@#$%^&*?_-])/u.test(value) || name.kind === 'password'
}
