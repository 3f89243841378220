import { z } from 'zod'
import type { ChatContentPart, ChatMessage, ChatRequest } from '../chat.js'
import { events, refuse, whole } from './messages-reply.js'
import { bearerOf, headerOf, type Protocol } from './protocol.js'
import {
  assistantMessage,
  contentOf,
  dataUrl,
  filePart,
  functionCall,
  functionTool,
  inParts,
  readBy,
  schemaFormat,
  sorting,
  textPart,
  withoutUndefined,
} from './reading.js'

/** The protocol of Anthropic's Messages API. */
export const protocol: Protocol = {
  keyOf: headers => headerOf(headers, 'x-api-key') ?? bearerOf(headers),
  read: (received, url) =>
    readBy(url.pathname.endsWith('/count_tokens') ? countSchema : requestSchema, received, translate),
  whole,
  events,
  refuse,
  counted: tokens => ({ input_tokens: tokens }),
}

const source = z.discriminatedUnion('type', [
  z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  z.object({ type: z.literal('url'), url: z.string() }),
  z.object({ type: z.literal('file'), file_id: z.string() }),
  z.object({ type: z.literal('text'), data: z.string() }),
])
const text = z.object({ type: z.literal('text'), text: z.string() })
const image = z.object({ type: z.literal('image'), source })
const document = z.object({ type: z.literal('document'), source, title: z.string().nullish() })
const other = z.object({ type: z.literal('other'), part: z.looseObject({ type: z.string() }) })
const shown = z.preprocess(
  sorting(['text', 'image', 'document']),
  z.discriminatedUnion('type', [text, image, document, other]),
)
const block = z.preprocess(
  sorting(['text', 'image', 'document', 'tool_use', 'tool_result']),
  z.discriminatedUnion('type', [
    text,
    image,
    document,
    z.object({
      type: z.literal('tool_use'),
      id: z.string(),
      name: z.string(),
      input: z.unknown().optional(),
    }),
    z.object({
      type: z.literal('tool_result'),
      tool_use_id: z.string(),
      content: z.preprocess(inParts, z.array(shown).optional()),
    }),
    other,
  ]),
)
const message = z.object({ role: z.string(), content: z.preprocess(inParts, z.array(block)) })
const tool = z.looseObject({
  type: z.string().nullish(),
  name: z.string().optional(),
  description: z.string().optional(),
  input_schema: z.unknown().optional(),
})
const format = z.looseObject({ type: z.string(), schema: z.unknown().optional() }).nullish()
const toolChoice = z.looseObject({ type: z.string(), name: z.string().optional() }).optional()

const requestSchema = z.object({
  model: z.string().min(1),
  max_tokens: z.number().int().positive(),
  messages: z.array(message).min(1),
  system: z.preprocess(inParts, z.array(text).optional()),
  tools: z.array(tool).optional(),
  tool_choice: toolChoice,
  output_config: z.looseObject({ effort: z.string().nullish(), format }).optional(),
  stop_sequences: z.array(z.string()).optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  stream: z.boolean().optional(),
})
/** Schema of a request to count tokens. It generates nothing, so `max_tokens` is optional. */
const countSchema = requestSchema.extend({ max_tokens: requestSchema.shape.max_tokens.optional() })

type Wire = z.infer<typeof countSchema>
type Shown = z.infer<typeof shown>

function translate(wire: Wire): ChatRequest {
  const { system, output_config: output } = wire
  const opening: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: contentOf(system) }]
  return withoutUndefined({
    model: wire.model,
    messages: [...opening, ...wire.messages.flatMap(readMessage)],
    max_tokens: wire.max_tokens,
    temperature: wire.temperature,
    top_p: wire.top_p,
    stop: wire.stop_sequences,
    stream: wire.stream ?? false,
    reasoning_effort: output?.effort,
    ...(output?.format?.type === 'json_schema'
      ? { response_format: schemaFormat(output.format.schema) }
      : {}),
    ...(wire.tools === undefined ? {} : { tools: wire.tools.map(readTool) }),
    tool_choice: readChoice(wire.tool_choice),
  })
}

/** Converts a message. Tool results become separate messages, in the order of the blocks. */
function readMessage({ role, content }: z.infer<typeof message>): ChatMessage[] {
  if (role === 'assistant') {
    const parts = content.flatMap(part => (part.type === 'text' ? [textPart(part.text)] : []))
    const calls = content.flatMap(part =>
      part.type === 'tool_use' ? [functionCall(part.id, part.name, JSON.stringify(part.input ?? {}))] : [],
    )
    return [assistantMessage(parts, calls)]
  }
  const messages: ChatMessage[] = []
  let parts: ChatContentPart[] = []
  const finish = (): void => {
    if (parts.length > 0) messages.push({ role, content: contentOf(parts) })
    parts = []
  }
  for (const part of content) {
    if (part.type === 'tool_result') {
      finish()
      messages.push({
        role: 'tool',
        tool_call_id: part.tool_use_id,
        content: contentOf(part.content?.map(readShown) ?? []),
      })
    } else if (part.type !== 'tool_use') parts.push(readShown(part))
  }
  finish()
  return messages
}

function readShown(part: Shown): ChatContentPart {
  switch (part.type) {
    case 'text':
      return textPart(part.text)
    case 'image':
      return readSource(part.source, 'image/*')
    case 'document':
      return readSource(part.source, 'application/pdf', part.title ?? undefined)
    case 'other':
      return part.part
  }
}

function readSource(from: z.infer<typeof source>, mediaType: string, title?: string): ChatContentPart {
  switch (from.type) {
    case 'base64':
      return filePart(dataUrl(from.media_type, from.data), from.media_type, title)
    case 'url':
      return filePart(from.url, mediaType, title)
    case 'file':
      return filePart(from.file_id, mediaType, title)
    case 'text':
      return textPart(from.data)
  }
}

/** Converts a tool. One that runs at the vendor has no schema and is kept unchanged. */
function readTool(wire: z.infer<typeof tool>): unknown {
  return wire.name === undefined || wire.input_schema === undefined
    ? wire
    : functionTool(wire.name, wire.description, wire.input_schema)
}

function readChoice(choice: z.infer<typeof toolChoice>): unknown {
  if (choice?.type === 'tool') return { type: 'function', function: { name: choice.name } }
  return choice?.type === 'any' ? 'required' : choice?.type
}
