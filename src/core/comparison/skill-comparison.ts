import { type Interval, pairedDifference } from '../statistics/intervals.js'
import { mean } from '../statistics/repeats.js'
import { scoreOfAttempt } from '../task/metric.js'
import type { Row, Scores } from '../task/task.js'

/** Compares skills that were tried on the same tasks, task by task. */

type ScoreOf = (summary: Scores) => number

/** How much better the first of two skills did, over the tasks that have a score under both. */
export interface PairedScores {
  readonly tasks: number
  readonly better: number
  readonly worse: number
  readonly difference: Interval
}

export interface EvaluatedRows {
  readonly name: string
  readonly rows: readonly Row[]
}

export interface SkillPair extends PairedScores {
  readonly which: string
  readonly against: string
}

/** A task on which the skills scored differently. */
export interface ChangedTask {
  readonly task: string
  readonly type: string
  /** One score per skill, in comparison order; null where every attempt failed for external reasons. */
  readonly scores: readonly (number | null)[]
}

export interface SkillComparison {
  /** Each skill compared with every earlier one. The intervals hold simultaneously for all pairs. */
  readonly pairs: readonly SkillPair[]
  readonly changed: readonly ChangedTask[]
}

/** Smaller differences come from rounding, because the scores were summed in another order. */
const roundingNoise = 1e-9

export function compareSkills(skills: readonly EvaluatedRows[], score: ScoreOf): SkillComparison {
  const pairCount = (skills.length * (skills.length - 1)) / 2
  return {
    pairs: skills.flatMap((one, index) =>
      skills.slice(0, index).map(other => ({
        which: one.name,
        against: other.name,
        ...comparePaired(one.rows, other.rows, { score, pairCount }),
      })),
    ),
    changed: changedTasks(skills, score),
  }
}

interface PairedOptions {
  readonly score: ScoreOf
  /** Number of comparisons whose intervals hold simultaneously; defaults to one. */
  readonly pairCount?: number
}

/**
 * Compares two skills by pairs of attempts with the same task and sample. Only pairs with a score under both
 * skills count, so that an external failure on one side cannot shift the difference. Each task has the same
 * weight, however often it was tried.
 */
export function comparePaired(
  one: readonly Row[],
  other: readonly Row[],
  { score, pairCount = 1 }: PairedOptions,
): PairedScores {
  const against = new Map(other.map(row => [attemptOf(row), scoreOfAttempt(row, score)]))
  const byTask = new Map<string, { current: number[]; candidate: number[] }>()
  for (const row of one) {
    const candidate = scoreOfAttempt(row, score)
    const current = against.get(attemptOf(row))
    if (candidate === undefined || current === undefined) continue
    const scores = byTask.get(row.task) ?? { current: [], candidate: [] }
    scores.current.push(current)
    scores.candidate.push(candidate)
    byTask.set(row.task, scores)
  }
  const pairs = [...byTask.values()].map(({ current, candidate }) => ({
    current: mean(current),
    candidate: mean(candidate),
  }))
  return {
    tasks: pairs.length,
    better: pairs.filter(({ current, candidate }) => candidate - current > roundingNoise).length,
    worse: pairs.filter(({ current, candidate }) => current - candidate > roundingNoise).length,
    difference: pairedDifference(pairs, pairCount),
  }
}

const attemptOf = ({ task, sample }: Row) => `${sample} ${task}`

function changedTasks(skills: readonly EvaluatedRows[], score: ScoreOf): ChangedTask[] {
  const scores = skills.map(({ rows }) => meanRows(rows))
  const byTask = scores.map(rows => new Map(rows.map(row => [row.task, scoreOfAttempt(row, score)])))
  return (scores[0] ?? []).flatMap(({ task, type }) => {
    const own = byTask.map(known => known.get(task))
    const known = own.flatMap(value => value ?? [])
    if (known.length === 0 || Math.max(...known) - Math.min(...known) <= roundingNoise) return []
    return [{ task, type, scores: own.map(value => value ?? null) }]
  })
}

/** One row per task: the mean of its attempts, without external failures. */
export function meanRows(rows: readonly Row[]): readonly Row[] {
  const byTask = new Map<string, Row[]>()
  for (const row of rows) {
    const known = byTask.get(row.task)
    if (known === undefined) byTask.set(row.task, [row])
    else known.push(row)
  }
  if (byTask.size === rows.length) return rows
  return [...byTask.values()].map(own => {
    const [{ task, type }] = own as [Row, ...Row[]]
    const scored = own.filter(row => row.hard !== undefined)
    if (scored.length === 0) return { task, type, sample: 0 }
    return {
      task,
      type,
      sample: 0,
      hard: mean(scored.map(row => row.hard ?? 0)),
      soft: mean(scored.map(row => row.soft ?? row.hard ?? 0)),
      ...usageMeans(scored),
    }
  })
}

const usageFields = ['reward', 'tokens', 'ms'] as const

/** Means of those optional fields that all rows have. */
export function usageMeans(rows: readonly Row[]): Pick<Row, (typeof usageFields)[number]> {
  const means = usageFields.flatMap(name => {
    const values = rows.flatMap(row => row[name] ?? [])
    return values.length === 0 || values.length < rows.length ? [] : [[name, mean(values)] as const]
  })
  return Object.fromEntries(means)
}
