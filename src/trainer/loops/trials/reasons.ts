import type { Interval } from '../../../core/statistics/intervals.js'
import type { Measured } from './estimate.js'
import type { Pool } from './pool.js'
import type { TrialEdit } from './types.js'

/** Reasons for verdicts, worded to claim no more than the evidence shows. */

/** An effect with its 95% confidence interval. */
export function intervalOf({ mean, sd }: Measured): Interval {
  const clip = (value: number) => Math.min(1, Math.max(-1, value))
  return { mean: clip(mean), low: clip(mean - 1.96 * sd), high: clip(mean + 1.96 * sd) }
}

/** Reason for an edit that enters the skill or stays in it. */
export function reasonFor(pool: Pool, edit: TrialEdit): string {
  const effect = effectOf(pool, edit)
  return effect !== undefined && effect.low > 0 ? 'Helps.' : 'Probably helps.'
}

/** Reason for an edit that stays out of the skill or is removed from it. */
export function reasonAgainst(pool: Pool, edit: TrialEdit): string {
  const effect = effectOf(pool, edit)
  const belief = pool.beliefs.get(edit.edit.id)
  if (effect !== undefined && effect.high < 0) return 'Harmful.'
  if (belief !== undefined && belief.harms > 0.5) return 'Probably harmful.'
  const isOpen = belief !== undefined && belief.helps > 0.3
  return isOpen ? 'Cannot tell whether it helps.' : 'Probably does not help.'
}

function effectOf({ estimates }: Pool, { edit }: TrialEdit): Interval | undefined {
  const estimate = estimates.get(edit.id)
  return estimate === undefined || estimate.trials === 0 ? undefined : intervalOf(estimate.effect)
}
