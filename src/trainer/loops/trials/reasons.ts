import { directionOf, type Interval } from '../../../core/statistics/intervals.js'
import type { Measured } from './estimate.js'
import type { Pool } from './pool.js'
import type { TrialEdit } from './types.js'

/** Words the reasons for verdicts from the confidence interval that is shown beside them. */

/** An effect with its 95% confidence interval. */
export function intervalOf({ mean, sd }: Measured): Interval {
  const clip = (value: number) => Math.min(1, Math.max(-1, value))
  return { mean: clip(mean), low: clip(mean - 1.96 * sd), high: clip(mean + 1.96 * sd) }
}

/** Reason for an edit that enters the skill or stays in it. */
export function reasonFor(pool: Pool, edit: TrialEdit): string {
  const effect = effectOf(pool, edit)
  const direction = effect === undefined ? 'unclear' : directionOf(effect)
  if (direction === 'positive') return 'Helps.'
  return direction === 'probably-positive' ? 'Probably helps.' : 'May help.'
}

/** Reason for an edit that stays out of the skill. */
export function reasonAgainst(pool: Pool, edit: TrialEdit): string {
  const effect = effectOf(pool, edit)
  if (effect === undefined) return 'No evidence that it helps.'
  const direction = directionOf(effect)
  if (direction === 'negative') return 'Harmful.'
  if (direction === 'probably-negative') return 'Probably harmful.'
  return effect.mean > 0 ? 'Cannot tell whether it helps.' : 'Probably does not help.'
}

/** Reason for an edit that is removed from the skill. */
export function reasonToTakeBack(pool: Pool, edit: TrialEdit): string {
  const effect = effectOf(pool, edit)
  return effect !== undefined && effect.mean < 0
    ? 'Later trials speak against it.'
    : 'Later trials do not confirm it.'
}

function effectOf({ estimates }: Pool, { edit }: TrialEdit): Interval | undefined {
  const estimate = estimates.get(edit.id)
  return estimate === undefined || estimate.trials === 0 ? undefined : intervalOf(estimate.effect)
}
