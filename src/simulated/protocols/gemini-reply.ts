import type { ChatError, ChatReply, ChatRequest, ChatUsage } from '../chat.js'
import { eventOf, finishReasonOf, idOfCall, parsedArgumentsOf, piecesOf } from '../wire.js'
import type { Answer, ErrorReply } from './protocol.js'

/**
 * Replies of the Gemini API. A reply is a list of candidates with parts; a stream is a series of such replies
 * with one piece each.
 */

/** Finish reasons of Gemini by ours. A turn with tool calls ends with STOP, like any other. */
const finishReasons = { stop: 'STOP', length: 'MAX_TOKENS', tool_calls: 'STOP', content_filter: 'SAFETY' }

function chunk(
  { request, number }: Answer,
  parts: readonly object[],
  rest: object = {},
  ended: object = {},
): object {
  return {
    candidates: [{ content: { parts, role: 'model' }, ...rest, index: 0 }],
    ...ended,
    modelVersion: request.model,
    responseId: `response-${number}`,
  }
}

/** The final chunk of a reply, which contains the finish reason and the usage. */
function lastChunk(answer: Answer, parts: readonly object[]): object {
  const { reply } = answer
  const finishReason =
    reply.refusal === undefined ? finishReasons[finishReasonOf(reply)] : 'PROHIBITED_CONTENT'
  return chunk(answer, parts, { finishReason }, usageOf(answer.usage))
}

function usageOf(usage: ChatUsage | null): object {
  if (usage === null) return {}
  const cached = usage.prompt_tokens_details.cached_tokens
  return {
    usageMetadata: {
      promptTokenCount: usage.prompt_tokens,
      candidatesTokenCount: usage.completion_tokens,
      totalTokenCount: usage.total_tokens,
      ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    },
  }
}

function callsOf(request: ChatRequest, reply: ChatReply): object[] {
  return (reply.toolCalls ?? []).map((call, index) => ({
    functionCall: { id: idOfCall(request, call, index), name: call.name, args: parsedArgumentsOf(call) },
  }))
}

export function whole(answer: Answer): object {
  const { request, reply } = answer
  const said = reply.refusal ?? reply.content
  return lastChunk(answer, [...(said === undefined ? [] : [{ text: said }]), ...callsOf(request, reply)])
}

/** The chunks of a stream. Each is a complete reply object, and a tool call is never split. */
export function events(answer: Answer): string[] {
  const { request, reply } = answer
  const pieces = piecesOf(reply.refusal ?? reply.content ?? '').map(text => ({ text }))
  return [
    ...[...pieces, ...callsOf(request, reply)].map(piece => chunk(answer, [piece])),
    lastChunk(answer, [{ text: '' }]),
  ].map(data => eventOf(data))
}

const statuses: Partial<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

export function refuse({ status, message, code, type, headers }: ChatError): ErrorReply {
  const details = detailsOf(code, headers?.['retry-after'])
  const error = {
    code: status,
    message,
    status: type ?? statuses[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT'),
    ...(details.length === 0 ? {} : { details }),
  }
  return { status, body: { error }, ...(headers === undefined ? {} : { headers }) }
}

/**
 * Details of an error. Gemini uses the same status and a retry delay for rate limits and exhausted quotas;
 * only the name of the limit differs.
 */
function detailsOf(code: string | undefined, retryAfter: string | undefined): object[] {
  const prefix = 'type.googleapis.com/google.rpc.'
  const exhausted = code === 'insufficient_quota'
  const delay = retryAfter ?? (exhausted ? '60' : undefined)
  const violations = [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }]
  return [
    ...(exhausted ? [{ '@type': `${prefix}QuotaFailure`, violations }] : []),
    ...(delay === undefined ? [] : [{ '@type': `${prefix}RetryInfo`, retryDelay: `${delay}s` }]),
  ]
}
