import { z } from 'zod'
import { Conversation } from './conversation.js'
import { recordsIn, textIn } from './json-lines.js'

/** The records of `--output-format stream-json`, which Claude Code introduced and Qwen Code adopted. */
const block = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal('tool_result'), tool_use_id: z.string(), content: z.unknown() }),
  z.object({ type: z.string() }).transform(() => ({ type: 'other' as const })),
])

const count = z.number().optional()

export const countedUsage = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
})

const result = z.object({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean(),
  api_error_status: z.number().nullish(),
  stop_reason: z.string().nullish(),
  result: z.string().optional(),
  error: z.object({ message: z.string() }).optional(),
  errors: z.array(z.string()).optional(),
  total_cost_usd: z.number().optional(),
  usage: countedUsage.optional(),
  modelUsage: z
    .record(
      z.string(),
      z.object({
        inputTokens: z.number(),
        outputTokens: z.number(),
        cacheReadInputTokens: count,
        cacheCreationInputTokens: count,
        thinkingTokens: count,
      }),
    )
    .optional(),
  permission_denials: z
    .array(z.object({ tool_name: z.string(), tool_use_id: z.string(), tool_input: z.unknown().optional() }))
    .optional(),
})

const record = z.discriminatedUnion('type', [
  z.object({
    type: z.enum(['assistant', 'user']),
    parent_tool_use_id: z.string().nullish(),
    /** Set if the message was written by the agent itself and not by its model. */
    error: z.string().optional(),
    message: z.object({ id: z.string().optional(), content: z.union([z.string(), z.array(block)]) }),
  }),
  result,
])

const passed = new Set(['system', 'stream_event', 'rate_limit_event', 'tool_progress', 'auth_status'])

export type StreamResult = z.infer<typeof result>

export interface Stream {
  readonly conversation: Conversation
  /** The last record of a run that ended normally. */
  readonly result: StreamResult | undefined
  readonly skipped: number
}

/** Parses the stream without sub-agents, whose answers return as results of the tool that started them. */
export function readStream(stdout: string): Stream {
  const { records, skipped } = recordsIn(stdout, record, passed)
  const conversation = new Conversation()
  for (const entry of records) {
    if (entry.type === 'result' || (entry.parent_tool_use_id ?? null) !== null || entry.error !== undefined)
      continue
    const { content, id } = entry.message
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
    for (const part of blocks) {
      if (part.type === 'text' && entry.type === 'assistant') conversation.addText(part.text, id)
      if (part.type === 'tool_use') {
        conversation.addCall({ id: part.id, name: part.name, arguments: JSON.stringify(part.input ?? {}) })
      }
      if (part.type === 'tool_result') conversation.addResult(part.tool_use_id, textIn(part.content))
    }
  }
  return { conversation, result: records.findLast(entry => entry.type === 'result'), skipped }
}

/** Messages that denied the agent a tool, as the model saw them, without the tools in `besides`. */
export function denialsIn(
  { conversation, result }: Pick<Stream, 'conversation' | 'result'>,
  { besides = [] }: { readonly besides?: readonly string[] } = {},
): string[] {
  const denials = (result?.permission_denials ?? []).filter(({ tool_name }) => !besides.includes(tool_name))
  return denials.map(({ tool_name, tool_use_id }) => {
    const told = conversation.messages.find(message => message.toolCallId === tool_use_id)?.text
    return told === undefined ? tool_name : `${tool_name}: ${told}`
  })
}
