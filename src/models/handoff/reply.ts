import { z } from 'zod'
import type { ModelReply, ModelRequest } from '../../core/ports/model.js'
import { handoffMark } from '../../core/transcript/handoff-marks.js'

/**
 * A parsed value, or the reason why it is not a valid reply. The reason continues a sentence that begins with
 * the file's name.
 */
export type Parsed<T> = { readonly value: T } | { readonly problem: string }

const callsSchema = z
  .array(z.strictObject({ name: z.string().min(1), arguments: z.record(z.string(), z.json()) }))
  .min(1)

const callsBlock = /^(?:([\s\S]*?)\n)??```tool-calls[ \t]*\n([\s\S]*?)\n?```$/

/** Parses an answer file. It has no token counts, so the usage stays unknown. */
export function replyOf(text: string, key: string, request: ModelRequest): Parsed<ModelReply> {
  if (text.trim() === '') return { problem: 'is empty' }
  if (text.includes(handoffMark(key))) return { problem: 'is a copy of the prompt' }
  const hasTools = (request.tools ?? []).length > 0
  // Editors end files with a line break; model replies do not end with one.
  const reply = text.trimEnd()
  if (!hasTools || !reply.includes('```tool-calls'))
    return { value: { text: reply, stop: 'stop', usage: {} } }
  return withToolCalls(reply.replaceAll('\r\n', '\n'), key)
}

/** Parses tool calls. A malformed call is only a slip in the format, so it is reported, not scored. */
function withToolCalls(said: string, key: string): Parsed<ModelReply> {
  const [, text = '', json] = callsBlock.exec(said) ?? []
  const parsed = json === undefined ? undefined : callsSchema.safeParse(parsedJson(json))
  if (parsed?.success !== true) {
    return { problem: 'has a block of tool-calls that is not a JSON list of calls at the end of the reply' }
  }
  const toolCalls = parsed.data.map(({ name, arguments: given }, index) => ({
    id: `${key.slice(0, 8)}-${index + 1}`,
    name,
    arguments: JSON.stringify(given),
  }))
  return { value: { text: text.trimEnd(), toolCalls, stop: 'tool-calls', usage: {} } }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Invalid JSON is treated like an invalid list of calls.
    return undefined
  }
}
