import type { Message, Outcome } from '../core/task.js'
import { type Colors, clean, points } from './text.js'

/** A message as people read it: who said it, the words, and the tools that were called. */
export function messageBlock({ role, text, toolCalls }: Message, colors: Colors): string {
  const calls = (toolCalls ?? []).map(call => colors.dim(`→ ${clean(call.name)}(${clean(call.arguments)})`))
  return [colors.cyan(`── ${role}`), clean(text).trim(), ...calls].filter(part => part !== '').join('\n')
}

export function outcomeText(outcome: Outcome, colors: Colors): string {
  if (outcome.status === 'failed') {
    const { kind, message } = outcome.failure
    return `${colors.red('not scored')}: ${kind}: ${clean(message)}`
  }
  const { score, stop } = outcome
  return `${colors.bold('score')} hard ${points(score.hard)}, soft ${points(score.soft)} (${stop})\n${clean(score.feedback)}`.trimEnd()
}
