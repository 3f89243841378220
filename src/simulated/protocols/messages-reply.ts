import type { ChatError, ChatReply, ChatUsage } from '../chat.js'
import { argumentsOf, eventOf, finishReasonOf, idOfCall, parsedArgumentsOf, piecesOf } from '../wire.js'
import type { Answer, ErrorReply, JsonObject } from './protocol.js'

/** Replies of the Messages API. A reply is a list of blocks; a stream builds up each block in turn. */

const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

function stopReasonOf(reply: ChatReply): string {
  return reply.refusal === undefined ? stopReasons[finishReasonOf(reply)] : 'refusal'
}

/** Usage in the form of this API. It is required, so unknown values are 0; cached input is separate. */
function usageOf(usage: ChatUsage | null) {
  const cached = usage?.prompt_tokens_details.cached_tokens ?? 0
  return {
    input_tokens: (usage?.prompt_tokens ?? 0) - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: usage?.completion_tokens ?? 0,
  }
}

function envelope({ request, number, usage }: Answer) {
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    usage: usageOf(usage),
  }
}

export function whole(answer: Answer): object {
  const { request, reply } = answer
  const said = reply.refusal ?? reply.content
  return {
    ...envelope(answer),
    content: [
      ...(said === undefined ? [] : [{ type: 'text', text: said }]),
      ...(reply.toolCalls ?? []).map((call, index) => ({
        type: 'tool_use',
        id: idOfCall(request, call, index, 'toolu'),
        name: call.name,
        input: parsedArgumentsOf(call),
      })),
    ],
    stop_reason: stopReasonOf(reply),
    stop_sequence: null,
  }
}

interface StreamedBlock {
  readonly start: object
  readonly deltas: readonly object[]
}

function blocksOf({ request, reply }: Answer): StreamedBlock[] {
  const said = reply.refusal ?? reply.content
  const texts = said === undefined ? [] : [said]
  return [
    ...texts.map(words => ({
      start: { type: 'text', text: '' },
      deltas: piecesOf(words).map(piece => ({ type: 'text_delta', text: piece })),
    })),
    ...(reply.toolCalls ?? []).map((call, index) => ({
      start: { type: 'tool_use', id: idOfCall(request, call, index, 'toolu'), name: call.name, input: {} },
      deltas: piecesOf(argumentsOf(call)).map(piece => ({ type: 'input_json_delta', partial_json: piece })),
    })),
  ]
}

export function events(answer: Answer): string[] {
  return [...eventsOf(answer)].map(event => eventOf(event, event.type))
}

function* eventsOf(answer: Answer): Generator<JsonObject & { readonly type: string }> {
  const head = envelope(answer)
  yield {
    type: 'message_start',
    message: {
      ...head,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      // At the start of a stream the number of output tokens is not known yet.
      usage: { ...head.usage, output_tokens: 1 },
    },
  }
  for (const [index, { start, deltas }] of blocksOf(answer).entries()) {
    yield { type: 'content_block_start', index, content_block: start }
    if (index === 0) yield { type: 'ping' }
    for (const delta of deltas) yield { type: 'content_block_delta', index, delta }
    yield { type: 'content_block_stop', index }
  }
  yield {
    type: 'message_delta',
    delta: { stop_reason: stopReasonOf(answer.reply), stop_sequence: null },
    usage: { output_tokens: head.usage.output_tokens },
  }
  yield { type: 'message_stop' }
}

const typeOfStatus: Partial<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

export function refuse(error: ChatError, number: number): ErrorReply {
  // This API has a status of its own for an account without credit.
  const status = error.code === 'insufficient_quota' ? 402 : error.status
  const type = error.type ?? typeOfStatus[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
  return {
    status,
    body: { type: 'error', error: { type, message: error.message }, request_id: `req_${number}` },
    ...(error.headers === undefined ? {} : { headers: error.headers }),
  }
}
