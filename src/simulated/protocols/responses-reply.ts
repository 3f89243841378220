import type { ChatToolCall, ChatUsage } from '../chat.js'
import { argumentsOf, eventOf, finishReasonOf, idOfCall, piecesOf } from '../wire.js'
import type { Answer, JsonObject } from './protocol.js'
import { toolNamed } from './responses-tools.js'

/** Replies of the Responses API. A reply is a list of items; a stream builds up each item in turn. */

interface TextPart {
  readonly type: 'output_text'
  readonly text: string
  readonly annotations: readonly []
  readonly logprobs: readonly []
}
interface RefusalPart {
  readonly type: 'refusal'
  readonly refusal: string
}
interface MessageItem {
  readonly type: 'message'
  readonly id: string
  readonly status: string
  readonly role: 'assistant'
  readonly content: readonly [TextPart | RefusalPart]
}
interface CallItem {
  readonly id: string
  readonly status: string
  readonly call_id: string
  readonly name: string
  readonly namespace?: string
}
interface FunctionCallItem extends CallItem {
  readonly type: 'function_call'
  readonly arguments: string
}
interface CustomCallItem extends CallItem {
  readonly type: 'custom_tool_call'
  readonly input: string
}
type OutputItem = MessageItem | FunctionCallItem | CustomCallItem

/** Fields of the request that the reply repeats, with their defaults. */
const repeated: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: true,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
}

const incompleteReasons: Partial<Record<string, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

export function whole(answer: Answer) {
  const { request, received, reply, usage, number } = answer
  const reason = incompleteReasons[finishReasonOf(reply)]
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status: reason === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    model: request.model,
    output: itemsOf(answer, reason === undefined ? 'completed' : 'incomplete'),
    usage: usage === null ? null : usageOf(usage),
    ...Object.fromEntries(Object.entries(repeated).map(([key, usual]) => [key, received[key] ?? usual])),
  }
}

function usageOf(usage: ChatUsage): object {
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: usage.prompt_tokens_details.cached_tokens },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.total_tokens,
  }
}

function itemsOf(answer: Answer, status: string): OutputItem[] {
  const { request, reply } = answer
  const part = partOf(reply.content, reply.refusal)
  const id = `msg_${request.messages.length}`
  const calls = (reply.toolCalls ?? []).map((call, index) => callItem(answer, call, index))
  return part === undefined
    ? calls
    : [{ type: 'message', id, status, role: 'assistant', content: [part] }, ...calls]
}

function partOf(text?: string, refusal?: string): TextPart | RefusalPart | undefined {
  if (refusal !== undefined) return { type: 'refusal', refusal }
  return text === undefined ? undefined : { type: 'output_text', text, annotations: [], logprobs: [] }
}

function callItem({ request, received }: Answer, call: ChatToolCall, index: number): OutputItem {
  const { name, namespace, takesText } = toolNamed(call.name, received)
  const item = {
    status: 'completed',
    call_id: idOfCall(request, call, index),
    name,
    ...(namespace === undefined ? {} : { namespace }),
  }
  const place = `${request.messages.length}_${index}`
  return takesText
    ? { type: 'custom_tool_call', id: `ctc_${place}`, ...item, input: argumentsOf(call) }
    : { type: 'function_call', id: `fc_${place}`, ...item, arguments: argumentsOf(call) }
}

interface StreamEvent {
  readonly type: string
  readonly [key: string]: unknown
}

export function events(answer: Answer): string[] {
  return [...eventsOf(answer)].map((event, sequence_number) =>
    eventOf({ ...event, sequence_number }, event.type),
  )
}

function* eventsOf(answer: Answer): Generator<StreamEvent> {
  const response = whole(answer)
  const begun = { ...response, status: 'in_progress', incomplete_details: null, output: [], usage: null }
  yield { type: 'response.created', response: begun }
  yield { type: 'response.in_progress', response: begun }
  for (const [output_index, item] of response.output.entries()) {
    const place = { item_id: item.id, output_index }
    yield { type: 'response.output_item.added', output_index, item: begunItem(item) }
    yield* contentEvents(item, place)
    yield { type: 'response.output_item.done', output_index, item }
  }
  yield { type: `response.${response.status}`, response }
}

function begunItem(item: OutputItem): object {
  const begun = { ...item, status: 'in_progress' }
  if (item.type === 'message') return { ...begun, content: [] }
  return item.type === 'function_call' ? { ...begun, arguments: '' } : { ...begun, input: '' }
}

function* contentEvents(item: OutputItem, place: object): Generator<StreamEvent> {
  switch (item.type) {
    case 'message':
      yield* partEvents(item.content[0], { ...place, content_index: 0 })
      return
    case 'function_call':
      yield* pieceEvents('response.function_call_arguments', 'arguments', item.arguments, place)
      return
    case 'custom_tool_call':
      yield* pieceEvents('response.custom_tool_call_input', 'input', item.input, place)
  }
}

function* partEvents(part: TextPart | RefusalPart, place: object): Generator<StreamEvent> {
  if (part.type === 'refusal') {
    yield { type: 'response.content_part.added', ...place, part: { ...part, refusal: '' } }
    yield* pieceEvents('response.refusal', 'refusal', part.refusal, place)
  } else {
    yield { type: 'response.content_part.added', ...place, part: { ...part, text: '' } }
    yield* pieceEvents('response.output_text', 'text', part.text, { ...place, logprobs: [] })
  }
  yield { type: 'response.content_part.done', ...place, part }
}

/** Streams a text in pieces, then sends the whole text in a field of the given name. */
function* pieceEvents(type: string, name: string, text: string, place: object): Generator<StreamEvent> {
  for (const delta of piecesOf(text)) yield { type: `${type}.delta`, ...place, delta }
  yield { type: `${type}.done`, ...place, [name]: text }
}
