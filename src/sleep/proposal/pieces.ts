/** A paragraph, list item, heading or protected part of a text. */
export interface Piece {
  readonly text: string
  readonly start: number
  readonly end: number
  /** White space between this piece and the previous one. */
  readonly gap: string
}

/**
 * Splits a text into pieces that a person can accept or reject separately. Everything but white space between
 * pieces belongs to a piece.
 */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  for (const { start, end } of ranges(text)) {
    const piece = text.slice(start, end)
    const from = start + (/^(?:[ \t]*\n)*/.exec(piece)?.[0].length ?? 0)
    const to = start + piece.trimEnd().length
    if (to <= from) continue
    const before = pieces.at(-1)?.end ?? 0
    pieces.push({ text: text.slice(from, to), start: from, end: to, gap: text.slice(before, from) })
  }
  return pieces
}

interface Range {
  readonly start: number
  readonly end: number
}

function ranges(text: string): Range[] {
  const found: Range[] = []
  let begun = 0
  let at = 0
  let inside: ((line: string) => boolean) | undefined
  let before = ''
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (inside === undefined) {
      if (at > begun && begins(line, before)) {
        found.push({ start: begun, end: at })
        begun = at
      }
      inside = endOfBlock(line)
    } else if (inside(line)) inside = undefined
    before = line
    at += line.length
  }
  return [...found, { start: begun, end: at }]
}

/** True if a line begins a new piece. An indented line after a blank line still belongs to its list item. */
function begins(line: string, before: string): boolean {
  if (line.trim() === '') return false
  if (/^ ?(?:[-*+]|\d+[.)])[ \t]|^#{1,6}[ \t]|^<!-- \w+_START -->/.test(line) || /^#{1,6}[ \t]/.test(before))
    return true
  return before.trim() === '' && !/^(?: {2}|\t)/.test(line)
}

/** For a line that opens a code block or a protected part, returns a test for the line that closes it. */
function endOfBlock(line: string): ((later: string) => boolean) | undefined {
  const kind = /^<!-- (\w+)_START -->/.exec(line)?.[1]
  if (kind !== undefined) return later => later.includes(`<!-- ${kind}_END -->`)
  const fence = /^\s*(`{3,}(?=[^`]*$)|~{3,})/.exec(line.trimEnd())?.[1]
  if (fence === undefined) return undefined
  return later => later.trim().startsWith(fence) && /^[`~]+$/.test(later.trim())
}
