import { answerOf, answerWords, pairedFigures, tellingSentence } from '../../core/comparison/paired-answer.js'
import { comparePaired, meanRows, type PairedScores } from '../../core/comparison/skill-comparison.js'
import { type Interval, scoreInterval } from '../../core/statistics/intervals.js'
import { metricScore, scoreOfAttempt } from '../../core/task/metric.js'
import type { Row, Scores } from '../../core/task/task.js'
import { plural, points, signedPoints } from '../../core/text/format.js'
import { evaluationOf, learnedVersion, rowsKey, type TrainingLog } from './training-log.js'

/** Scores of the initial and the learned text on the same tasks. */
export interface SplitMeasure extends PairedScores {
  readonly split: 'val' | 'test'
  /** Names of the tasks, as the run uses them, that have a score with both texts. */
  readonly names: readonly string[]
  readonly before: Interval
  readonly after: Interval
}

/** Compares the scores on a split; undefined if no task was scored with both texts. */
export function measureOf(log: TrainingLog, split: 'val' | 'test'): SplitMeasure | undefined {
  const [seed] = log.versions
  const learned = learnedVersion(log)
  if (seed === undefined || learned === undefined) return undefined
  const { metric, mixedWeight } = evaluationOf(log.view)
  const score = (scores: Scores) => metricScore(scores, metric, mixedWeight)
  const rows = (skill: string) => log.rows.get(rowsKey(split, skill)) ?? []
  const paired = comparePaired(rows(learned.skill), rows(seed.skill), { score })
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

/** True if the learned text is worse than the initial one, beyond chance. */
export function speaksAgainst(measure: SplitMeasure | undefined): boolean {
  return measure !== undefined && measure.difference.high < 0
}

/** Formats a measure as `33.3% → 83.3% (+50.0 points, +12.1 to +71.9)`. */
export function measureText({ before, after, difference }: SplitMeasure): string {
  const { mean, low, high } = difference
  const range = `${signedPoints(low)} to ${signedPoints(high)}`
  return `${points(before.mean)} → ${points(after.mean)} (${signedPoints(mean)} points, ${range})`
}

/** The verdict on a difference, in the same words as in every run. */
export function meaningOf(measure: SplitMeasure): string {
  const answer = answerOf(measure)
  const sentence = `${answerWords[answer]}: ${pairedFigures(measure, plural(measure.tasks, 'task'))}.`
  return answer === 'cannot-tell' ? `${sentence} ${tellingSentence(measure)}` : sentence
}
