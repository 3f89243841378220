import { constants, inflateSync } from 'node:zlib'

const page = /\/Type\s*\/Page(?![A-Za-z])/g
/** An object stream, up to the start of its data. */
const objectStream = /\/ObjStm\b.*?stream\r?\n/gs
/** Maximum inflated size. A stream that claims more is not an object stream. */
const mostInflated = 64 << 20

/**
 * Counts page objects, including those in compressed streams. Undefined if none is visible, as in an
 * encrypted file.
 */
export function countPages(content: Buffer): number | undefined {
  const text = content.toString('latin1')
  let pages = matches(text, page)
  for (const stream of text.matchAll(objectStream)) {
    const start = stream.index + stream[0].length
    const end = text.indexOf('endstream', start)
    pages += matches(inflated(content.subarray(start, end === -1 ? undefined : end)), page)
  }
  return pages === 0 ? undefined : pages
}

function matches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function inflated(data: Buffer): string {
  try {
    // The line end before `endstream` is not part of the data and must not count as corruption.
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: mostInflated }
    return inflateSync(data, options).toString('latin1')
  } catch {
    // The stream is encrypted or uses another compression, so its pages stay unknown.
    return ''
  }
}
