/** Passes on whole lines as they arrive. A line that is too long to keep is dropped. */
export function createLines(
  onLine: (line: string) => void,
  longest: number,
): {
  add(chunk: string): void
  /** Call after the last chunk: the last line may have no line break. */
  finish(): void
  lostSome(): boolean
} {
  let pieces: string[] = []
  let length = 0
  let lost = false
  const keep = (piece: string) => {
    length += piece.length
    if (length <= longest) pieces.push(piece)
    else pieces = []
  }
  const endLine = () => {
    if (length > longest) lost = true
    else hand(pieces.join(''))
    pieces = []
    length = 0
  }
  const hand = (line: string) => {
    const plain = line.endsWith('\r') ? line.slice(0, -1) : line
    if (plain !== '') onLine(plain)
  }
  return {
    add(chunk) {
      let start = 0
      for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
        keep(chunk.slice(start, end))
        endLine()
        start = end + 1
      }
      if (start < chunk.length) keep(chunk.slice(start))
    },
    finish: endLine,
    lostSome: () => lost,
  }
}
