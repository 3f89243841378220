import { converseReply, converseStream } from './wire-converse.js'
import { geminiError, geminiReply, geminiStream } from './wire-gemini.js'

/** The provider APIs, as far as a model under test needs them. */
export type Dialect = 'chat' | 'responses' | 'messages' | 'gemini' | 'converse'

export interface ScriptedReply {
  readonly text?: string
  readonly toolCall?: { readonly id: string; readonly name: string; readonly arguments: string }
  readonly stop?: 'stop' | 'length' | 'filter'
  /** The model's refusal message, if the API has a field for it. */
  readonly refusal?: string
  /** `null`: the provider reports no usage. */
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number } | null
}

export function dialectOf(path: string): Dialect | undefined {
  if (path.endsWith('/chat/completions')) return 'chat'
  if (path.endsWith('/responses')) return 'responses'
  if (/\/converse(-stream)?$/.test(path)) return 'converse'
  if (/:(streamG|g)enerateContent$/.test(path)) return 'gemini'
  return path.endsWith('/messages') ? 'messages' : undefined
}

export function wholeReply(dialect: Dialect, reply: ScriptedReply): unknown {
  const formats = {
    chat: chatReply,
    responses: responsesReply,
    messages: messagesReply,
    gemini: geminiReply,
    converse: converseReply,
  }
  return formats[dialect](reply)
}

/** The same reply as a stream of events, in order. */
export function streamedReply(dialect: Dialect, reply: ScriptedReply): readonly (string | Buffer)[] {
  const formats = {
    chat: chatStream,
    responses: responsesStream,
    messages: messagesStream,
    gemini: geminiStream,
    converse: converseStream,
  }
  return formats[dialect](reply)
}

export function errorBody(
  dialect: Dialect,
  status: number,
  message: string,
  code: string | undefined,
): unknown {
  if (dialect === 'gemini') return geminiError(status, message, code)
  if (dialect === 'converse') return { message, type: code }
  const type = code ?? 'invalid_request_error'
  return dialect === 'messages'
    ? { type: 'error', error: { type, message } }
    : { error: { message, type, code: code ?? null, param: null } }
}

const created = 1_700_000_000
const defined = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
const event = (data: unknown, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

function chatFinish(reply: ScriptedReply): string {
  if (reply.stop === 'length') return 'length'
  if (reply.stop === 'filter') return 'content_filter'
  return reply.toolCall === undefined ? 'stop' : 'tool_calls'
}

function chatUsage(usage: ScriptedReply['usage']): unknown {
  if (usage === null || usage === undefined) return undefined
  return defined({
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: usage.cached === undefined ? undefined : { cached_tokens: usage.cached },
  })
}

function chatToolCalls(reply: ScriptedReply) {
  const call = reply.toolCall
  if (call === undefined) return undefined
  return [
    { index: 0, id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } },
  ]
}

function chatReply(reply: ScriptedReply): unknown {
  const message = defined({
    role: 'assistant',
    content: reply.text ?? null,
    refusal: reply.refusal,
    tool_calls: chatToolCalls(reply),
  })
  return defined({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created,
    model: 'fake',
    choices: [{ index: 0, message, finish_reason: chatFinish(reply) }],
    usage: chatUsage(reply.usage),
  })
}

function chatStream(reply: ScriptedReply): string[] {
  const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created, model: 'fake' }
  const chunk = (delta: unknown, finish: string | null) =>
    event({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] })
  const usage = chatUsage(reply.usage)
  const text = reply.text ?? ''
  const half = Math.ceil(text.length / 2)
  return [
    chunk({ role: 'assistant', content: text.slice(0, half) }, null),
    chunk(
      defined({ content: text.slice(half), refusal: reply.refusal, tool_calls: chatToolCalls(reply) }),
      null,
    ),
    chunk({}, chatFinish(reply)),
    ...(usage === undefined ? [] : [event({ ...base, choices: [], usage })]),
    event('[DONE]'),
  ]
}

function responsesUsage(usage: ScriptedReply['usage']): unknown {
  if (usage === null || usage === undefined) return undefined
  return {
    input_tokens: usage.input,
    input_tokens_details: defined({ cached_tokens: usage.cached }),
    output_tokens: usage.output,
    output_tokens_details: {},
    total_tokens: usage.input + usage.output,
  }
}

