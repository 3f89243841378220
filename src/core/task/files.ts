import { InputError } from '../errors/errors.js'
import { contentHash } from '../text/hash.js'
import { countPages } from './pdf.js'
import type { Attachment, MediaType, Part } from './task.js'

interface Format {
  readonly mediaType: MediaType
  /** Display name with its article, for messages. */
  readonly called: string
  readonly extensions: readonly string[]
  begins(content: Buffer): boolean
  /** Whether the file is complete. A partial download has a valid beginning but no valid end. */
  ends(content: Buffer): boolean
}

const startsWith = (content: Buffer, text: string, at = 0) =>
  content.toString('latin1', at, at + text.length) === text

const formats: readonly Format[] = [
  {
    mediaType: 'image/png',
    called: 'a PNG image',
    extensions: ['png'],
    begins: content => startsWith(content, '\x89PNG\r\n\x1a\n'),
    ends: content => content.includes('IEND', -1024, 'latin1'),
  },
  {
    mediaType: 'image/jpeg',
    called: 'a JPEG image',
    extensions: ['jpg', 'jpeg', 'jpe'],
    begins: content => startsWith(content, '\xff\xd8\xff'),
    ends: content => content.lastIndexOf('\xff\xd9', undefined, 'latin1') > 0,
  },
  {
    mediaType: 'image/gif',
    called: 'a GIF image',
    extensions: ['gif'],
    begins: content => startsWith(content, 'GIF87a') || startsWith(content, 'GIF89a'),
    ends: content => content.includes(0x3b, -1024),
  },
  {
    mediaType: 'image/webp',
    called: 'a WebP image',
    extensions: ['webp'],
    begins: content => startsWith(content, 'RIFF') && startsWith(content, 'WEBP', 8),
    ends: content => content.length >= content.readUInt32LE(4) + 8,
  },
  {
    mediaType: 'application/pdf',
    called: 'a PDF document',
    extensions: ['pdf'],
    begins: content => startsWith(content, '%PDF-'),
    ends: content => content.includes('%%EOF', -2048, 'latin1'),
  },
]

const takenFormats = 'PNG, JPEG, GIF and WebP images, PDF documents, and text files in UTF-8'

export function nameOfFormat(mediaType: MediaType): string {
  return formats.find(format => format.mediaType === mediaType)?.called ?? mediaType
}

/** The reason why a file cannot be sent with a prompt, to follow the file's name in a sentence. */
export function fileProblem(name: string, content: Uint8Array): string | undefined {
  const buffer = asBuffer(content)
  if (buffer.length === 0) return 'is empty'
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase()
  const found = formats.find(format => format.begins(buffer))
  const named = formats.find(format => extension !== undefined && format.extensions.includes(extension))
  if (found === undefined) {
    if (named !== undefined) return `is not ${named.called}, as its name says`
    return isText(buffer) ? undefined : `is of a kind that is not supported; there are ${takenFormats}`
  }
  if (extension !== undefined && found !== named) return `is ${found.called}, and its name says otherwise`
  return found.ends(buffer) ? undefined : `is ${found.called} that breaks off before its end`
}

/** Describes a file for a task. Throws `InputError` if it cannot be sent with a prompt. */
export function attachment(name: string, content: Uint8Array): Attachment {
  const mediaType = mediaTypeOf(name, content)
  const pages = mediaType === 'application/pdf' ? countPages(asBuffer(content)) : undefined
  return {
    name,
    mediaType,
    bytes: content.length,
    // Left out if undefined, because a task must survive JSON, which drops undefined fields.
    ...(pages === undefined ? {} : { pages }),
    hash: contentHash(content),
  }
}

/**
 * Converts a file to a prompt part; text files become text. Throws `InputError` if it cannot be sent with a
 * prompt.
 */
export function filePart(name: string, content: Uint8Array): Part {
  const buffer = asBuffer(content)
  const mediaType = mediaTypeOf(name, content)
  // Omits the file name, because the prompt must not depend on it.
  if (mediaType === 'text/plain') return { type: 'text', text: `<file>\n${buffer.toString('utf8')}\n</file>` }
  const data = buffer.toString('base64')
  if (mediaType !== 'application/pdf') return { type: 'image', name, mediaType, data }
  const pages = countPages(buffer)
  return { type: 'document', name, mediaType, data, ...(pages === undefined ? {} : { pages }) }
}

function mediaTypeOf(name: string, content: Uint8Array): Attachment['mediaType'] {
  const problem = fileProblem(name, content)
  if (problem !== undefined) throw new InputError(`${name} ${problem}.`)
  return formats.find(format => format.begins(asBuffer(content)))?.mediaType ?? 'text/plain'
}

export function isText(content: Buffer): boolean {
  if (content.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(content)
    return true
  } catch {
    return false
  }
}

function asBuffer(content: Uint8Array): Buffer {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength)
}
