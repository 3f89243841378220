import type { Place } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import type { Attempt, Task } from '../../core/task/task.js'
import { isSuccess, repliesIn, section, transcript } from './render.js'
import { rollout } from './rollout.js'

export type PairOutcome = 'improved' | 'regressed' | 'persistent_failure' | 'stable_success'

export interface Comparison {
  readonly outcome: PairOutcome
  readonly before: Attempt
  readonly after: Attempt
}

interface CompareOptions {
  /** Texts of both skills. */
  readonly before: string
  readonly after: string
  readonly tasks: readonly Task[]
  readonly scope: string
  readonly place: Place
}

/**
 * Runs the same train tasks under the skill of an epoch ago and the current one. Pairs with an external
 * failure are left out.
 */
export async function rolloutPairs(
  run: Run,
  { before, after, ...options }: CompareOptions,
): Promise<readonly Comparison[]> {
  const [old, current] = await Promise.all([
    Promise.all(rollout(run, { skill: before, ...options })),
    Promise.all(rollout(run, { skill: after, ...options })),
  ])
  return old.flatMap((attempt, index) => {
    const other = current[index]
    if (other === undefined || attempt.outcome.status === 'failed' || other.outcome.status === 'failed')
      return []
    return [{ outcome: pairOutcome(isSuccess(attempt), isSuccess(other)), before: attempt, after: other }]
  })
}

function pairOutcome(before: boolean, after: boolean): PairOutcome {
  if (before) return after ? 'stable_success' : 'regressed'
  return after ? 'improved' : 'persistent_failure'
}

export type PairPolicy = 'mixed' | 'changed' | 'unchanged'

export function choosePairs(comparisons: readonly Comparison[], policy: PairPolicy): readonly Comparison[] {
  const changed = ({ outcome }: Comparison) => outcome === 'improved' || outcome === 'regressed'
  if (policy === 'mixed') return comparisons
  return comparisons.filter(comparison => changed(comparison) === (policy === 'changed'))
}

export async function comparisonSection(run: Run, comparisons: readonly Comparison[]): Promise<string> {
  const blocks = await Promise.all(
    comparisons.map(async ({ outcome, before, after }, index) => {
      const [old, current] = await Promise.all([transcript(run, before), transcript(run, after)])
      const question = old.slice(0, Math.max(0, old.indexOf('[assistant]'))).trim()
      const feedback = after.outcome.status === 'scored' ? after.outcome.score.feedback : ''
      return [
        `<pair number="${index + 1}" type="${after.type}" outcome="${outcome}">`,
        question,
        `[before]\n${repliesIn(old)}`,
        `[after]\n${repliesIn(current)}`,
        `[feedback]\n${feedback}`,
        '</pair>',
      ].join('\n')
    }),
  )
  return section('comparisons', blocks.join('\n\n'))
}

export function countPairs(
  comparisons: readonly Comparison[],
): Record<'improved' | 'regressed' | 'persistent' | 'stable', number> {
  const count = (outcome: PairOutcome) =>
    comparisons.filter(comparison => comparison.outcome === outcome).length
  return {
    improved: count('improved'),
    regressed: count('regressed'),
    persistent: count('persistent_failure'),
    stable: count('stable_success'),
  }
}
