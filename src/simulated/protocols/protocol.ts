import type { IncomingHttpHeaders } from 'node:http'
import type { ChatError, ChatReply, ChatRequest, ChatUsage } from '../chat.js'

export type ProtocolName = 'chat' | 'responses' | 'messages' | 'gemini'

export type JsonObject = Readonly<Record<string, unknown>>

/** The input from which a reply is written. */
export interface Answer {
  readonly request: ChatRequest
  /** The request body as received. */
  readonly received: JsonObject
  readonly reply: ChatReply
  readonly usage: ChatUsage | null
  /** The request's number. */
  readonly number: number
}

export interface ErrorReply {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

/** An HTTP API for models, converted to and from the internal Chat Completions form. */
export interface Protocol {
  /** The API key of a request, from the place where this protocol puts it. */
  keyOf(headers: IncomingHttpHeaders, url: URL): string | undefined
  /** The request, or an error message. */
  read(received: JsonObject, url: URL): ChatRequest | string
  /** The body of a non-streamed reply. */
  whole(answer: Answer): object
  /** The events of a streamed reply, each ready to write. */
  events(answer: Answer): readonly string[]
  refuse(error: ChatError, number: number): ErrorReply
  /** The reply to a token-count request, if the protocol has one. */
  counted?(tokens: number): object
}

/** The bearer token of an Authorization header. */
export function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return authorization?.startsWith('Bearer ') === true ? authorization.slice('Bearer '.length) : undefined
}

/** OpenAI's key; Azure sends it in the `api-key` header. */
export function openaiKeyOf(headers: IncomingHttpHeaders): string | undefined {
  return bearerOf(headers) ?? headerOf(headers, 'api-key')
}

/** The value of a header that is sent once; Node returns repeated headers as a list. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}
