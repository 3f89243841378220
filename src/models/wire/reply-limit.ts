import { WorldFailure } from '../../core/errors/errors.js'
import type { ModelReply } from '../../core/ports/model.js'

/** Maximum size of a reply in bytes. A longer reply is a provider fault and is not read to its end. */
export interface ReplyLimit {
  readonly maxOutputTokens: number
  /** For a reply that is not streamed. */
  readonly whole: number
  /** For a streamed reply, whose text is a small part of its events. */
  readonly stream: number
  /** For the text of a reply. */
  readonly text: number
}

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/**
 * Upper bound: the longest tokens are runs of one character, and even escaped in JSON the average stays
 * below this.
 */
const bytesPerToken = 256
/** One event per token, including ids and the model's name. */
const bytesPerEvent = kibibyte
/**
 * Room for reasoning that a provider does not count, and for request settings that some repeat in their
 * reply.
 */
const overheadBytes = 2 * mebibyte
const streamOverheadBytes = 16 * mebibyte

export function replyLimit(maxOutputTokens: number): ReplyLimit {
  const text = maxOutputTokens * bytesPerToken + 64 * kibibyte
  return {
    maxOutputTokens,
    whole: text + overheadBytes,
    stream: maxOutputTokens * bytesPerEvent + streamOverheadBytes,
    text,
  }
}

/** The beginning of an error body is enough to identify the error. */
export const maxErrorBytes = mebibyte

export function replyTooLong(host: string, { maxOutputTokens }: ReplyLimit, bytes: number): WorldFailure {
  const size = `${Math.ceil(bytes / kibibyte).toLocaleString('en-US')} KiB`
  return new WorldFailure(
    'malformed',
    `${host} sent a reply of more than ${size}, far beyond the output limit of ${maxOutputTokens} tokens.`,
    {
      retryable: true,
      mayHaveCost: true,
      hint: 'Check the provider; if replies are meant to be this long, raise maxOutputTokens of the model.',
    },
  )
}

/**
 * A stream within its limit, or a user's function, may still return more text than the model was asked for.
 */
export function rejectLongReply(reply: ModelReply, host: string, limit: ReplyLimit): ModelReply {
  const { text, toolCalls = [] } = reply
  const characters = toolCalls.reduce((sum, call) => sum + call.arguments.length, text.length)
  if (characters > limit.text) throw replyTooLong(host, limit, limit.text)
  return reply
}

const lineEnd = 10

/**
 * Passes chunks through and fails at the first byte over the limit. An event is one line, which stays in
 * memory until it ends, so a line may be no longer than an unstreamed reply.
 */
export function limitStream(limit: ReplyLimit, host: string): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  let line = 0
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(lineEnd)
      bytes += chunk.byteLength
      line = end === -1 ? line + chunk.byteLength : chunk.byteLength - end
      if (bytes > limit.stream) controller.error(replyTooLong(host, limit, limit.stream))
      else if (line > limit.whole) controller.error(replyTooLong(host, limit, limit.whole))
      else controller.enqueue(chunk)
    },
  })
}
