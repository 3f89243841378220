import type { Attempt } from '../../core/task/task.js'
import { isSuccess, type Shown } from './render.js'

/** Attempts at one task that differ by so much of their score have gone differently, and not only come out so. */
const smallestSpread = 0.3

/**
 * What reflection looks at of several attempts at the same task: where they went differently, the worst one next to the
 * best one; otherwise the first, since the others would say the same. Nothing, if the world failed them all.
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

/** What was solved stands above what was not, whatever either took. */
const rankOf = (attempt: Attempt): number => (isSuccess(attempt) ? 2 : 0) + worthOf(attempt)

function worthOf({ outcome, reward }: Attempt): number {
  return reward ?? (outcome.status === 'scored' ? outcome.score.soft : 0)
}
