import { bytesOf, textOfParts } from './parts.js'
import type { BlobRef, Message, Part, StoredMessage, StoredPart } from './task.js'

/** Replies up to this length are stored in the event itself; longer ones, and all prompts, are blobs. */
const inlineLimit = 600

/** Stores a message. Prompts and skills recur, so they are blobs; a short reply is cheaper inline. */
export function keepMessage(message: Message, put: (text: string) => BlobRef): StoredMessage {
  const { role, text, parts, toolCalls, toolCallId } = message
  const isInline = role === 'assistant' && text.length <= inlineLimit
  const content = isInline ? { text } : undefined
  return {
    role,
    ...(parts === undefined
      ? (content ?? { blob: put(text) })
      : { parts: parts.map(part => keepPart(part, put)) }),
    // Absent fields are left out, because a run may hold many messages in memory.
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  }
}

/** Reads a stored message. Files appear only by name, since readers of a log want text. */
export async function readMessage(
  stored: StoredMessage,
  get: (ref: BlobRef) => Promise<string>,
): Promise<Message> {
  const { blob, text, parts, ...rest } = stored
  if (parts === undefined) return { ...rest, text: text ?? (blob === undefined ? '' : await get(blob)) }
  const read = parts.map(async part =>
    part.type === 'text' ? { type: part.type, text: await get(part.blob) } : part,
  )
  return { ...rest, text: textOfParts(await Promise.all(read)) }
}

/** The part of a message that enters a call's key. It contains the contents of files but not their names. */
export function keyOfMessage(message: StoredMessage): StoredMessage {
  if (message.parts === undefined) return message
  const unnamed = message.parts.map(part => (part.type === 'text' ? part : { ...part, name: '' }))
  return { ...message, parts: unnamed }
}

function keepPart(part: Part, put: (text: string) => BlobRef): StoredPart {
  if (part.type === 'text') return { type: 'text', blob: put(part.text) }
  const { type, name, mediaType, pages, detail, data } = part
  const known = { ...(pages === undefined ? {} : { pages }), ...(detail === undefined ? {} : { detail }) }
  return { type, name, mediaType, bytes: bytesOf(part), blob: put(data), ...known }
}
