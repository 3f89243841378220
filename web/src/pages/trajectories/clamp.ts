/** Limits of the collapsed text; the rest is a click away. */
const mostCharacters = 2_000
const mostLines = 30
/** A shorter remainder is not worth a click. */
const worthHiding = 400

/** The beginning of a long text, cut at the end of a line if one is near; undefined for a short text. */
export function clamped(text: string): string | undefined {
  const end = Math.min(mostCharacters, endOfLine(text, mostLines))
  if (text.length - end < worthHiding) return undefined
  const start = text.slice(0, end)
  const line = start.lastIndexOf('\n')
  return line > end / 2 ? start.slice(0, line) : withoutHalf(start)
}

/** The index at which the given number of lines have ended. */
function endOfLine(text: string, lines: number): number {
  let at = -1
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf('\n', at + 1)
    if (at === -1) return text.length
  }
  return at
}

/** Drops half of a surrogate pair at the end. */
function withoutHalf(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text
}
