import type { Attempt } from '../../core/task/task.js'
import { isSuccess, type Shown } from './render.js'

/**
 * Attempts at one task whose scores differ by at least this took a different course, beyond chance in the
 * result.
 */
const smallestSpread = 0.3

/**
 * Selects what reflection sees of several attempts at a task: if they differ, the worst next to the best;
 * otherwise the first, since the others would show the same. Undefined if all failed for external reasons.
 */
export function shownOf(attempts: readonly Attempt[]): Shown | undefined {
  const scored = attempts.filter(({ outcome }) => outcome.status === 'scored')
  const [first] = scored
  if (first === undefined) return undefined
  const order = scored.toSorted((one, other) => rankOf(one) - rankOf(other))
  const [worst = first, best = first] = [order[0], order.at(-1)]
  const isApart = isSuccess(worst) !== isSuccess(best) || worthOf(best) - worthOf(worst) >= smallestSpread
  return isApart ? { attempt: worst, better: best } : { attempt: first }
}

/** Solved attempts rank above unsolved ones, whatever their cost. */
const rankOf = (attempt: Attempt): number => (isSuccess(attempt) ? 2 : 0) + worthOf(attempt)

function worthOf({ outcome, reward }: Attempt): number {
  return reward ?? (outcome.status === 'scored' ? outcome.score.soft : 0)
}
