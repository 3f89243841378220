/**
 * The subset of OpenAI's Chat Completions that the loopback server reads and writes. Requests in its other
 * protocols are converted to this form, so that responders need to handle only one.
 */

export interface ChatContentPart {
  readonly type: string
  readonly text?: string
  readonly image_url?: { readonly url: string }
  readonly file?: { readonly filename?: string; readonly file_data?: string }
}

export interface ChatToolCall {
  readonly id?: string
  readonly name: string
  /** Any JSON value. A string is sent as it is, so that a test can send malformed arguments. */
  readonly arguments: unknown
}

export interface ChatMessage {
  readonly role: string
  readonly content?: string | readonly ChatContentPart[] | null
  readonly tool_calls?: readonly unknown[]
  readonly tool_call_id?: string
}

export interface ChatRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly seed?: number
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean }
  readonly response_format?: { readonly type: string }
  readonly tools?: readonly unknown[]
  readonly [key: string]: unknown
}

export interface ChatUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly prompt_tokens_details: { readonly cached_tokens: number }
}

/** An error reply. It is written in the protocol of the request. */
export interface ChatError {
  readonly status: number
  readonly message: string
  readonly code?: string
  /** Error type, used instead of the one derived from the code or the status. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface ChatReply {
  readonly content?: string
  /** The model's refusal, sent instead of `content`. */
  readonly refusal?: string
  readonly toolCalls?: readonly ChatToolCall[]
  readonly finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter'
  /** Usage, sent instead of the counted one. With `null` the reply contains none, as with some servers. */
  readonly usage?: ChatUsage | null
  /** An error instead of a completion, such as a context overflow or an exhausted quota. */
  readonly error?: ChatError
}

export type Responder = (request: ChatRequest) => ChatReply | Promise<ChatReply>

export function textOf(message: ChatMessage): string {
  const content = message.content
  if (typeof content === 'string') return content
  if (content === null || content === undefined) return ''
  return content.map(part => part.text ?? '').join('\n')
}

/** The text of all messages with one of the given roles, in order. */
export function textOfRoles(request: ChatRequest, roles: readonly string[]): string {
  return request.messages
    .filter(message => roles.includes(message.role))
    .map(textOf)
    .join('\n\n')
}

export const systemRoles = ['system', 'developer']

/** The parts of a message that are not text, unchanged. */
export function filesOf(message: ChatMessage): readonly ChatContentPart[] {
  const { content } = message
  return Array.isArray(content) ? content.filter(part => part.type !== 'text') : []
}

/**
 * Identifies a request to a simulated model. The fingerprint covers the model, all messages with their files,
 * and the seed of the sample.
 */
export function fingerprintOf(request: ChatRequest): string {
  const messages = request.messages.map(message =>
    [message.role, textOf(message), ...filesOf(message).map(file => JSON.stringify(file))].join('\u0001'),
  )
  return [request.model, String(request.seed ?? 0), ...messages].join('\u0002')
}
