import { isAscii, isUtf8, transcode } from 'node:buffer'
import { openPlainFile } from '../../../system/plain-file.js'

/** Images and files are written into one line; longer lines are not part of a conversation. */
const longestLine = 16 * 1024 * 1024
const chunkSize = 1024 * 1024
const newline = 0x0a

/** Replaces a line that is too long to keep. */
export const tooLong = Symbol('a line that is too long')
export type Line = string | typeof tooLong

/**
 * Streams the lines of a file in batches, up to its current end; the last line may be incomplete. Memory
 * holds no more than one chunk and the longest line.
 */
export async function* readLines(
  file: string,
  signal: AbortSignal,
  longest: number = longestLine,
): AsyncGenerator<readonly Line[]> {
  const handle = await openPlainFile(file)
  try {
    const cutter = createCutter(longest)
    const chunk = Buffer.allocUnsafe(chunkSize)
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead } = await handle.read(chunk, 0, chunkSize, null)
      if (bytesRead === 0) break
      yield cutter.add(chunk.subarray(0, bytesRead))
    }
    yield cutter.finish()
  } finally {
    await handle.close()
  }
}

/** Decodes a line as UTF-8. For nearly all lines, the shortcuts are ten times as fast. */
function textOf(line: Buffer): string {
  if (isAscii(line)) return line.toString('latin1')
  return isUtf8(line) ? transcode(line, 'utf8', 'utf16le').toString('utf16le') : line.toString('utf8')
}

/** Splits bytes rather than characters into lines, because a character may be split between two chunks. */
function createCutter(longest: number): { add(chunk: Buffer): readonly Line[]; finish(): readonly Line[] } {
  let pieces: Buffer[] = []
  let length = 0
  const keep = (piece: Buffer) => {
    length += piece.length
    if (length > longest) pieces = []
    // The chunk's memory is reused, so it is copied.
    else pieces.push(Buffer.from(piece))
  }
  const take = (last: Buffer): Line => {
    const whole = pieces.length === 0 ? last : Buffer.concat([...pieces, last])
    const isTooLong = length + last.length > longest
    pieces = []
    length = 0
    return isTooLong ? tooLong : textOf(whole)
  }
  return {
    add(chunk) {
      const lines: Line[] = []
      let start = 0
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        lines.push(take(chunk.subarray(start, end)))
        start = end + 1
      }
      if (start < chunk.length) keep(chunk.subarray(start))
      return lines
    },
    finish() {
      return length === 0 ? [] : [take(Buffer.alloc(0))]
    },
  }
}
