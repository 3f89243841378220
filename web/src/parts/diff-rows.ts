import { diffLines, diffWordsWithSpace } from 'diff'

/** A piece of a line. `changed` means that the other text differs here. */
export interface Piece {
  readonly text: string
  readonly changed: boolean
}

export interface Side {
  /** 1-based line number. */
  readonly line: number
  readonly pieces: readonly Piece[]
}

/** A row of the side-by-side diff. Its line is the same on both sides, replaced, removed or added. */
export interface DiffRow {
  readonly kind: 'same' | 'changed'
  readonly before: Side | undefined
  readonly after: Side | undefined
}

/** Some visible rows, or a folded range of unchanged rows. */
export type DiffBlock =
  | { readonly kind: 'rows'; readonly start: number; readonly rows: readonly DiffRow[] }
  | { readonly kind: 'fold'; readonly start: number; readonly rows: readonly DiffRow[] }

/**
 * Time limit of a diff in milliseconds. Comparing two texts that have nothing in common would block the page
 * for longer, so they are shown as replaced.
 */
const patience = { timeout: 500 }

export function diffRows(before: string, after: string): readonly DiffRow[] {
  const changes = diffLines(before, after, patience) ?? [
    { value: before, added: false, removed: true },
    { value: after, added: true, removed: false },
  ]
  const rows: DiffRow[] = []
  let removed: readonly string[] = []
  let lineBefore = 1
  let lineAfter = 1
  const flush = (added: readonly string[]) => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      const { left, right } = pieces(removed[index], added[index])
      rows.push({
        kind: 'changed',
        before: left && { line: lineBefore++, pieces: left },
        after: right && { line: lineAfter++, pieces: right },
      })
    }
    removed = []
  }
  for (const change of changes) {
    const lines = linesOf(change.value)
    if (change.removed) removed = lines
    else if (change.added) flush(lines)
    else {
      flush([])
      for (const line of lines) {
        const whole = [{ text: line, changed: false }]
        rows.push({
          kind: 'same',
          before: { line: lineBefore++, pieces: whole },
          after: { line: lineAfter++, pieces: whole },
        })
      }
    }
  }
  flush([])
  return rows
}

/** Folds unchanged rows further than `context` from any change, if that saves more than one line. */
export function foldRows(rows: readonly DiffRow[], context = 3): readonly DiffBlock[] {
  const near = new Set<number>()
  rows.forEach((row, index) => {
    if (row.kind === 'same') return
    for (let other = index - context; other <= index + context; other++) near.add(other)
  })
  const blocks: DiffBlock[] = []
  let start = 0
  while (start < rows.length) {
    const isNear = near.has(start)
    let end = start + 1
    while (end < rows.length && near.has(end) === isNear) end++
    const part = rows.slice(start, end)
    blocks.push({ kind: isNear || part.length < 2 ? 'rows' : 'fold', start, rows: part })
    start = end
  }
  return blocks
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map(line => line.replace(/\r$/, ''))
}

/** Compares two corresponding lines word by word. Lines with little in common count as changed as a whole. */
function pieces(
  before: string | undefined,
  after: string | undefined,
): { left: readonly Piece[] | undefined; right: readonly Piece[] | undefined } {
  const whole = (text: string | undefined) => (text === undefined ? undefined : [{ text, changed: false }])
  if (before === undefined || after === undefined) return { left: whole(before), right: whole(after) }
  const words = diffWordsWithSpace(before, after, patience) ?? []
  const common = words.reduce((sum, word) => sum + (word.added || word.removed ? 0 : word.value.length), 0)
  if (common * 3 < Math.max(before.length, after.length)) return { left: whole(before), right: whole(after) }
  const side = (skip: 'added' | 'removed') =>
    words.flatMap(word =>
      word[skip] ? [] : [{ text: word.value, changed: word.added === true || word.removed === true }],
    )
  return { left: side('added'), right: side('removed') }
}

/** A line of the inline diff. */
export interface DiffLine {
  readonly change: 'same' | 'removed' | 'added'
  readonly before: number | undefined
  readonly after: number | undefined
  readonly pieces: readonly Piece[]
}

/** Turns rows into inline lines. In consecutive changed rows, all removed lines come first. */
export function linesInline(rows: readonly DiffRow[]): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let added: DiffLine[] = []
  for (const { kind, before, after } of rows) {
    if (kind === 'same' && before && after) {
      lines.push(...added, { change: 'same', before: before.line, after: after.line, pieces: after.pieces })
      added = []
      continue
    }
    if (before)
      lines.push({ change: 'removed', before: before.line, after: undefined, pieces: before.pieces })
    if (after) added.push({ change: 'added', before: undefined, after: after.line, pieces: after.pieces })
  }
  return [...lines, ...added]
}
