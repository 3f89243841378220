import { diffArrays } from 'diff'
import { type Splice, spliceText } from '../../core/skill/skill.js'
import { type EditStep, editRegion, tidyRegion } from '../model/proposal.js'
import { type Piece, piecesOf } from './pieces.js'

/**
 * Computes edits that turn one text into another, piece by piece. Each edit can be chosen independently,
 * because its anchor is in the old text. Empty if no edits can express the change.
 */
export function pieceEdits(current: string, wanted: string): readonly EditStep[] {
  const plans = [() => editsByPiece(current, wanted), () => [wholeEdit(current, wanted)]]
  for (const plan of plans) {
    const edits = plan()
    if (edits !== undefined && gives(current, edits, wanted)) return edits
  }
  return []
}

/** True if every edit applies and the result is `wanted`. */
export function gives(region: string, edits: readonly EditStep[], wanted: string): boolean {
  const { text, reports } = editRegion(region, numbered(edits))
  return text === tidyRegion(wanted) && reports.every(({ status }) => status === 'applied')
}

export function numbered<T extends EditStep>(edits: readonly T[]): readonly (T & { readonly id: string })[] {
  return edits.map((edit, index) => ({ ...edit, id: String(index) }))
}

function wholeEdit(current: string, wanted: string): EditStep {
  if (current.trim() === '') return { op: 'append', content: wanted }
  return wanted.trim() === ''
    ? { op: 'delete', anchor: current, content: '' }
    : { op: 'replace', anchor: current, content: wanted }
}

/** Edits are made from the end to the beginning, so that the text before each edit is still the old one. */
function editsByPiece(current: string, wanted: string): readonly EditStep[] | undefined {
  const edits: EditStep[] = []
  let text = current
  for (const { splice, side } of splicesBetween(piecesOf(current), piecesOf(wanted), current.length)) {
    const edit = editFor(text, splice, side)
    if (edit === undefined) return undefined
    edits.push(edit)
    text = spliceText(text, splice)
  }
  return edits
}

// ── Splices that turn one text into another ─────────────────────────────────

interface Step {
  /** Positions in this splice refer to the text after the previous steps. */
  readonly splice: Splice
  /** Side of the splice on which old text can serve as an anchor. */
  readonly side: 'before' | 'after'
}

interface Hunk {
  /** Index of the first old piece that the hunk removes, or before which it adds pieces. */
  readonly at: number
  readonly removed: readonly Piece[]
  readonly added: readonly Piece[]
  /** White space after the last added piece. */
  readonly gapAfter: string
}

function splicesBetween(old: readonly Piece[], fresh: readonly Piece[], length: number): readonly Step[] {
  return hunksBetween(old, fresh)
    .toReversed()
    .flatMap(hunk => stepsOf(hunk, old, length))
}

function stepsOf(hunk: Hunk, old: readonly Piece[], length: number): readonly Step[] {
  const { at, removed, added } = hunk
  const pairs = Math.min(removed.length, added.length)
  const surplus = removed.slice(pairs).map((piece, index) => {
    const before = old[at + pairs + index - 1]
    const start = before?.end ?? piece.start
    return { start, end: before === undefined ? (old[1]?.start ?? piece.end) : piece.end, insert: '' }
  })
  const replaced = removed.slice(0, pairs).map(({ start, end }, index) => {
    return { start, end, insert: added[index]?.text ?? '' }
  })
  return [
    ...additions(hunk, pairs, old, length),
    ...[...replaced, ...surplus].toReversed().map(splice => ({ splice, side: 'before' as const })),
  ]
}

function additions(
  { at, removed, added, gapAfter }: Hunk,
  pairs: number,
  old: readonly Piece[],
  length: number,
): readonly Step[] {
  const extra = added.slice(pairs)
  const previous = old[at + pairs - 1]
  if (at + removed.length >= old.length) {
    let end = length
    return extra.map(({ gap, text }) => {
      const splice = { start: end, end, insert: `${gap}${text}` }
      end += splice.insert.length
      return { splice, side: 'before' }
    })
  }
  if (previous !== undefined) {
    const { end } = previous
    return extra
      .toReversed()
      .map(({ gap, text }) => ({ splice: { start: end, end, insert: `${gap}${text}` }, side: 'before' }))
  }
  let start = old[0]?.start ?? 0
  return extra.map(({ text }, index) => {
    const splice = { start, end: start, insert: `${text}${extra[index + 1]?.gap ?? gapAfter}` }
    start += splice.insert.length
    return { splice, side: 'after' }
  })
}

function hunksBetween(old: readonly Piece[], fresh: readonly Piece[]): readonly Hunk[] {
  const texts = (pieces: readonly Piece[]) => pieces.map(({ text }) => text)
  const hunks: Hunk[] = []
  let at = 0
  let next = 0
  let open: { at: number; removed: Piece[]; added: Piece[] } | undefined
  const close = () => {
    if (open !== undefined) hunks.push({ ...open, gapAfter: fresh[next]?.gap ?? '' })
    open = undefined
  }
  for (const { added, removed, value } of diffArrays(texts(old), texts(fresh))) {
    const { length } = value
    if (!added && !removed) {
      close()
      at += length
      next += length
      continue
    }
    open ??= { at, removed: [], added: [] }
    if (added) {
      open.added.push(...fresh.slice(next, next + length))
      next += length
    } else {
      open.removed.push(...old.slice(at, at + length))
      at += length
    }
  }
  close()
  return hunks
}

// ── Edits that make a splice ────────────────────────────────────────────────

/** Returns the simplest edit that makes exactly this splice; undefined if there is none. */
function editFor(text: string, splice: Splice, side: Step['side']): EditStep | undefined {
  const expected = spliceText(text, splice)
  for (const edit of candidates(text, splice, side)) if (gives(text, [edit], expected)) return edit
  return undefined
}

function* candidates(text: string, splice: Splice, side: Step['side']): Generator<EditStep> {
  const { start, end, insert } = splice
  const content = tidyRegion(insert)
  if (start === end && text.slice(end).trim() === '') yield { op: 'append', content }
  if (start === end && side === 'before') {
    const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
    if (line.trim() !== '') yield { op: 'insert_after', anchor: line, content }
  }
  for (const around of anchors(text, splice, side)) {
    const anchor = text.slice(around.start, around.end)
    const replaced = `${text.slice(around.start, start)}${insert}${text.slice(end, around.end)}`
    if (replaced === '') yield { op: 'delete', anchor, content: '' }
    else yield { op: 'replace', anchor, content: replaced }
  }
}

/**
 * Extends the anchor line by line. Yields each anchor whose first occurrence in the text is at this position.
 */
function* anchors(text: string, { start, end }: Splice, side: Step['side']) {
  let [from, to] = [start, end]
  for (;;) {
    const anchor = text.slice(from, to)
    if (anchor.trim() !== '' && text.indexOf(anchor) === from) yield { start: from, end: to }
    if (from === 0 && to === text.length) return
    if (to < text.length && (side === 'after' || from === 0)) {
      const lineEnd = text.indexOf('\n', to + 1)
      to = lineEnd === -1 ? text.length : lineEnd
    } else from = from === 0 ? 0 : text.lastIndexOf('\n', from - 2) + 1
  }
}
