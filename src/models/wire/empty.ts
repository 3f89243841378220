import { WorldFailure } from '../../core/errors/errors.js'
import type { ModelReply, ModelRequest } from '../../core/ports/model.js'
import { mapUnseen } from '../../core/text/unseen-characters.js'

/** Decides whether a reply without content may be the model's answer. */
export interface EmptyRule {
  /** The config allows empty answers from this model. */
  readonly isAnswer: boolean
  /** The last message holds tool results. */
  readonly followsTools: boolean
}

/** The end of a turn and its markers are billed as a few tokens; anything beyond that was content. */
const mostTokensOfNothing = 4

export function emptyRule({ messages }: ModelRequest, emptyReplies: 'retry' | 'answer'): EmptyRule {
  return { isAnswer: emptyReplies === 'answer', followsTools: messages.at(-1)?.role === 'tool' }
}

/**
 * A reply that ended normally but holds neither text nor tool calls is a provider fault: the model's output
 * was lost on the way, and scoring it would score the fault. The exception is a reply after the last tool
 * result, where the model may have nothing to add; that is billed as almost nothing.
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

/** A reply of only zero-width characters counts as empty. */
function hasVisibleText(text: string): boolean {
  return mapUnseen(text, () => '').trim() !== ''
}
