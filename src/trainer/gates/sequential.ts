import type { Gate, GateFactory, Seen, Verdict } from '../../core/ports/gate.js'
import type { DiscordantPairs } from '../../core/statistics/discordant-pairs.js'
import type { Interval } from '../../core/statistics/intervals.js'
import { seededShuffle } from '../../core/statistics/random.js'
import { mean } from '../../core/statistics/repeats.js'
import type { TaskDifference } from '../../core/statistics/sign-flip-test.js'
import { missingAttempts, pairsIn, scoredPairs } from '../../core/task/metric.js'
import { plural } from '../../core/view/figures.js'

/** Pairs per request. Fixed, because a verdict must not depend on how many calls run at once. */
const chunk = 5
/** Pairs needed before the sides can be compared for an imbalance of external failures. */
const minPairs = 10
const roundingNoise = 1e-9

/** Results of the tasks that ran under both skills. A higher mean score wins a task. */
export interface PairedResults extends DiscordantPairs {
  readonly tasks: number
  /** Whether every task has been run the maximum number of times. */
  readonly isLast: boolean
  /** Every pair of attempts, in the order asked for. */
  readonly differences: readonly TaskDifference[]
  /** Mean difference over tasks. A task that was run several times is one observation. */
  readonly effect: Interval
  /** Summary such as "12 better and 3 worse of 40 tasks". */
  readonly figures: string
}

interface PartialVerdict extends Pick<Verdict, 'decision' | 'reason'> {
  /** Whether an interval above zero can be trusted, although the rule may have stopped early. */
  readonly isCertain?: boolean
}

interface SequentialRule {
  readonly id: string
  /** Maximum number of runs of each task under both skills. */
  passes(tasks: number): number
  /** Returns the verdict, or undefined if more pairs are needed. */
  decide(seen: PairedResults): PartialVerdict | undefined
}

/** A gate that runs tasks under both skills, a few pairs at a time and in random order, until its rule can decide. */
export function sequentialGate(
  rule: SequentialRule,
  { tasks, score }: Pick<Parameters<GateFactory>[0], 'tasks' | 'score'>,
): Gate {
  const shuffled = seededShuffle(tasks, 1)
  const wanted = Array.from({ length: rule.passes(tasks.length) }, (_, sample) =>
    shuffled.map(task => ({ task, sample })),
  ).flat()
  return {
    id: rule.id,
    score,
    next(seen) {
      const done = Math.ceil(seen.length / 2)
      const complete = done >= tasks.length
      const all = pairsIn(seen)
      const { pairs, abstain } = scoredPairs(all)
      const isLast = done >= wanted.length
      if (abstain !== undefined && isLast) return { decision: 'abstain', complete, reason: abstain }
      const isEnough = isLast ? done > 0 : done >= minPairs
      const found = isEnough ? rule.decide(summary(pairs, { score, isLast })) : undefined
      // If too many pairs failed for external reasons, the verdict waits for the remaining pairs.
      if (found !== undefined && (abstain === undefined || isLast)) {
        const { effect, won, lost, tasks: total } = summary(pairs, { score, isLast })
        const { isCertain = true, ...verdict } = found
        const shown = isCertain ? effect : { ...effect, low: Math.min(0, effect.low) }
        return { ...verdict, complete, effect: shown, tasks: { better: won, worse: lost, total } }
      }
      if (isLast) return { decision: 'abstain', complete, reason: 'There are no tasks to compare on.' }
      return { run: nextPairs(seen, wanted.slice(done, done + chunk)) }
    },
  }
}

function nextPairs(seen: readonly Seen[], wanted: readonly { task: string; sample: number }[]) {
  const both = wanted.flatMap(one => [
    { side: 'current' as const, ...one },
    { side: 'candidate' as const, ...one },
  ])
  return missingAttempts(seen, both)
}

function summary(
  pairs: ReturnType<typeof scoredPairs>['pairs'],
  { score, isLast }: { readonly score: Gate['score']; readonly isLast: boolean },
): PairedResults {
  const differences = pairs.map(({ task, candidate, current }) => ({
    task,
    difference: score(candidate) - score(current),
  }))
  const byTask = new Map<string, number[]>()
  for (const { task, difference } of differences) byTask.set(task, [...(byTask.get(task) ?? []), difference])
  const means = [...byTask.values()].map(mean)
  const won = means.filter(difference => difference > roundingNoise).length
  const lost = means.filter(difference => difference < -roundingNoise).length
  const count = Math.max(1, means.length)
  const centre = means.reduce((sum, difference) => sum + difference, 0) / count
  // The sum starts at 1, because equal results on few tasks do not prove that the variance is zero.
  const squares = means.reduce((sum, difference) => sum + (difference - centre) ** 2, 1)
  const margin = (1.96 * Math.sqrt(squares)) / count
  const repeats = differences.length > means.length ? `, in ${differences.length} pairs of attempts` : ''
  return {
    won,
    lost,
    tasks: means.length,
    isLast,
    differences,
    effect: { mean: centre, low: Math.max(-1, centre - margin), high: Math.min(1, centre + margin) },
    figures: `${won} better and ${lost} worse of ${plural(means.length, 'task')}${repeats}`,
  }
}
