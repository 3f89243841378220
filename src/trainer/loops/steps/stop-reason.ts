import type { Config } from '../../../core/config/config.js'
import { plural } from '../../../core/text/format.js'
import { allEpochs } from '../../../core/view/stop-reason.js'
import type { StepRecord } from '../../stages/memory.js'
import { type StepTaken, solvedBy } from './step-taken.js'

/** Steps with an optimizer failure or an external failure are not evidence that nothing is left to learn. */
const fruitless: readonly StepRecord['outcome'][] = ['rejected', 'no-edits', 'nothing-applied']

/**
 * Returns why training ends after these steps, if it does. Only steps that started with the current skill
 * count: any other text, from an edit or a slow update, resets the count.
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
