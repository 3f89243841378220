import type { z } from 'zod'
import type { ChatContentPart, ChatMessage, ChatRequest } from '../chat.js'

/** Helpers for reading requests of any protocol. */

/** Parses a request by its schema. Returns a message with the error and its location if it is invalid. */
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
 * Creates a preprocessor for parts that are distinguished by `type`. Because vendors add types, a part of any
 * other type becomes `{type: 'other', part}`.
 */
export function sorting(types: readonly string[], usual?: string): (value: unknown) => unknown {
  return value => {
    if (typeof value !== 'object' || value === null) return value
    const type = 'type' in value ? value.type : usual
    return types.some(known => known === type) ? { ...value, type } : { type: 'other', part: value }
  }
}

/**
 * Preprocessor for content that may be plain text instead of parts. A single form lets errors name the exact
 * location.
 */
export function inParts(value: unknown): unknown {
  return typeof value === 'string' ? [textPart(value)] : value
}

/** Content of a message: plain text if there is a single text part, otherwise the parts. */
export function contentOf(parts: readonly ChatContentPart[]): string | readonly ChatContentPart[] {
  const [first] = parts
  if (first === undefined) return ''
  return parts.length === 1 && first.type === 'text' && first.text !== undefined ? first.text : parts
}

export function textPart(text: string): ChatContentPart {
  return { type: 'text', text }
}

/** Creates the part for an image or a document. Inline data has a `data:` URL. */
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

/** Removes keys without a value, so that the request equals one that never had them. */
export function withoutUndefined(request: ChatRequest): ChatRequest {
  const told = Object.entries(request).filter(([, value]) => value !== undefined && value !== null)
  return { ...Object.fromEntries(told), model: request.model, messages: request.messages }
}
