import { InputError } from '../../core/errors/errors.js'
import type { CallTuning, Effort } from './definition.js'

const thinkingShare: Record<Exclude<Effort, 'none'>, number> = {
  minimal: 0,
  low: 0.25,
  medium: 0.5,
  high: 0.75,
  xhigh: 0.85,
}
const minBudget = 1024

type ClaudeThinking =
  | { readonly type: 'disabled' }
  | { readonly type: 'adaptive'; readonly effort: 'low' | 'medium' | 'high' | 'xhigh' }
  | { readonly type: 'enabled'; readonly budgetTokens: number; readonly maxOutputTokens: number }

/**
 * Sets thinking for an effort. Models from 4.6 on take the effort itself. Older ones take a budget, which the
 * client library adds to the output limit; it is subtracted first, so that the total stays within the amount
 * reserved against the caps.
 */
export function claudeThinking(call: CallTuning, effort: Effort): ClaudeThinking {
  if (effort === 'none') return { type: 'disabled' }
  if (!takesBudget(call.model)) return { type: 'adaptive', effort: effort === 'minimal' ? 'low' : effort }
  const budgetTokens = Math.max(minBudget, Math.floor(call.maxOutputTokens * thinkingShare[effort]))
  if (budgetTokens >= call.maxOutputTokens) {
    throw new InputError(
      `${call.model} needs at least ${minBudget} tokens for thinking, but maxOutputTokens is ${call.maxOutputTokens}.`,
      { hint: `Raise maxOutputTokens above ${minBudget}, or set effort to \`none\`.` },
    )
  }
  return { type: 'enabled', budgetTokens, maxOutputTokens: call.maxOutputTokens - budgetTokens }
}

function takesBudget(model: string): boolean {
  return /claude-(3|opus-4-[015]|sonnet-4-[05]|haiku-4-5|(opus|sonnet)-4-\d{8})/.test(model)
}
