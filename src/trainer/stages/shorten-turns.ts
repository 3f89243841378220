import { count } from '../../core/text/format.js'
import { shorten } from '../../core/text/shorten.js'

/** What reflection is shown of one attempt, in characters: eight of them, a usual minibatch, are some 80,000 tokens. */
const longestTranscript = 40_000

/** Shorter than this, what is left of a text tells nothing any more; then whole turns give way. */
const shortestPiece = 300

/** A message: its role, its text, its calls of tools, each a piece that may be shortened by itself. */
export type Turn = readonly string[]

/**
 * A long attempt, such as an agent's, shortened where it is longest: of a file that was read or a log that was printed
 * the beginning and the end are kept, and the short words between stay whole. An attempt that is not long is not touched.
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

/** The length to which the longest pieces have to come down so that all of them fit together. */
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

/** How it began and how it ended say most, where there are too many turns to show. */
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

/** How many of these, from the first on, have room. */
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
