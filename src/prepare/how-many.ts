import { acceptProbability, minimumDetectableGain } from '../core/statistics/power.js'
import type { SplitCounts } from '../core/statistics/random.js'
import { plural } from '../core/text/format.js'

/** Minimum number of tasks. With fewer, docs/how-many-tasks.md advises against trusting any result. */
export const fewestTasks = 30
/** Counts recommended in docs/how-many-tasks.md. Commands mention them if there are fewer tasks. */
export const advisedCounts: SplitCounts = { train: 40, val: 50, test: 100 }

/** Success rate of the current skill that the table in docs/how-many-tasks.md assumes. */
const solvedNow = 0.7

/** Suggests a split ratio for a number of tasks, from the last table of docs/how-many-tasks.md. */
export function suggestedRatio(total: number): string {
  if (total < 100) return '2:1:1'
  return total <= 500 ? '4:2:4' : '2:1:7'
}

export interface Sight {
  /**
   * Probabilities that the gate accepts a candidate whose true effect is 5 points worse, 5 points better or
   * 10 points better.
   */
  readonly accepts: { readonly fiveWorse: number; readonly fiveBetter: number; readonly tenBetter: number }
  /**
   * Minimum detectable effect: the smallest true gain that the test split detects with 95% confidence and 80%
   * power.
   */
  readonly visibleGain: number
}

/** Computes the statistical power of splits of these sizes. */
export function sightOf({ val, test }: Pick<SplitCounts, 'val' | 'test'>): Sight {
  const chance = (difference: number) => acceptProbability(val, solvedNow, solvedNow + difference)
  return {
    accepts: { fiveWorse: chance(-0.05), fiveBetter: chance(0.05), tenBetter: chance(0.1) },
    visibleGain: minimumDetectableGain(test),
  }
}

/** States the statistical power of the splits as sentences, one per line. */
export function sightSentences(counts: Pick<SplitCounts, 'val' | 'test'>): string[] {
  const { accepts, visibleGain } = sightOf(counts)
  return [
    `with ${plural(counts.val, 'validation task')} the gate accepts a +10-point edit ${percent(accepts.tenBetter)} of the time, a +5-point edit ${percent(accepts.fiveBetter)}, and a −5-point edit ${percent(accepts.fiveWorse)}`,
    `${plural(counts.test, 'test task')} can only confirm gains of ${Math.ceil(100 * visibleGain)} points or more`,
  ]
}

/** States how many tasks are missing from the recommended counts; undefined if there are enough. */
export function missingTasks(counts: SplitCounts): string | undefined {
  const named = { train: 'training', val: 'validation', test: 'test' }
  const short = (['train', 'val', 'test'] as const).filter(split => counts[split] < advisedCounts[split])
  if (short.length === 0) return undefined
  return short.map(split => `${advisedCounts[split]} ${named[split]} tasks (now ${counts[split]})`).join(', ')
}

const percent = (share: number) => `${Math.round(100 * share)}%`
