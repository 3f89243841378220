import type { ServerResponse } from 'node:http'
import type { ChatReply, ChatRequest, ChatToolCall, ChatUsage } from './chat.js'
import { systemRoles, textOf } from './chat.js'

/** Helpers that all protocols share. They count tokens, split a reply into pieces and send it. */

/** A simple deterministic count that tests can verify. It does not match any real tokenizer. */
export function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4)
}

export function promptTokensOf({ messages }: ChatRequest): number {
  return messages.reduce((sum, message) => sum + countTokens(textOf(message)), 0)
}

/** Creates a counter of usage. A system message counts as cached if an earlier request had the same one. */
export function createUsageCounter(): (request: ChatRequest, reply: ChatReply) => ChatUsage {
  const seenPrefixes = new Set<string>()
  return (request, reply) => {
    const prompt = promptTokensOf(request)
    const [first] = request.messages
    let cached = 0
    if (first !== undefined && systemRoles.includes(first.role)) {
      const prefix = textOf(first)
      if (seenPrefixes.has(prefix)) cached = countTokens(prefix)
      seenPrefixes.add(prefix)
    }
    const calls = reply.toolCalls?.map(call => call.name + argumentsOf(call)).join('') ?? ''
    const completion = countTokens((reply.content ?? '') + (reply.refusal ?? '') + calls)
    return {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { cached_tokens: cached },
    }
  }
}

export function argumentsOf(call: ChatToolCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
}

/**
 * Parses the arguments of a call, for protocols that do not send them as text. Arguments that do not parse
 * are sent as they are, because a test may want that.
 */
export function parsedArgumentsOf(call: ChatToolCall): unknown {
  if (typeof call.arguments !== 'string') return call.arguments
  try {
    return JSON.parse(call.arguments)
  } catch {
    return call.arguments
  }
}

/** The id of a call. The same request gets the same ids, so that runs can be repeated exactly. */
export function idOfCall(
  { messages }: ChatRequest,
  call: ChatToolCall,
  index: number,
  prefix = 'call',
): string {
  return call.id ?? `${prefix}_${messages.length}_${index}`
}

export function finishReasonOf(reply: ChatReply): NonNullable<ChatReply['finishReason']> {
  return reply.finishReason ?? (reply.toolCalls === undefined ? 'stop' : 'tool_calls')
}

const charactersPerPiece = 48

/** Splits a text into pieces for streaming. */
export function piecesOf(text: string): string[] {
  const pieces = []
  for (let start = 0; start < text.length; start += charactersPerPiece) {
    pieces.push(text.slice(start, start + charactersPerPiece))
  }
  return pieces
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
}

/** Formats a server-sent event for sending. */
export function eventOf(data: object, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(text)
}

export function sendError(
  response: ServerResponse,
  { status, body, headers }: { status: number; body: object; headers?: Readonly<Record<string, string>> },
): void {
  sendJson(response, status, body, headers)
}

/** A reply in the format of its protocol: an object, or the events of a stream. */
type Written = object | readonly string[]

export function sendReply(response: ServerResponse, reply: Written): void {
  if (!Array.isArray(reply)) {
    sendJson(response, 200, reply)
    return
  }
  response.writeHead(200, streamHeaders)
  for (const event of reply) response.write(event)
  response.end()
}

/** Sends about half of the reply, then drops the connection. */
export function sendHalf(response: ServerResponse, reply: Written): void {
  const drop = (): void => {
    response.destroy()
  }
  if (Array.isArray(reply)) {
    response.writeHead(200, streamHeaders)
    response.write(reply.slice(0, Math.ceil(reply.length / 2)).join(''), drop)
    return
  }
  const body = Buffer.from(JSON.stringify(reply))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.write(body.subarray(0, body.length >> 1), drop)
}
