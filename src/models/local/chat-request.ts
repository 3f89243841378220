import { z } from 'zod'
import type { ChatItem } from './engine-types.js'

const part = z.object({ type: z.literal('text'), text: z.string() })
const content = z.union([z.string(), z.array(part)])

/** The accepted fields. The schema is strict, so that no setting is silently ignored. */
const requestSchema = z.strictObject({
  model: z.string(),
  messages: z.array(z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content })).min(1),
  max_tokens: z.int().positive().optional(),
  temperature: z.number().min(0).optional(),
  seed: z.int().optional(),
  top_k: z.int().nonnegative().optional(),
  top_p: z.number().positive().max(1).optional(),
  min_p: z.number().nonnegative().max(1).optional(),
  stream: z.boolean().optional(),
  stream_options: z.unknown().optional(),
  /** Size of the context; it takes effect when the engine starts. */
  contextTokens: z.int().positive().optional(),
  response_format: z
    .union([
      z.strictObject({ type: z.literal('text') }),
      z.strictObject({ type: z.literal('json_object') }),
      z.strictObject({
        type: z.literal('json_schema'),
        json_schema: z.object({ schema: z.record(z.string(), z.unknown()) }),
      }),
    ])
    .optional(),
})

export type ChatRequest = z.output<typeof requestSchema>

/** Parses a request. A string is the reason why the request cannot be answered. */
export function readChatRequest(body: unknown): ChatRequest | string {
  const { tools, ...rest } = Object(body) as Record<string, unknown>
  if (Array.isArray(tools) && tools.length > 0) return 'Local weights take no tools.'
  const read = requestSchema.safeParse(rest)
  if (read.success) return read.data
  const [issue] = read.error.issues
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a chat request'}`.replace(/^: /, '')
}

export function chatItems({ messages }: ChatRequest): readonly ChatItem[] {
  const items: ChatItem[] = messages.map(({ role, content }) => {
    const text = typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n')
    return role === 'assistant' ? { type: 'model', response: [text] } : { type: role, text }
  })
  // An empty reply at the end makes the chat template begin the model's turn.
  return [...items, { type: 'model', response: [] }]
}
