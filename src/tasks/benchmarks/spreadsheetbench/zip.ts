import { promisify } from 'node:util'
import { crc32, inflateRaw } from 'node:zlib'
import { messageOf } from '../../../core/errors/errors.js'
import { WorkbookError } from './workbook-error.js'

const inflate = promisify(inflateRaw)

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
const endLength = 22
const longestComment = 65_535
const mostEntries = 10_000

interface Entry {
  readonly name: string
  readonly method: number
  readonly checksum: number
  readonly packedBytes: number
  readonly bytes: number
  readonly offset: number
}

/**
 * Checks that a zip file is intact and no zip bomb by unpacking it once. Returns the names of its entries.
 * Throws `WorkbookError`.
 */
export async function checkZip(content: Buffer, unpackedLimit: number): Promise<readonly string[]> {
  const entries = readDirectory(content)
  const unpacked = entries.reduce((sum, { bytes }) => sum + bytes, 0)
  if (unpacked > unpackedLimit) throw new WorkbookError('is too large when it is unpacked')
  for (const entry of entries) await checkEntry(content, entry)
  return entries.map(({ name }) => name)
}

function readDirectory(content: Buffer): readonly Entry[] {
  if (content.toString('latin1', 0, 2) !== 'PK') {
    throw new WorkbookError('is not an .xlsx file')
  }
  const end = findEnd(content)
  const count = content.readUInt16LE(end + 10)
  if (count > mostEntries) throw new WorkbookError('has too many parts')
  const entries: Entry[] = []
  let at = content.readUInt32LE(end + 16)
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > end || content.readUInt32LE(at) !== entrySignature) throw cutShort()
    const nameLength = content.readUInt16LE(at + 28)
    entries.push({
      name: content.toString('utf8', at + 46, at + 46 + nameLength),
      method: content.readUInt16LE(at + 10),
      checksum: content.readUInt32LE(at + 16),
      packedBytes: content.readUInt32LE(at + 20),
      bytes: content.readUInt32LE(at + 24),
      offset: content.readUInt32LE(at + 42),
    })
    at += 46 + nameLength + content.readUInt16LE(at + 30) + content.readUInt16LE(at + 32)
  }
  return entries
}

/** Finds the end record, after which only an optional comment can follow. */
function findEnd(content: Buffer): number {
  const first = Math.max(0, content.length - endLength - longestComment)
  for (let at = content.length - endLength; at >= first; at -= 1) {
    if (content.readUInt32LE(at) === endSignature) return at
  }
  throw cutShort()
}

async function checkEntry(
  content: Buffer,
  { name, method, checksum, packedBytes, bytes, offset }: Entry,
): Promise<void> {
  if (offset + 30 > content.length || content.readUInt32LE(offset) !== localSignature) throw cutShort()
  const start = offset + 30 + content.readUInt16LE(offset + 26) + content.readUInt16LE(offset + 28)
  if (start + packedBytes > content.length) throw cutShort()
  const packed = content.subarray(start, start + packedBytes)
  if (method !== 0 && method !== 8) throw new WorkbookError('is packed in a way that workbooks are not')
  try {
    const whole = method === 0 ? packed : await inflate(packed, { maxOutputLength: Math.max(bytes, 1) })
    if (whole.length === bytes && crc32(whole) === checksum) return
  } catch (error) {
    throw new WorkbookError(`is damaged: ${name} cannot be unpacked (${messageOf(error)})`, { cause: error })
  }
  throw new WorkbookError(`is damaged: ${name} is not what was packed`)
}

function cutShort(): WorkbookError {
  return new WorkbookError('is damaged or cut short')
}
