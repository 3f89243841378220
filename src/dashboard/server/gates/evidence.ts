import { pairedDifference } from '../../../core/statistics/intervals.js'
import { mean } from '../../../core/statistics/repeats.js'
import { scoreOfAttempt } from '../../../core/task/metric.js'
import type { Row, Scores } from '../../../core/task/task.js'
import {
  type EvidenceChange,
  type EvidenceTask,
  evidenceShown,
  type GateDetails,
  type Repeated,
} from '../../contract/details.js'

export interface Seen {
  /** Rows of the first attempt at each task. */
  readonly current: readonly Row[]
  readonly candidate: readonly Row[]
  /** Scores of the repeat attempts with each skill, by task. */
  readonly again: {
    readonly current: ReadonlyMap<string, readonly number[]>
    readonly candidate: ReadonlyMap<string, readonly number[]>
  }
  /** Tasks in the order of the candidate's attempts. Some may be missing. */
  readonly order: readonly string[]
}

type Evidence = Pick<GateDetails, 'counts' | 'seen' | 'tasks' | 'more' | 'course'>

/** Smaller differences are rounding errors from summing the same scores in another order. */
const roundingNoise = 1e-9

/** Compares the candidate with the current skill task by task. */
export function evidenceOf(
  { current, candidate, again, order }: Seen,
  score: (scores: Scores) => number,
): Evidence {
  const before = new Map(current.map(row => [row.task, row]))
  const after = new Map(candidate.map(row => [row.task, row]))
  const ids = [...new Set([...before.keys(), ...after.keys()])]
  const tasks = ids.map((task): EvidenceTask => {
    const rows = { current: before.get(task), candidate: after.get(task) }
    const scores = {
      current: scoreOfAttempt(rows.current, score),
      candidate: scoreOfAttempt(rows.candidate, score),
    }
    const repeated = {
      ...repeatedIn('current', again.current.get(task)),
      ...repeatedIn('candidate', again.candidate.get(task)),
    }
    return {
      task,
      type: rows.current?.type ?? rows.candidate?.type ?? '',
      change: rows.candidate === undefined ? 'untried' : changeOf(scores.current, scores.candidate),
      ...(scores.current === undefined ? {} : { current: scores.current }),
      ...(scores.candidate === undefined ? {} : { candidate: scores.candidate }),
      ...(Object.keys(repeated).length === 0 ? {} : { again: repeated }),
    }
  })
  const counts = { better: 0, worse: 0, same: 0, failed: 0, untried: 0 }
  for (const { change } of tasks) counts[change] += 1
  const pairs = tasks.flatMap(({ current, candidate }) =>
    current === undefined || candidate === undefined ? [] : [{ current, candidate }],
  )
  const shown = tasks.toSorted((one, other) => rank[one.change] - rank[other.change])
  return {
    counts,
    seen: pairs.length === 0 ? undefined : pairedDifference(pairs),
    tasks: shown.slice(0, evidenceShown),
    more: Math.max(0, shown.length - evidenceShown),
    course: courseOf(tasks, order),
  }
}

/** Changed tasks are listed first, because readers look for them. */
const rank: Readonly<Record<EvidenceChange, number>> = { worse: 0, better: 1, failed: 2, same: 3, untried: 4 }

function changeOf(current: number | undefined, candidate: number | undefined): EvidenceChange {
  if (current === undefined || candidate === undefined) return 'failed'
  if (Math.abs(candidate - current) <= roundingNoise) return 'same'
  return candidate > current ? 'better' : 'worse'
}

function repeatedIn<Side extends 'current' | 'candidate'>(
  side: Side,
  scores: readonly number[] | undefined,
): { [S in Side]?: Repeated } {
  if (scores === undefined || scores.length === 0) return {}
  const repeated: Repeated = { mean: mean(scores), attempts: scores.length }
  return { [side]: repeated } as { [S in Side]?: Repeated }
}

/**
 * Running sum of the changes, in the order of the attempts. Tasks attempted before the gate started come
 * first, because their order is unknown.
 */
function courseOf(tasks: readonly EvidenceTask[], order: readonly string[]): number[] {
  const places = new Map(order.map((task, index) => [task, index]))
  const tried = tasks
    .filter(({ current, candidate }) => current !== undefined && candidate !== undefined)
    .toSorted((one, other) => (places.get(one.task) ?? -1) - (places.get(other.task) ?? -1))
  let sum = 0
  return tried.map(({ current = 0, candidate = 0 }) => {
    sum += candidate - current
    return sum
  })
}
