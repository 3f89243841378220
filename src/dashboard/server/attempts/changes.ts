import type { TaskChange } from '../../contract/attempts.js'
import type { AttemptTable } from '../runs/types.js'

interface Tried {
  hard: number
  soft: number
  attempts: number
}

/**
 * Compares each task scored with both skills by its mean hard score, then, on a tie, by its mean soft score.
 */
export function changesBetween(
  table: AttemptTable,
  until: number,
  before: string,
  after: string,
): ReadonlyMap<string, TaskChange> {
  const tried = { before: new Map<string, Tried>(), after: new Map<string, Tried>() }
  for (let index = 0; index < until; index += 1) {
    const { skill, status, task, hard, soft } = table.row(index)
    if (status === 'failed') continue
    if (skill === before) add(tried.before, task, hard, soft)
    if (skill === after) add(tried.after, task, hard, soft)
  }
  const changes = new Map<string, TaskChange>()
  for (const [task, one] of tried.before) {
    const other = tried.after.get(task)
    if (other !== undefined) changes.set(task, changeFrom(one, other))
  }
  return changes
}

function add(tried: Map<string, Tried>, task: string, hard: number, soft: number): void {
  const known = tried.get(task)
  if (known === undefined) {
    tried.set(task, { hard, soft, attempts: 1 })
    return
  }
  known.hard += hard
  known.soft += soft
  known.attempts += 1
}

/** Smaller differences are rounding errors from summing the same scores in another order. */
const noise = 1e-9

function changeFrom(before: Tried, after: Tried): TaskChange {
  const hard = after.hard / after.attempts - before.hard / before.attempts
  const difference =
    Math.abs(hard) > noise ? hard : after.soft / after.attempts - before.soft / before.attempts
  if (Math.abs(difference) <= noise) return 'same'
  return difference > 0 ? 'better' : 'worse'
}
