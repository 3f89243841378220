import { bytes, listed, plural, stripControls } from '../../core/text/format.js'
import { shorten } from '../../core/text/shorten.js'
import type { Change } from './changes.js'

/** An agent's changes to the files it was given. */
export interface Work {
  readonly changes: readonly ShownChange[]
  /** Folders that were not searched. */
  readonly passedOver: readonly string[]
}

export type ShownChange = Change & {
  /** The removed and added lines, as a diff. */
  readonly lines?: string
  /** Explains why there are no lines. */
  readonly note?: string
}

/** Minimum number of characters per file, because fewer would say nothing. */
const smallestShare = 200
export const longestForJudge = 12_000
/** This limit is lower, because a reflection prompt holds many attempts with their tool calls. */
export const longestForReflection = 3_000
/** Maximum number of files shown with content, so that diffs of further files need not be computed. */
export const mostShown = longestForJudge / smallestShare

/**
 * Describes the work in at most `longest` characters: first the file names, then the lines of as many files
 * as fit, with a fair share for each.
 */
export function workText({ changes, passedOver }: Work, longest: number): string {
  const named = namedIn(changes, longest / 3)
  const unnamed = changes.length - named.length
  const frame = [
    summary(changes),
    ...(unnamed === 0 ? [] : [`(${plural(unnamed, 'more file')}, which there is no room to name)`]),
    ...(passedOver.length === 0 ? [] : [`Not looked into: ${listed(passedOver.map(shownPath))}.`]),
  ]
  const heads = named.map(headOf)
  const taken = [...frame, ...heads, ...named.map(() => leftOut)].join('\n').length
  const shown = cutFairly(
    named.map(({ lines = '' }) => lines),
    longest - taken - named.length,
  )
  const blocks = heads.map((head, index) => {
    const lines = shown[index] ?? ''
    if (lines !== '') return `${head}\n${lines}`
    return named[index]?.lines === undefined ? head : `${head}${leftOut}`
  })
  const [first = '', ...rest] = frame
  return [first, ...blocks, ...rest].join('\n')
}

const leftOut = ' (its lines are left out)'

function summary(changes: readonly Change[]): string {
  if (changes.length === 0) return 'No file was changed.'
  const counts = (['changed', 'added', 'renamed', 'deleted'] as const)
    .map(how => ({ how, number: changes.filter(change => change.how === how).length }))
    .filter(({ number }) => number > 0)
  return `${plural(changes.length, 'file')}: ${counts.map(({ how, number }) => `${number} ${how}`).join(', ')}.`
}

function namedIn(changes: readonly ShownChange[], room: number): readonly ShownChange[] {
  let taken = 0
  const end = changes.findIndex(change => {
    taken += headOf(change).length + leftOut.length + 1
    return taken > room
  })
  return end === -1 ? changes : changes.slice(0, end)
}

function headOf({ how, path, from, note }: ShownChange): string {
  const name = from === undefined ? shownPath(path) : `${shownPath(from)} -> ${shownPath(path)}`
  return `${how}: ${name}${note === undefined ? '' : ` (${note})`}`
}

export function sizeNote(reason: string, size: number): string {
  return `${reason}, ${bytes(size)}`
}

const longestPath = 120

/** Formats a path that an agent chose. A name with a line break must not look like two names. */
function shownPath(path: string): string {
  const plain = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path) ? stripControls(JSON.stringify(path)) : path
  return plain.length > longestPath ? `…${plain.slice(1 - longestPath)}` : plain
}

/** Gives each text the same share and redistributes the unused part. A text with no share becomes empty. */
function cutFairly(texts: readonly string[], room: number): readonly string[] {
  const most = Math.max(0, Math.floor(room / smallestShare))
  const shown = texts
    .map((text, index) => ({ text, index }))
    .filter(({ text }) => text !== '')
    .slice(0, most)
  const cut = texts.map(() => '')
  let left = room
  const byLength = shown.toSorted((one, other) => one.text.length - other.text.length)
  for (const [done, { text, index }] of byLength.entries()) {
    const part = shorten(text, Math.floor(left / (byLength.length - done)))
    cut[index] = part
    left -= part.length
  }
  return cut
}
