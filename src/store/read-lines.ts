import type { FileHandle } from 'node:fs/promises'

const newline = 0x0a
const chunkSize = 1 << 20

/** Where a line stands in its file, in bytes; the newline is not part of it. */
export interface LinePlace {
  readonly offset: number
  readonly length: number
}

export interface Line extends LinePlace {
  /** Good until the next lines are asked for. */
  readonly bytes: Buffer
  /** Counted from 1, as editors do, from where reading began. */
  readonly number: number
}

/**
 * Streams the whole lines of a file, a chunk's worth at a time: memory stays flat however long the file is. Bytes
 * after the last newline are not given out: they are a line that was never finished.
 */
export async function* readLines(
  handle: FileHandle,
  from = 0,
  until = Number.POSITIVE_INFINITY,
): AsyncGenerator<Line[]> {
  let position = from
  let lineStart = from
  let number = 0
  // Pieces, joined only once the newline is found: a line of many chunks costs no repeated copying.
  let unfinished: Buffer[] = []
  // One for all chunks: memory outside the heap is given back late, and a log is many chunks long.
  const buffer = Buffer.allocUnsafe(Math.min(chunkSize, Math.max(0, until - from)))
  while (position < until) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, until - position), position)
    if (bytesRead === 0) return
    const chunk = buffer.subarray(0, bytesRead)
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const rest = chunk.subarray(start, end)
      const bytes = unfinished.length === 0 ? rest : Buffer.concat([...unfinished, rest])
      unfinished = []
      number += 1
      lines.push({ bytes, offset: lineStart, length: bytes.length, number })
      start = end + 1
      lineStart = position + start
    }
    if (start < bytesRead) unfinished.push(Buffer.from(chunk.subarray(start)))
    position += bytesRead
    if (lines.length > 0) yield lines
  }
}
