import { isAscii, isUtf8, transcode } from 'node:buffer'
import { open } from 'node:fs/promises'

/** Pictures and files are written into one line; what is longer than this is no conversation. */
const longestLine = 16 * 1024 * 1024
const chunkSize = 1024 * 1024
const newline = 0x0a

/** In place of a line that is too long to be kept. */
export const tooLong = Symbol('a line that is too long')
export type Line = string | typeof tooLong

/**
 * The lines of a file, some at a time, as far as it is written: the last one may lack its end. No more of the file is in
 * memory than a chunk and the longest line.
 */
export async function* readLines(
  file: string,
  signal: AbortSignal,
  longest: number = longestLine,
): AsyncGenerator<readonly Line[]> {
  const handle = await open(file, 'r')
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

/** Decoding takes its time, and there are ways that are ten times as fast for what nearly all lines are. */
function textOf(line: Buffer): string {
  if (isAscii(line)) return line.toString('latin1')
  return isUtf8(line) ? transcode(line, 'utf8', 'utf16le').toString('utf16le') : line.toString('utf8')
}

/** Cuts bytes rather than characters: a character may be torn between two chunks, a line never is within one. */
function createCutter(longest: number): { add(chunk: Buffer): readonly Line[]; finish(): readonly Line[] } {
  let pieces: Buffer[] = []
  let length = 0
  const keep = (piece: Buffer) => {
    length += piece.length
    if (length > longest) pieces = []
    // A copy, since the chunk is filled anew.
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
