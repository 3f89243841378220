import { createReadStream } from 'node:fs'
import { type Line, tooLong } from './lines.js'
import type { JsonRecord } from './values.js'

/** A single answer, or a single field beside the list; pictures that are longer are no conversation. */
const longestItem = 16 * 1024 * 1024
const chunkSize = 1024 * 1024

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openList, closeList, openRecord, closeRecord] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * The items of the list with this name in a file that is one JSON document, as lines, one after the other: a document of
 * any size needs no more memory than its longest item, and one that ends in the middle loses no more than its last one.
 * The fields beside the list come as records of one field each, in the order in which they stand.
 */
export async function* readItems(
  file: string,
  list: string,
  signal: AbortSignal,
  longest: number = longestItem,
): AsyncGenerator<readonly Line[]> {
  signal.throwIfAborted()
  const splitter = createSplitter(list, longest)
  for await (const chunk of createReadStream(file, { highWaterMark: chunkSize, signal }))
    yield splitter.add(chunk as Buffer)
  yield splitter.finish()
}

/** The field that such a record is; undefined for an item of the list, which has several or says of what type it is. */
export function fieldOf(record: JsonRecord): readonly [name: string, value: unknown] | undefined {
  const [field, ...others] = Object.entries(record)
  return others.length > 0 || field?.[0] === 'type' ? undefined : field
}

const torn = '{'

/** Follows only what tells where a part begins and ends: whether a part is JSON is seen when it is read. */
function createSplitter(
  list: string,
  longest: number,
): { add(chunk: Buffer): readonly Line[]; finish(): readonly Line[] } {
  const beginOfList = new RegExp(`^\\s*${escaped(JSON.stringify(list))}\\s*:\\s*$`)
  const part = createPart(longest)
  let depth = 0
  let isInList = false
  let isInText = false
  let isEscaped = false

  /** Parts are what lies this deep. */
  const level = () => (isInList ? 2 : 1)
  const taken = (last: Buffer): readonly Line[] => {
    const line = part.take(last)
    if (line === tooLong) return [line]
    if (line.trim() === '') return []
    // What stands before or after the document is no part of it, and is given as it is.
    return [depth === 1 && !isInList ? `{${line}}` : line]
  }
  /** Where the text ends, or the chunk does. */
  const endOfText = (chunk: Buffer, from: number): number => {
    let begin = isEscaped ? from + 1 : from
    for (;;) {
      const found = chunk.indexOf(quote, begin)
      const end = found < 0 ? chunk.length : found
      let backslashes = 0
      while (end - backslashes > begin && chunk[end - backslashes - 1] === backslash) backslashes += 1
      isEscaped = backslashes % 2 === 1
      if (found < 0) return end
      begin = end + 1
      if (isEscaped) continue
      isInText = false
      return end
    }
  }
  return {
    add(chunk) {
      const lines: Line[] = []
      let start = 0
      const cut = (end: number) => {
        lines.push(...taken(chunk.subarray(start, end)))
        start = end + 1
      }
      const open = (byte: number, index: number) => {
        if (depth === 0 && byte === openList) return
        if (depth === 0) cut(index)
        else if (depth === 1 && byte === openList && beginOfList.test(part.peek(chunk, start, index))) {
          part.drop()
          start = index + 1
          isInList = true
        }
        depth += 1
      }
      const close = (index: number) => {
        if (depth === level()) {
          cut(index)
          isInList = false
        }
        depth = Math.max(0, depth - 1)
      }
      for (let index = 0; index < chunk.length; index += 1) {
        const byte = chunk[index]
        if (isInText) index = endOfText(chunk, index)
        else if (byte === quote) isInText = true
        else if (byte === comma && depth === level()) cut(index)
        else if (byte === openRecord || byte === openList) open(byte, index)
        else if (byte === closeRecord || byte === closeList) close(index)
      }
      part.keep(chunk.subarray(start))
      return lines
    },
    finish() {
      const rest = taken(Buffer.alloc(0))
      // Between two parts, nothing but this shows that there was more.
      return depth > 0 && depth === level() ? [...rest, torn] : rest
    },
  }
}

/** What was read of a part that goes on in the next chunk. */
function createPart(longest: number) {
  let pieces: Buffer[] = []
  let length = 0
  const drop = () => {
    pieces = []
    length = 0
  }
  return {
    drop,
    keep(piece: Buffer): void {
      length += piece.length
      if (length > longest) pieces = []
      else if (piece.length > 0) pieces.push(piece)
    },
    take(last: Buffer): Line {
      const isTooLong = length + last.length > longest
      const whole = pieces.length === 0 ? last : Buffer.concat([...pieces, last])
      drop()
      return isTooLong ? tooLong : whole.toString('utf8')
    },
    /** The part so far, if it is as short as a name is. */
    peek: (chunk: Buffer, start: number, end: number): string =>
      length + end - start > 1_000
        ? ''
        : Buffer.concat([...pieces, chunk.subarray(start, end)]).toString('utf8'),
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
