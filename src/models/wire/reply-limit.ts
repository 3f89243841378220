import { WorldFailure } from '../../core/errors/errors.js'
import type { ModelReply } from '../../core/ports/model.js'

/** How many bytes a reply may take. More is a fault of the provider, and is not read to its end. */
export interface ReplyLimit {
  readonly maxOutputTokens: number
  /** A reply in one piece. */
  readonly whole: number
  /** A streamed reply, whose text is a small part of its events. */
  readonly stream: number
  /** The text of a reply. */
  readonly text: number
}

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/** The longest tokens are runs of one character; escaped in JSON, an average of this is out of reach. */
const bytesPerToken = 256
/** One event per token, with its ids and the name of the model around it. */
const bytesPerEvent = kibibyte
/** Thoughts that a provider does not count, and settings of the request that some repeat in their reply. */
const bytesAround = 2 * mebibyte
const bytesAroundStream = 16 * mebibyte

export function replyLimit(maxOutputTokens: number): ReplyLimit {
  const text = maxOutputTokens * bytesPerToken + 64 * kibibyte
  return {
    maxOutputTokens,
    whole: text + bytesAround,
    stream: maxOutputTokens * bytesPerEvent + bytesAroundStream,
    text,
  }
}

/** Of the body of an error, the beginning says what is wrong. */
export const mostBytesOfError = mebibyte

export function tooLong(where: string, { maxOutputTokens }: ReplyLimit, bytes: number): WorldFailure {
  const size = `${Math.ceil(bytes / kibibyte).toLocaleString('en-US')} KiB`
  return new WorldFailure(
    'malformed',
    `${where} sent a reply of more than ${size}, far beyond the output limit of ${maxOutputTokens} tokens.`,
    {
      retryable: true,
      mayHaveCost: true,
      hint: 'Check the provider; if replies are meant to be this long, raise maxOutputTokens of the model.',
    },
  )
}

/** A stream within its limit, or a function of the user's, may still bring more text than any model was asked for. */
export function refuseLong(reply: ModelReply, where: string, limit: ReplyLimit): ModelReply {
  const { text, toolCalls = [] } = reply
  const characters = toolCalls.reduce((sum, call) => sum + call.arguments.length, text.length)
  if (characters > limit.text) throw tooLong(where, limit, limit.text)
  return reply
}

const lineEnd = 10

/**
 * Passes on what comes, and fails at the first byte too many. An event stands on one line, which is held in memory
 * until it ends, so that a line may be no longer than a reply in one piece.
 */
export function limitEvents(limit: ReplyLimit, where: string): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  let line = 0
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(lineEnd)
      bytes += chunk.byteLength
      line = end === -1 ? line + chunk.byteLength : chunk.byteLength - end
      if (bytes > limit.stream) controller.error(tooLong(where, limit, limit.stream))
      else if (line > limit.whole) controller.error(tooLong(where, limit, limit.whole))
      else controller.enqueue(chunk)
    },
  })
}
