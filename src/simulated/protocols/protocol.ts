import type { IncomingHttpHeaders } from 'node:http'
import type { ChatError, ChatReply, ChatRequest, ChatUsage } from '../chat.js'

export type ProtocolName = 'chat' | 'responses' | 'messages' | 'gemini'

export type JsonObject = Readonly<Record<string, unknown>>

/** All that a reply is written from. */
export interface Answer {
  readonly request: ChatRequest
  /** The request as it came. */
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

/** One way in which models are asked over HTTP: to and from the one form that they are answered in here. */
export interface Protocol {
  /** The key that came with a request, wherever this protocol has it. */
  keyOf(headers: IncomingHttpHeaders, url: URL): string | undefined
  /** The request, or a sentence that says what is wrong with it. */
  read(received: JsonObject, url: URL): ChatRequest | string
  /** The body of a reply that is not streamed. */
  whole(answer: Answer): object
  /** The events of a streamed reply, each ready to be written. */
  events(answer: Answer): readonly string[]
  refuse(error: ChatError, number: number): ErrorReply
  /** The reply to a request that only asks how long a prompt is, where there is such a request. */
  counted?(tokens: number): object
}

/** The key of an Authorization header. */
export function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return authorization?.startsWith('Bearer ') === true ? authorization.slice('Bearer '.length) : undefined
}

/** OpenAI's key; Azure has it in a header of its own. */
export function openaiKeyOf(headers: IncomingHttpHeaders): string | undefined {
  return bearerOf(headers) ?? headerOf(headers, 'api-key')
}

/** A header that is sent once; of several, Node makes a list. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}
