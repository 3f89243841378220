import { z } from 'zod'
import type { ChatContentPart, ChatMessage, ChatRequest } from '../chat.js'
import { openaiError } from './openai-error.js'
import { openaiKeyOf, type Protocol } from './protocol.js'
import {
  assistantMessage,
  contentOf,
  filePart,
  functionCall,
  inParts,
  readBy,
  schemaFormat,
  sorting,
  textPart,
  withoutUndefined,
} from './reading.js'
import { events, whole } from './responses-reply.js'
import { chatTools, nameIn, toolsSchema } from './responses-tools.js'

/** The protocol of OpenAI's Responses API. */
export const protocol: Protocol = {
  keyOf: openaiKeyOf,
  read: received => readBy(requestSchema, received, translate),
  whole,
  events,
  refuse: openaiError,
}

const other = z.object({ type: z.literal('other'), part: z.looseObject({ type: z.string() }) })
const part = z.preprocess(
  sorting(['input_text', 'output_text', 'text', 'refusal', 'input_image', 'input_file']),
  z.discriminatedUnion('type', [
    z.object({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() }),
    z.object({ type: z.literal('refusal'), refusal: z.string() }),
    z.object({
      type: z.literal('input_image'),
      image_url: z.string().nullish(),
      file_id: z.string().nullish(),
    }),
    z.object({
      type: z.literal('input_file'),
      filename: z.string().nullish(),
      file_data: z.string().nullish(),
      file_url: z.string().nullish(),
      file_id: z.string().nullish(),
    }),
    other,
  ]),
)
const content = z.preprocess(inParts, z.array(part))
const call = z.object({ call_id: z.string(), name: z.string(), namespace: z.string().nullish() })
const output = z.object({ call_id: z.string(), output: content })
const item = z.preprocess(
  sorting(
    [
      'message',
      'function_call',
      'function_call_output',
      'custom_tool_call',
      'custom_tool_call_output',
      'item_reference',
    ],
    'message',
  ),
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('message'), role: z.string(), content }),
    call.extend({ type: z.literal('function_call'), arguments: z.string() }),
    call.extend({ type: z.literal('custom_tool_call'), input: z.string() }),
    output.extend({ type: z.enum(['function_call_output', 'custom_tool_call_output']) }),
    z.object({ type: z.literal('item_reference'), id: z.string() }),
    other,
  ]),
)
const format = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  strict: z.boolean().nullish(),
  schema: z.unknown().optional(),
})
const toolChoice = z.union([z.string(), z.looseObject({ type: z.string(), name: z.string().optional() })])

const requestSchema = toolsSchema.extend({
  model: z.string().min(1),
  input: z.preprocess(
    value => (typeof value === 'string' ? [{ role: 'user', content: value }] : value),
    z.array(item).min(1),
  ),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  max_output_tokens: z.number().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  text: z.looseObject({ format: format.nullish() }).nullish(),
  tool_choice: toolChoice.nullish(),
  stream: z.boolean().nullish(),
})

type Wire = z.infer<typeof requestSchema>
type Item = z.infer<typeof item>

function translate(wire: Wire): ChatRequest | string {
  // References to earlier responses are refused. The server stores none, because a reply depends only on its
  // request.
  if (typeof wire.previous_response_id === 'string')
    return `previous_response_id: Previous response with id '${wire.previous_response_id}' not found: nothing is stored here`
  if (wire.input.some(({ type }) => type === 'item_reference'))
    return 'input: Items are not stored here: send each of them whole, with store: false'
  const messages: ChatMessage[] = []
  if (typeof wire.instructions === 'string') messages.push({ role: 'system', content: wire.instructions })
  for (const each of wire.input) addItem(messages, each)
  return withoutUndefined({
    model: wire.model,
    messages,
    stream: wire.stream ?? false,
    max_completion_tokens: wire.max_output_tokens,
    temperature: wire.temperature,
    top_p: wire.top_p,
    parallel_tool_calls: wire.parallel_tool_calls,
    reasoning_effort: wire.reasoning?.effort,
    ...readFormat(wire.text?.format),
    ...(wire.tools === undefined ? {} : { tools: chatTools(wire.tools) }),
    tool_choice: readChoice(wire.tool_choice),
  })
}

/**
 * Adds an item to the messages. This protocol sends the text and the calls of a turn as separate items; they
 * become one message.
 */
function addItem(messages: ChatMessage[], one: Item): void {
  switch (one.type) {
    case 'message':
      messages.push({ role: one.role, content: contentOf(one.content.map(readPart)) })
      return
    case 'function_call':
      addCall(messages, functionCall(one.call_id, nameIn(one.namespace, one.name), one.arguments))
      return
    case 'custom_tool_call':
      addCall(messages, {
        id: one.call_id,
        type: 'custom',
        custom: { name: nameIn(one.namespace, one.name), input: one.input },
      })
      return
    case 'function_call_output':
    case 'custom_tool_call_output':
      messages.push({ role: 'tool', tool_call_id: one.call_id, content: contentOf(one.output.map(readPart)) })
  }
}

function addCall(messages: ChatMessage[], made: object): void {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') messages.push(assistantMessage([], [made]))
  else messages[messages.length - 1] = { ...last, tool_calls: [...(last.tool_calls ?? []), made] }
}

function readPart(from: z.infer<typeof part>): ChatContentPart {
  switch (from.type) {
    case 'refusal':
      return textPart(from.refusal)
    case 'input_image':
      return filePart(from.image_url ?? from.file_id ?? '', 'image/*')
    case 'input_file': {
      const place = from.file_data ?? from.file_url ?? from.file_id ?? ''
      return filePart(place, 'application/pdf', from.filename ?? undefined)
    }
    case 'other':
      return from.part
    default:
      return textPart(from.text)
  }
}

function readFormat(wire: z.infer<typeof format> | null | undefined): Pick<ChatRequest, 'response_format'> {
  if (wire?.type === 'json_object') return { response_format: { type: 'json_object' } }
  if (wire?.type !== 'json_schema') return {}
  const { type, schema, ...rest } = wire
  return { response_format: schemaFormat(schema, rest) }
}

function readChoice(choice: Wire['tool_choice']): unknown {
  if (typeof choice !== 'object' || choice === null || choice.type !== 'function') return choice
  return { type: 'function', function: { name: choice.name } }
}
