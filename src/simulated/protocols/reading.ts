import type { z } from 'zod'
import type { ChatContentPart, ChatMessage, ChatRequest } from '../chat.js'

/** Helpers for reading requests of any protocol. */

/** The request parsed by its schema, or a message with the error and its location. */
export function readBy<Wire>(
  schema: z.ZodType<Wire>,
  received: unknown,
  translate: (wire: Wire) => ChatRequest | string,
): ChatRequest | string {
  const { success, data, error } = schema.safeParse(received)
  if (success) return translate(data)
  const [issue] = error.issues
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not readable'}`
}

/**
 * Preprocessor for a schema of parts distinguished by `type`: a part of any other type becomes `{type:
 * 'other', part}`. Vendors add new types, and a client may send them.
 */
export function sorting(types: readonly string[], usual?: string): (value: unknown) => unknown {
  return value => {
    if (typeof value !== 'object' || value === null) return value
    const type = 'type' in value ? value.type : usual
    return types.some(known => known === type) ? { ...value, type } : { type: 'other', part: value }
  }
}

/** Preprocessor for a schema of parts where plain text is allowed; it lets errors name the exact location. */
export function inParts(value: unknown): unknown {
  return typeof value === 'string' ? [textPart(value)] : value
}

/** Plain text if the parts are a single text. */
export function contentOf(parts: readonly ChatContentPart[]): string | readonly ChatContentPart[] {
  const [first] = parts
  if (first === undefined) return ''
  return parts.length === 1 && first.type === 'text' && first.text !== undefined ? first.text : parts
}

export function textPart(text: string): ChatContentPart {
  return { type: 'text', text }
}

/** An image or a document by its URL; inline data has a `data:` URL. */
export function filePart(url: string, mediaType: string, filename?: string): ChatContentPart {
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  return { type: 'file', file: { ...(filename === undefined ? {} : { filename }), file_data: url } }
}

export function dataUrl(mediaType: string, base64: string): string {
  return `data:${mediaType};base64,${base64}`
}

export function functionCall(id: string, name: string, text: string) {
  return { id, type: 'function', function: { name, arguments: text } }
}

export function functionTool(name: string, description: string | undefined, parameters: unknown) {
  return { type: 'function', function: { name, description, parameters } }
}

export function schemaFormat(schema: unknown, rest: object = {}) {
  return { type: 'json_schema', json_schema: { name: 'response', ...rest, schema } }
}

export function assistantMessage(parts: readonly ChatContentPart[], calls: readonly object[]): ChatMessage {
  return {
    role: 'assistant',
    content: parts.length === 0 ? null : contentOf(parts),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

/** Removes keys without a value, so that requests compare equal to ones that never had them. */
export function withoutUndefined(request: ChatRequest): ChatRequest {
  const told = Object.entries(request).filter(([, value]) => value !== undefined && value !== null)
  return { ...Object.fromEntries(told), model: request.model, messages: request.messages }
}
