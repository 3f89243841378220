import type { EventOf } from './event.js'
import { count, plural } from './figures.js'
import type { Draft, RunView } from './run-view.js'

/** A rollout that begins before its step has begun is a guess that the step will begin with the skill of this one. */
export function countAhead(view: Draft, { body }: EventOf<'call.started'>): void {
  const now = view.steps.at(-1)
  if (body.stage !== 'rollout' || now === undefined || body.step <= now.step || body.try > 1) return
  const { calls, open, wasted } = view.speculation
  view.speculation = { calls: calls + 1, open: open + 1, wasted }
}

/** The step begins: with the skill of the one before it, or with another, and then what was tried ahead was for nothing. */
export function settleAhead(
  { speculation, steps }: RunView,
  { body }: EventOf<'step.started'>,
): RunView['speculation'] {
  const { calls, open, wasted } = speculation
  return { calls, open: 0, wasted: body.skill === steps.at(-1)?.skill ? wasted : wasted + open }
}

export function speculationText({ speculation }: RunView): string {
  const { calls, wasted } = speculation
  return `${plural(calls, 'call')} ahead of the verdict, ${wasted === 0 ? 'none' : count(wasted)} of them for nothing`
}
