import { WorldFailure } from '../../core/errors/errors.js'
import type { ModelReply, ModelRequest } from '../../core/ports/model.js'
import { mapUnseen } from '../../core/text/unseen-characters.js'

/** Whether a reply without any content may be the model's answer. */
export interface EmptyRule {
  /** The config says that this model does answer with nothing. */
  readonly isAnswer: boolean
  /** The model has just been given what its tools returned. */
  readonly followsTools: boolean
}

/** An end of turn and the marks around it are billed as a few tokens; whatever more was billed was content. */
const mostTokensOfNothing = 4

export function emptyRule({ messages }: ModelRequest, emptyReplies: 'retry' | 'answer'): EmptyRule {
  return { isAnswer: emptyReplies === 'answer', followsTools: messages.at(-1)?.role === 'tool' }
}

/**
 * A reply that ended well and holds neither text nor tool calls is a fault of the provider: what the model wrote was
 * lost on the way, and scoring it would score the fault. One case is the model's own: after its last tool result it
 * may have nothing to add, which is billed as next to nothing.
 */
export function refuseEmpty(reply: ModelReply, { isAnswer, followsTools }: EmptyRule): ModelReply {
  const { text, toolCalls = [], stop, usage } = reply
  const hasEnded = stop === 'stop' || stop === 'tool-calls'
  if (!hasEnded || isAnswer || toolCalls.length > 0 || hasVisibleText(text)) return reply
  const visible = usage.output === undefined ? undefined : usage.output - (usage.reasoning ?? 0)
  if (followsTools && visible !== undefined && visible <= mostTokensOfNothing) return reply
  const billed =
    usage.output === undefined
      ? 'does not say how many tokens it took'
      : `bills ${usage.output} output tokens`
  throw new WorldFailure('malformed', `The reply has no content and ${billed}.`, {
    retryable: true,
    mayHaveCost: true,
    spent: { usage },
    hint: 'Check the provider; if this model does answer with nothing, set `emptyReplies: answer` for it.',
  })
}

/** A reply of zero-width characters alone is as empty as one without characters. */
function hasVisibleText(text: string): boolean {
  return mapUnseen(text, () => '').trim() !== ''
}
