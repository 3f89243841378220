import { openPlainFile } from '../../../system/plain-file.js'
import { type Line, tooLong } from './lines.js'
import type { JsonRecord } from './values.js'

/** Maximum length of one list item or of one other field; longer values are images, not conversation. */
const longestItem = 16 * 1024 * 1024
const chunkSize = 1024 * 1024

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openList, closeList, openRecord, closeRecord] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Streams the items of the named list in a JSON document as lines. A document of any size needs no more
 * memory than its longest item, and a truncated one loses only its last item. The fields beside the list are
 * returned as records with one field each, in document order.
 */
export async function* readItems(
  file: string,
  list: string,
  { signal, longest = longestItem }: { signal: AbortSignal; longest?: number },
): AsyncGenerator<readonly Line[]> {
  signal.throwIfAborted()
  const splitter = createSplitter(list, longest)
  // The stream closes the file when it ends or when the caller stops early.
  const handle = await openPlainFile(file)
  for await (const chunk of handle.createReadStream({ highWaterMark: chunkSize, signal }))
    yield splitter.add(chunk as Buffer)
  yield splitter.finish()
}

/**
 * The field of a record that `readItems` made from a field beside the list. Undefined for a list item, which
 * has several fields or a `type`.
 */
export function fieldOf(record: JsonRecord): readonly [name: string, value: unknown] | undefined {
  const [field, ...others] = Object.entries(record)
  return others.length > 0 || field?.[0] === 'type' ? undefined : field
}

const torn = '{'

/** Finds only where items and fields begin and end; their JSON is validated when it is parsed. */
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

  /** Nesting depth at which items or fields are. */
  const level = () => (isInList ? 2 : 1)
  const taken = (last: Buffer): readonly Line[] => {
    const line = part.take(last)
    if (line === tooLong) return [line]
    if (line.trim() === '') return []
    // Text before or after the document is returned unchanged.
    return [depth === 1 && !isInList ? `{${line}}` : line]
  }
  /** Index of the end of the string, or of the chunk if the string continues. */
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
      // If a document is cut off between two items, only the missing bracket shows it.
      return depth > 0 && depth === level() ? [...rest, torn] : rest
    },
  }
}

/** Buffers an item or a field that continues in the next chunk. */
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
    /** The text so far, if it is short enough to be a field's name; otherwise empty. */
    peek: (chunk: Buffer, start: number, end: number): string =>
      length + end - start > 1_000
        ? ''
        : Buffer.concat([...pieces, chunk.subarray(start, end)]).toString('utf8'),
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