function responsesItem(reply: ScriptedReply): Record<string, unknown> {
  const call = reply.toolCall
  if (call !== undefined) {
    return {
      type: 'function_call',
      id: 'fc_1',
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
      status: 'completed',
    }
  }
  const content =
    reply.refusal === undefined
      ? [{ type: 'output_text', text: reply.text ?? '', annotations: [] }]
      : [{ type: 'refusal', refusal: reply.refusal }]
  return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }
}

function responsesReply(reply: ScriptedReply): Record<string, unknown> {
  const reason =
    reply.stop === 'length' ? 'max_output_tokens' : reply.stop === 'filter' ? 'content_filter' : undefined
  return defined({
    id: 'resp_1',
    object: 'response',
    created_at: created,
    model: 'fake',
    status: reason === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    output: [responsesItem(reply)],
    usage: responsesUsage(reply.usage),
  })
}

function responsesText(reply: ScriptedReply): Record<string, unknown> {
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  return reply.refusal === undefined
    ? { type: 'response.output_text.delta', ...place, delta: reply.text ?? '' }
    : { type: 'response.refusal.delta', ...place, delta: reply.refusal }
}

function responsesStream(reply: ScriptedReply): string[] {
  const whole = responsesReply(reply)
  const item = responsesItem(reply)
  const opening =
    reply.toolCall === undefined
      ? { ...item, content: [], status: 'in_progress' }
      : { ...item, arguments: '' }
  const delta =
    reply.toolCall === undefined
      ? responsesText(reply)
      : {
          type: 'response.function_call_arguments.delta',
          item_id: 'fc_1',
          output_index: 0,
          delta: reply.toolCall.arguments,
        }
  const last = whole.status === 'completed' ? 'response.completed' : 'response.incomplete'
  const start = { ...whole, output: [], status: 'in_progress', incomplete_details: null }
  return [
    { type: 'response.created', response: start },
    { type: 'response.output_item.added', output_index: 0, item: opening },
    delta,
    { type: 'response.output_item.done', output_index: 0, item },
    { type: last, response: whole },
  ].map(data => event(data, String(data.type)))
}

function messagesStop(reply: ScriptedReply): string {
  if (reply.stop === 'length') return 'max_tokens'
  if (reply.stop === 'filter' || reply.refusal !== undefined) return 'refusal'
  return reply.toolCall === undefined ? 'end_turn' : 'tool_use'
}

/** Anthropic counts cached input separately from input. */
function messagesUsage(usage: ScriptedReply['usage']): Record<string, unknown> {
  const { input, output, cached } = usage ?? { input: 0, output: 0 }
  return defined({
    input_tokens: input - (cached ?? 0),
    output_tokens: output,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: cached === undefined ? undefined : 0,
  })
}

function messagesBlock(reply: ScriptedReply): Record<string, unknown> {
  const call = reply.toolCall
  if (call === undefined) return { type: 'text', text: reply.text ?? reply.refusal ?? '' }
  return { type: 'tool_use', id: call.id, name: call.name, input: JSON.parse(call.arguments) as unknown }
}

function messagesReply(reply: ScriptedReply): Record<string, unknown> {
  return {
    type: 'message',
    id: 'msg_1',
    model: 'fake',
    role: 'assistant',
    content: [messagesBlock(reply)],
    stop_reason: messagesStop(reply),
    stop_sequence: null,
    usage: messagesUsage(reply.usage),
  }
}

function messagesStream(reply: ScriptedReply): string[] {
  const whole = messagesReply(reply)
  const usage = messagesUsage(reply.usage)
  const block =
    reply.toolCall === undefined ? { type: 'text', text: '' } : { ...messagesBlock(reply), input: {} }
  const delta =
    reply.toolCall === undefined
      ? { type: 'text_delta', text: reply.text ?? reply.refusal ?? '' }
      : { type: 'input_json_delta', partial_json: reply.toolCall.arguments }
  return [
    {
      type: 'message_start',
      message: { ...whole, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: whole.stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: 'message_stop' },
  ].map(data => event(data, data.type))
}
