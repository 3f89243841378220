import type { FileHandle } from 'node:fs/promises'

const newline = 0x0a
const chunkSize = 1 << 20

/** Byte range of a line in its file, without the newline. */
export interface LinePlace {
  readonly offset: number
  readonly length: number
}

export interface Line extends LinePlace {
  /** The line's bytes, valid only until the next lines are requested. */
  readonly bytes: Buffer
  /** Line number from 1, counted from where reading began. */
  readonly number: number
}

/**
 * Streams the complete lines of a file, one chunk at a time: memory stays constant for any file size. Bytes
 * after the last newline are an incomplete line and are not returned.
 */
export async function* readLines(
  handle: FileHandle,
  from = 0,
  until = Number.POSITIVE_INFINITY,
): AsyncGenerator<Line[]> {
  let position = from
  let lineStart = from
  let number = 0
  // The pieces of a line are joined once its newline is found, so that a line of many chunks is not copied
  // repeatedly.
  let unfinished: Buffer[] = []
  // One buffer for all chunks: memory outside the heap is released late, and a log has many chunks.
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
