import { open } from 'node:fs/promises'

/** Pictures and files are written into one line; what is longer than this is no conversation. */
const longestLine = 16 * 1024 * 1024
const chunkSize = 1024 * 1024
const newline = 0x0a

export interface Lines {
  readonly lines: readonly string[]
  /** Lines that were too long to be kept, in bytes or in patience. */
  readonly tooLong: number
}

/**
 * The lines of a file, some at a time, as far as it is written: the last one may lack its end. No more of the file is in
 * memory than a chunk and the longest line.
 */
export async function* readLines(
  file: string,
  signal: AbortSignal,
  longest: number = longestLine,
): AsyncGenerator<Lines> {
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

/** Cuts bytes rather than characters: a character may be torn between two chunks, a line never is within one. */
function createCutter(longest: number): { add(chunk: Buffer): Lines; finish(): Lines } {
  let pieces: Buffer[] = []
  let length = 0
  const keep = (piece: Buffer) => {
    length += piece.length
    if (length > longest) pieces = []
    // A copy, since the chunk is filled anew.
    else pieces.push(Buffer.from(piece))
  }
  const take = (last: Buffer): string | undefined => {
    const whole = pieces.length === 0 ? last : Buffer.concat([...pieces, last])
    const isTooLong = length + last.length > longest
    pieces = []
    length = 0
    return isTooLong ? undefined : whole.toString('utf8')
  }
  return {
    add(chunk) {
      const lines: string[] = []
      let tooLong = 0
      let start = 0
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const line = take(chunk.subarray(start, end))
        if (line === undefined) tooLong += 1
        else lines.push(line)
        start = end + 1
      }
      if (start < chunk.length) keep(chunk.subarray(start))
      return { lines, tooLong }
    },
    finish() {
      if (length === 0) return { lines: [], tooLong: 0 }
      const line = take(Buffer.alloc(0))
      return line === undefined ? { lines: [], tooLong: 1 } : { lines: [line], tooLong: 0 }
    },
  }
}
