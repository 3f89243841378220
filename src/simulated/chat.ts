/**
 * The subset of OpenAI's Chat Completions that the loopback server reads and writes. Requests in its other
 * protocols are converted to this form, so responders handle only one.
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
  /** Any JSON value; a string is sent verbatim, which lets a test send malformed arguments. */
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

/** An error reply, written in the protocol of the request. */
export interface ChatError {
  readonly status: number
  readonly message: string
  readonly code?: string
  /** Overrides the error type derived from the code or the status. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface ChatReply {
  readonly content?: string
  /** The model's refusal text, in place of `content`. */
  readonly refusal?: string
  readonly toolCalls?: readonly ChatToolCall[]
  readonly finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter'
  /** Overrides the counted usage; `null` omits usage from the reply, as some servers do. */
  readonly usage?: ChatUsage | null
  /** An error in place of a completion: a context overflow, a policy refusal, a quota. */
  readonly error?: ChatError
}

export type Responder = (request: ChatRequest) => ChatReply | Promise<ChatReply>

export function textOf(message: ChatMessage): string {
  const content = message.content
  if (typeof content === 'string') return content
  if (content === null || content === undefined) return ''
  return content.map(part => part.text ?? '').join('\n')
}

/** The text of all messages with one of these roles, in order. */
export function textOfRoles(request: ChatRequest, roles: readonly string[]): string {
  return request.messages
    .filter(message => roles.includes(message.role))
    .map(textOf)
    .join('\n\n')
}

export const systemRoles = ['system', 'developer']

/** The non-text parts of a message, unchanged. */
export function filesOf(message: ChatMessage): readonly ChatContentPart[] {
  const { content } = message
  return Array.isArray(content) ? content.filter(part => part.type !== 'text') : []
}

/**
 * Identifies a request to a simulated model by the model, every message with its files, and the sample's
 * seed.
 */
export function fingerprintOf(request: ChatRequest): string {
  const messages = request.messages.map(message =>
    [message.role, textOf(message), ...filesOf(message).map(file => JSON.stringify(file))].join('\u0001'),
  )
  return [request.model, String(request.seed ?? 0), ...messages].join('\u0002')
}
