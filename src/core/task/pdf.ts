import { constants, inflateSync } from 'node:zlib'

const page = /\/Type\s*\/Page(?![A-Za-z])/g
/** A stream of objects, up to where its data begins. */
const objectStream = /\/ObjStm\b.*?stream\r?\n/gs
/** A stream that says it is larger is not one of objects. */
const mostInflated = 64 << 20

/** Counts page objects, also those in compressed streams. Undefined where none can be seen, as in an encrypted file. */
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
    // The line end before `endstream` is no part of the data, and must not count as broken data.
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: mostInflated }
    return inflateSync(data, options).toString('latin1')
  } catch {
    // Encrypted, or packed in another way: its pages stay unknown.
    return ''
  }
}
