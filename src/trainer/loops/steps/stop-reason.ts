import type { Config } from '../../../core/config/config.js'
import { plural } from '../../../core/text/format.js'
import { allEpochs } from '../../../core/view/stop-reason.js'
import type { StepRecord } from '../../stages/memory.js'
import { type StepTaken, solvedBy } from './step-taken.js'

/** Steps in which the optimizer or the world failed say nothing about what there is left to learn. */
const fruitless: readonly StepRecord['outcome'][] = ['rejected', 'no-edits', 'nothing-applied']

/**
 * Why training ends after these steps, if it does. Only the steps that began with the current skill count: any other
 * text, be it from an edit or from a slow update, is a new beginning.
 */
export function endOf(
  steps: readonly StepTaken[],
  current: string,
  isLast: boolean,
  trainSize: number,
  { patience, stopWhenSolved }: Pick<Config['train'], 'patience' | 'stopWhenSolved'>,
): string | undefined {
  if (isLast) return allEpochs
  const since = steps.slice(steps.findLastIndex(({ skill }) => skill !== current) + 1)
  if (stopWhenSolved && solvedBy(since).size === trainSize) return 'no failures left'
  const idle = since.filter(({ outcome }) => fruitless.includes(outcome)).length
  return patience > 0 && idle >= patience ? `no accepted edit for ${plural(patience, 'step')}` : undefined
}
