/** As much as is read at a glance; the rest is a click away. */
const mostCharacters = 2_000
const mostLines = 30
/** A rest that is shorter than this is not worth the click. */
const worthHiding = 400

/** The beginning of a text, to the end of a line if there is one near; undefined where the text is short. */
export function clamped(text: string): string | undefined {
  const end = Math.min(mostCharacters, endOfLine(text, mostLines))
  if (text.length - end < worthHiding) return undefined
  const start = text.slice(0, end)
  const line = start.lastIndexOf('\n')
  return line > end / 2 ? start.slice(0, line) : withoutHalf(start)
}

/** The place at which so many lines have ended. */
function endOfLine(text: string, lines: number): number {
  let at = -1
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf('\n', at + 1)
    if (at === -1) return text.length
  }
  return at
}

/** Some characters take two places. */
function withoutHalf(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text
}
