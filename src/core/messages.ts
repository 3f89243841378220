import type { BlobRef, Message, StoredMessage } from './task.js'

/** Replies up to this length stand in the event itself; longer ones, and all prompts, are blobs. */
const inlineLimit = 600

/** Prompts and skills recur in many calls, so they are kept once; a short reply is cheaper inline. */
export function keepMessage(message: Message, put: (text: string) => BlobRef): StoredMessage {
  const { role, text, toolCalls, toolCallId } = message
  const isInline = role === 'assistant' && text.length <= inlineLimit
  return {
    role,
    ...(isInline ? { text } : { blob: put(text) }),
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  }
}

export async function readMessage(
  stored: StoredMessage,
  get: (ref: BlobRef) => Promise<string>,
): Promise<Message> {
  const { blob, text, ...rest } = stored
  return { ...rest, text: text ?? (blob === undefined ? '' : await get(blob)) }
}
