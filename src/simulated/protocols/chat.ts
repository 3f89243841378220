import type { ChatReply, ChatRequest } from '../chat.js'
import { argumentsOf, eventOf, finishReasonOf, idOfCall, piecesOf } from '../wire.js'
import { openaiError } from './openai-error.js'
import { type Answer, type JsonObject, openaiKeyOf, type Protocol } from './protocol.js'

/** The protocol of OpenAI's Chat Completions. Its requests already have the internal form. */
export const protocol: Protocol = {
  keyOf: openaiKeyOf,
  read,
  whole,
  events,
  refuse: openaiError,
}

function read(received: JsonObject): ChatRequest | string {
  const candidate: Partial<ChatRequest> = received
  if (typeof candidate.model !== 'string') return 'The request names no model'
  if (!Array.isArray(candidate.messages) || candidate.messages.length === 0)
    return 'The request has no messages'
  return candidate as ChatRequest
}

function toolCallsOf(request: ChatRequest, reply: ChatReply) {
  return reply.toolCalls?.map((call, index) => ({
    id: idOfCall(request, call, index),
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }))
}

function envelope({ request, number }: Answer, object: string) {
  return {
    id: `chatcmpl-${number}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    system_fingerprint: 'simulated',
  }
}

function whole(answer: Answer): object {
  const { request, reply, usage } = answer
  const toolCalls = toolCallsOf(request, reply)
  const message = {
    role: 'assistant',
    content: reply.content ?? null,
    ...(reply.refusal === undefined ? {} : { refusal: reply.refusal }),
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
  }
  return {
    ...envelope(answer, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: finishReasonOf(reply), logprobs: null }],
    ...(usage === null ? {} : { usage }),
  }
}

function events(answer: Answer): string[] {
  const { request, reply, usage } = answer
  const head = envelope(answer, 'chat.completion.chunk')
  const event = (delta: object, finishReason: string | null = null): string =>
    eventOf({ ...head, choices: [{ index: 0, delta, finish_reason: finishReason }] })
  const withUsage = usage !== null && request.stream_options?.include_usage === true
  return [
    event({ role: 'assistant', content: '' }),
    ...piecesOf(reply.content ?? '').map(content => event({ content })),
    ...piecesOf(reply.refusal ?? '').map(refusal => event({ refusal })),
    ...(toolCallsOf(request, reply) ?? []).map((call, index) => event({ tool_calls: [{ index, ...call }] })),
    event({}, finishReasonOf(reply)),
    ...(withUsage ? [eventOf({ ...head, choices: [], usage })] : []),
    'data: [DONE]\n\n',
  ]
}
