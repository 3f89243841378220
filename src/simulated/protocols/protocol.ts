import type { IncomingHttpHeaders } from 'node:http'
import type { ChatError, ChatReply, ChatRequest, ChatUsage } from '../chat.js'

export type ProtocolName = 'chat' | 'responses' | 'messages' | 'gemini'

export type JsonObject = Readonly<Record<string, unknown>>

/** All that is needed to write a reply. */
export interface Answer {
  readonly request: ChatRequest
  /** The request body as received. */
  readonly received: JsonObject
  readonly reply: ChatReply
  readonly usage: ChatUsage | null
  /** Number of the request since the server's start. */
  readonly number: number
}

export interface ErrorReply {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The requests and replies of an HTTP API for models. Converts them from and to the internal Chat Completions
 * form.
 */
export interface Protocol {
  /** The API key of a request. Each protocol sends it in a different place. */
  keyOf(headers: IncomingHttpHeaders, url: URL): string | undefined
  /** Converts a request's body. Returns an error message if it is invalid. */
  read(received: JsonObject, url: URL): ChatRequest | string
  /** The body of a non-streamed reply. */
  whole(answer: Answer): object
  /** The events of a streamed reply, formatted for sending. */
  events(answer: Answer): readonly string[]
  refuse(error: ChatError, number: number): ErrorReply
  /** The reply to a request that counts tokens, if the protocol has such requests. */
  counted?(tokens: number): object
}

/** The bearer token of an Authorization header. */
export function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return authorization?.startsWith('Bearer ') === true ? authorization.slice('Bearer '.length) : undefined
}

/** OpenAI's API key, which Azure sends in the `api-key` header. */
export function openaiKeyOf(headers: IncomingHttpHeaders): string | undefined {
  return bearerOf(headers) ?? headerOf(headers, 'api-key')
}

/** The value of a header that was sent once. Node returns repeated headers as a list. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}
