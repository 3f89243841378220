import { comparePaired, meanRows, type PairedScores } from '../../core/comparison/skill-comparison.js'
import type { Interval } from '../../core/statistics/interval.js'
import { scoreInterval } from '../../core/statistics/intervals.js'
import { metricScore, scoreOfAttempt } from '../../core/task/metric.js'
import type { Row, Scores } from '../../core/task/task.js'
import { plural, points, signedPoints } from '../../core/text/format.js'
import { evaluationOf, learnedVersion, rowsKey, type TrainingLog } from './training-log.js'

/** The text of the night's beginning and what was learned, on the same tasks. */
export interface SplitMeasure extends PairedScores {
  readonly split: 'val' | 'test'
  /** As the run names them, those with a score of both texts. */
  readonly names: readonly string[]
  readonly before: Interval
  readonly after: Interval
}

/** Nothing where no task of the split was scored under both texts. */
export function measureOf(log: TrainingLog, split: 'val' | 'test'): SplitMeasure | undefined {
  const [seed] = log.versions
  const learned = learnedVersion(log)
  if (seed === undefined || learned === undefined) return undefined
  const { metric, mixedWeight } = evaluationOf(log.view)
  const score = (scores: Scores) => metricScore(scores, metric, mixedWeight)
  const rows = (skill: string) => log.rows.get(rowsKey(split, skill)) ?? []
  const paired = comparePaired(rows(learned.skill), rows(seed.skill), score)
  if (paired.tasks === 0) return undefined
  const before = scoresByTask(rows(seed.skill), score)
  const after = scoresByTask(rows(learned.skill), score)
  const names = [...before.keys()].filter(task => after.has(task))
  const interval = (scores: ReadonlyMap<string, number>) =>
    scoreInterval(names.flatMap(name => scores.get(name) ?? []))
  return { ...paired, split, names, before: interval(before), after: interval(after) }
}

function scoresByTask(rows: readonly Row[], score: (scores: Scores) => number): ReadonlyMap<string, number> {
  return new Map(
    meanRows(rows).flatMap(row => {
      const value = scoreOfAttempt(row, score)
      return value === undefined ? [] : [[row.task, value] as const]
    }),
  )
}

/** Whether what was learned is worse than what was there before, beyond what chance explains. */
export function speaksAgainst(measure: SplitMeasure | undefined): boolean {
  return measure !== undefined && measure.difference.high < 0
}

/** `33.3% → 83.3% (+50.0 points, +12.1 to +71.9)` */
export function measureText({ before, after, difference }: SplitMeasure): string {
  const { mean, low, high } = difference
  const range = `${signedPoints(low)} to ${signedPoints(high)}`
  return `${points(before.mean)} → ${points(after.mean)} (${signedPoints(mean)} points, ${range})`
}

/** What a difference says, for a person who does not read intervals. */
export function meaningOf({ difference, tasks }: SplitMeasure): string {
  const { low, high } = difference
  if (low > 0) return `Better, beyond what chance explains with ${plural(tasks, 'task')}.`
  if (high < 0) return `Worse, beyond what chance explains with ${plural(tasks, 'task')}.`
  return `${plural(tasks, 'task')} cannot tell this from chance: more of them would narrow it down.`
}
