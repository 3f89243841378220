import type { Attempt, Message } from '../../core/task/task.js'
import { countedText } from '../../core/view/summary-columns.js'
import { type Colors, clean, points } from './text.js'

/** Formats a message for people: role, text and tool calls. */
export function messageBlock({ role, text, toolCalls }: Message, colors: Colors): string {
  const calls = (toolCalls ?? []).map(call => colors.dim(`→ ${clean(call.name)}(${clean(call.arguments)})`))
  return [colors.cyan(`── ${role}`), clean(text).trim(), ...calls].filter(part => part !== '').join('\n')
}

type Judged = Pick<Attempt, 'outcome' | 'reward' | 'tokens' | 'ms'>

export function outcomeText({ outcome, ...counted }: Judged, colors: Colors): string {
  if (outcome.status === 'failed') {
    const { kind, message } = outcome.failure
    return `${colors.red('not scored')}: ${kind}: ${clean(message)}`
  }
  const { score, stop } = outcome
  return `${colors.bold('score')} hard ${points(score.hard)}, soft ${points(score.soft)}${countedText(counted)} (${stop})\n${clean(score.feedback)}`.trimEnd()
}
