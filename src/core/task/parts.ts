import { bytes, oneLine } from '../text/format.js'
import type { FilePart, Message, Part, TextPart } from './task.js'

/** Description of a file whose content is not shown. */
type NamedFile = Omit<FilePart, 'data'> & { readonly bytes: number }

export function promptParts(prompt: string | readonly Part[]): readonly Part[] {
  return typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt
}

export function userMessage(parts: readonly Part[]): Message {
  const text = textOfParts(parts.map(part => (part.type === 'text' ? part : named(part))))
  return parts.every(part => part.type === 'text')
    ? { role: 'user', text }
    : { role: 'user', text, parts: parts.filter(part => part.type !== 'text' || part.text !== '') }
}

/** Text form of the parts, for people and the optimizer. */
export function textOfParts(parts: readonly (TextPart | NamedFile)[]): string {
  return parts
    .map(part => (part.type === 'text' ? part.text : fileLabel(part)))
    .filter(text => text !== '')
    .join('\n\n')
}

/** Size of the decoded content, not of its base64 form. */
export function bytesOf({ data }: FilePart): number {
  return Buffer.byteLength(data, 'base64')
}

function named(part: FilePart): NamedFile {
  const { data: _, ...rest } = part
  return { ...rest, bytes: bytesOf(part) }
}

function fileLabel({ type, name, mediaType, bytes: size }: NamedFile): string {
  // A file name may contain anything but a slash, so brackets are removed to keep it from imitating other
  // text.
  return `[${type} ${oneLine(name.replace(/[[\]]/g, ' '))}, ${mediaType}, ${bytes(size)}]`
}
