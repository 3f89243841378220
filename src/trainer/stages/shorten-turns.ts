import { count } from '../../core/text/format.js'
import { shorten } from '../../core/text/shorten.js'

/**
 * Maximum characters of one attempt shown to reflection: eight of them, a usual minibatch, are about 80,000
 * tokens.
 */
const longestTranscript = 40_000

/** Pieces shorter than this are no longer informative, so whole turns are dropped instead. */
const shortestPiece = 300

/** A message: its role, its text and its tool calls, each a piece that can be shortened separately. */
export type Turn = readonly string[]

/**
 * Shortens a long attempt, such as an agent's, at its longest pieces: of a file or a log the beginning and
 * the end are kept, and short messages stay whole. Attempts within the limit are unchanged.
 */
export function shortenTurns(turns: readonly Turn[], longest = longestTranscript): readonly Turn[] {
  const lengths = turns.flat().map(piece => piece.length)
  if (sum(lengths) <= longest) return turns
  const level = Math.max(shortestPiece, levelOf(lengths, longest))
  return withoutMiddle(
    turns.map(turn => turn.map(piece => shorten(piece, level))),
    longest,
  )
}

/** The length to cut the longest pieces to, so that all pieces fit together. */
function levelOf(lengths: readonly number[], room: number): number {
  const ascending = [...lengths].sort((left, right) => left - right)
  let left = room
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index))
    if (length > share) return share
    left -= length
  }
  return room
}

/** Drops turns from the middle, since the beginning and the end say most. */
function withoutMiddle(turns: readonly Turn[], longest: number): readonly Turn[] {
  const lengths = turns.map(turn => sum(turn.map(piece => piece.length)))
  if (sum(lengths) <= longest) return turns
  const first = fitting(lengths, longest / 2)
  const last = fitting(lengths.slice(first).reverse(), longest / 2)
  const without = turns.length - first - last
  return [
    ...turns.slice(0, first),
    [`(${count(without)} messages left out here)`],
    ...turns.slice(first + without),
  ]
}

/** Number of items, from the first on, that fit. */
function fitting(lengths: readonly number[], room: number): number {
  let used = 0
  const over = lengths.findIndex(length => {
    used += length
    return used > room
  })
  return over === -1 ? lengths.length : over
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
