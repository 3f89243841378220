import { acceptanceChance, visibleGain } from '../core/statistics/power.js'
import type { SplitCounts } from '../core/statistics/random.js'
import { plural } from '../core/text/format.js'

/** Below this number, docs/how-many-tasks.md advises against trusting any result. */
export const fewestTasks = 30
/** Recommended counts from docs/how-many-tasks.md; commands mention them when there are fewer. */
export const advisedCounts: SplitCounts = { train: 40, val: 50, test: 100 }

/** Success rate of the current skill assumed by the table in docs/how-many-tasks.md. */
const solvedNow = 0.7

/** Suggested split ratio by number of tasks: the last table of docs/how-many-tasks.md. */
export function suggestedRatio(total: number): string {
  if (total < 100) return '2:1:1'
  return total <= 500 ? '4:2:4' : '2:1:7'
}

export interface Sight {
  /** Probabilities that the gate accepts a candidate that is truly 5 points worse, 5 better, 10 better. */
  readonly accepts: { readonly fiveWorse: number; readonly fiveBetter: number; readonly tenBetter: number }
  /**
   * Minimum detectable effect: the smallest true gain that the test split shows with 95% confidence at 80%
   * power.
   */
  readonly visibleGain: number
}

/** Statistical power of splits of these sizes. */
export function sightOf({ val, test }: Pick<SplitCounts, 'val' | 'test'>): Sight {
  const chance = (difference: number) => acceptanceChance(val, solvedNow, solvedNow + difference)
  return {
    accepts: { fiveWorse: chance(-0.05), fiveBetter: chance(0.05), tenBetter: chance(0.1) },
    visibleGain: visibleGain(test),
  }
}

/** The same as sentences, one per line. */
export function sightSentences(counts: Pick<SplitCounts, 'val' | 'test'>): string[] {
  const { accepts, visibleGain } = sightOf(counts)
  return [
    `with ${plural(counts.val, 'validation task')} the gate accepts a +10-point edit ${percent(accepts.tenBetter)} of the time, a +5-point edit ${percent(accepts.fiveBetter)}, and a −5-point edit ${percent(accepts.fiveWorse)}`,
    `${plural(counts.test, 'test task')} can only confirm gains of ${Math.ceil(100 * visibleGain)} points or more`,
  ]
}

/** Describes the shortfall against the recommended counts; undefined if there are enough. */
export function missingTasks(counts: SplitCounts): string | undefined {
  const named = { train: 'training', val: 'validation', test: 'test' }
  const short = (['train', 'val', 'test'] as const).filter(split => counts[split] < advisedCounts[split])
  if (short.length === 0) return undefined
  return short.map(split => `${advisedCounts[split]} ${named[split]} tasks (now ${counts[split]})`).join(', ')
}

const percent = (share: number) => `${Math.round(100 * share)}%`
