import { WorldFailure } from '../../core/errors/errors.js'
import type { ModelReply } from '../../core/ports/model.js'

/** Maximum size of a reply in bytes. A longer reply is the provider's fault and is not read to its end. */
export interface ReplyLimit {
  readonly maxOutputTokens: number
  /** Limit of a reply that is not streamed. */
  readonly whole: number
  /** Limit of a streamed reply, most of which is not text but data about events. */
  readonly stream: number
  /** Limit of the reply's text. */
  readonly text: number
}

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/**
 * Upper bound for the average, even of text that is escaped in JSON. The longest tokens are runs of one
 * character.
 */
const bytesPerToken = 256
/** Size of an event, which contains one token, ids and the model's name. */
const bytesPerEvent = kibibyte
/** Space for reasoning that a provider does not count, and for settings that it repeats in its reply. */
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

/** Only the beginning of an error body is read, which is enough to identify the error. */
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
 * Rejects a reply whose text is too long. A stream within its limit or a user's function can still return
 * one.
 */
export function rejectLongReply(reply: ModelReply, host: string, limit: ReplyLimit): ModelReply {
  const { text, toolCalls = [] } = reply
  const characters = toolCalls.reduce((sum, call) => sum + call.arguments.length, text.length)
  if (characters > limit.text) throw replyTooLong(host, limit, limit.text)
  return reply
}

const lineEnd = 10

/**
 * Passes chunks through and fails at the first byte over the limit. An event is one line that is held in
 * memory until it ends, so a line may be no longer than a reply that is not streamed.
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
