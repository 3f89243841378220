/** Limits of a collapsed text. A click shows the rest. */
const mostCharacters = 2_000
const mostLines = 30
/** Minimum number of characters worth hiding; fewer are shown at once. */
const worthHiding = 400

/** The beginning of a long text, cut at a line end if one is near. Undefined if the text is short. */
export function clamped(text: string): string | undefined {
  const end = Math.min(mostCharacters, endOfLine(text, mostLines))
  if (text.length - end < worthHiding) return undefined
  const start = text.slice(0, end)
  const line = start.lastIndexOf('\n')
  return line > end / 2 ? start.slice(0, line) : withoutHalf(start)
}

/** The index after the given number of lines. */
function endOfLine(text: string, lines: number): number {
  let at = -1
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf('\n', at + 1)
    if (at === -1) return text.length
  }
  return at
}

/** Removes half of a surrogate pair from the end of a text. */
function withoutHalf(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text
}
