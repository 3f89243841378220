import { z } from 'zod'
import type { ModelReply, ModelRequest } from '../../core/ports/model.js'
import { handoffMark } from '../../core/transcript/handoff-marks.js'

/** What somebody wrote, or why it cannot be taken for a reply. The latter ends a sentence that begins with the file. */
export type Read<T> = { readonly value: T } | { readonly problem: string }

const calls = z
  .array(z.strictObject({ name: z.string().min(1), arguments: z.record(z.string(), z.json()) }))
  .min(1)

const callsBlock = /^(?:([\s\S]*?)\n)??```tool-calls[ \t]*\n([\s\S]*?)\n?```$/

/** Who answered says nothing of tokens, so their number stays unknown. */
export function replyOf(text: string, key: string, request: ModelRequest): Read<ModelReply> {
  if (text.trim() === '') return { problem: 'is empty' }
  if (text.includes(handoffMark(key))) return { problem: 'is a copy of the prompt' }
  const isAboutTools = (request.tools ?? []).length > 0
  // An editor ends a file with a line break; a model does not end its reply so.
  const said = text.trimEnd()
  if (!isAboutTools || !said.includes('```tool-calls'))
    return { value: { text: said, stop: 'stop', usage: {} } }
  return withToolCalls(said.replaceAll('\r\n', '\n'), key)
}

/** A call that is written wrongly is a slip of this form and no failure of whoever was asked: it is not taken. */
function withToolCalls(said: string, key: string): Read<ModelReply> {
  const [, text = '', json] = callsBlock.exec(said) ?? []
  const parsed = json === undefined ? undefined : calls.safeParse(parsedJson(json))
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
    // Not JSON: that is told as a list of calls that it is not.
    return undefined
  }
}
