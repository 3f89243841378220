import type { ServerResponse } from 'node:http'
import type { ChatReply, ChatRequest, ChatToolCall, ChatUsage } from './chat.js'
import { systemRoles, textOf } from './chat.js'

/** How completions look on the wire, whole and streamed, and how their tokens are counted. */

/** Deterministic and provider-free; the point is that sums can be checked, not that they match a tokenizer. */
export function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4)
}

/** Counts as cached the system message of a request whose system message was seen before. */
export function createUsageCounter(): (request: ChatRequest, reply: ChatReply) => ChatUsage {
  const tokensOfSeenPrefix = new Map<string, number>()
  return (request, reply) => {
    let prompt = 0
    let cached = 0
    for (const [index, message] of request.messages.entries()) {
      const text = textOf(message)
      const tokens = countTokens(text)
      prompt += tokens
      if (index > 0 || !systemRoles.includes(message.role)) continue
      cached = tokensOfSeenPrefix.get(text) ?? 0
      tokensOfSeenPrefix.set(text, tokens)
    }
    const calls = reply.toolCalls?.map(call => call.name + argumentsOf(call)).join('') ?? ''
    const completion = countTokens((reply.content ?? '') + calls)
    return {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { cached_tokens: cached },
    }
  }
}

function argumentsOf(call: ChatToolCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
}

/** The same request gets the same ids, or the requests after it would differ from one time to the next. */
function wireToolCalls({ messages }: ChatRequest, reply: ChatReply) {
  return reply.toolCalls?.map((call, index) => ({
    id: call.id ?? `call_${messages.length}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }))
}

function finishReasonOf(reply: ChatReply): string {
  return reply.finishReason ?? (reply.toolCalls === undefined ? 'stop' : 'tool_calls')
}

function envelope(request: ChatRequest, requestNumber: number, object: string) {
  return {
    id: `chatcmpl-${requestNumber}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    system_fingerprint: 'simulated',
  }
}

export function wholeBody(
  request: ChatRequest,
  reply: ChatReply,
  usage: ChatUsage | null,
  requestNumber: number,
): string {
  const toolCalls = wireToolCalls(request, reply)
  const message = {
    role: 'assistant',
    content: reply.content ?? null,
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
  }
  return JSON.stringify({
    ...envelope(request, requestNumber, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: finishReasonOf(reply), logprobs: null }],
    ...(usage === null ? {} : { usage }),
  })
}

const charactersPerChunk = 48

/** The events of a streamed completion, each ready to be written. */
export function streamEvents(
  request: ChatRequest,
  reply: ChatReply,
  usage: ChatUsage | null,
  requestNumber: number,
): string[] {
  const head = envelope(request, requestNumber, 'chat.completion.chunk')
  const event = (delta: object, finishReason: string | null = null): string =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`
  const events = [event({ role: 'assistant', content: '' })]
  const content = reply.content ?? ''
  for (let start = 0; start < content.length; start += charactersPerChunk) {
    events.push(event({ content: content.slice(start, start + charactersPerChunk) }))
  }
  for (const [index, call] of (wireToolCalls(request, reply) ?? []).entries()) {
    events.push(event({ tool_calls: [{ index, ...call }] }))
  }
  events.push(event({}, finishReasonOf(reply)))
  if (usage !== null && request.stream_options?.include_usage === true) {
    events.push(`data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`)
  }
  events.push('data: [DONE]\n\n')
  return events
}

export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
}
