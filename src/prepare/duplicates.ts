import { findSimilar, sameQuestions } from './similar.js'
import { canonical, type PreparedTask } from './task.js'

export interface Duplicate {
  readonly task: PreparedTask
  /** The earlier task that this one duplicates. */
  readonly of: PreparedTask
}

export interface Duplicates {
  /** Tasks with the same question and answer as an earlier one, ignoring white space and case. */
  readonly exact: readonly Duplicate[]
  /** Tasks with nearly the same question as an earlier one, the same numbers and the same short answer. */
  readonly near: readonly Duplicate[]
  /** Tasks with the same question but different answers. A person has to decide which answer is right. */
  readonly conflicts: readonly (readonly PreparedTask[])[]
}

export function findDuplicates(tasks: readonly PreparedTask[]): Duplicates {
  const exact = sameQuestions(tasks).flatMap(group => repeatsIn(pick(tasks, group), sameAnswer))
  const repeated = new Set(exact.map(({ task }) => task))
  const distinct = tasks.filter(task => !repeated.has(task))
  return {
    exact,
    near: nearRepeats(distinct),
    conflicts: sameQuestions(distinct).map(group => pick(distinct, group)),
  }
}

function nearRepeats(tasks: readonly PreparedTask[]): Duplicate[] {
  const { groups, isNear } = findSimilar(tasks)
  const placeOf = new Map(tasks.map((task, index) => [task, index]))
  const near = (left: PreparedTask, right: PreparedTask) =>
    isNear(placeOf.get(left) ?? 0, placeOf.get(right) ?? 0) &&
    canonical(left.question) !== canonical(right.question)
  return groups.flatMap(group => repeatsIn(pick(tasks, group), near))
}

/**
 * Finds tasks that repeat an earlier one. Each task is compared only with tasks that are kept; otherwise a
 * chain of small differences could remove a very different task.
 */
function repeatsIn(
  group: readonly PreparedTask[],
  isSame: (left: PreparedTask, right: PreparedTask) => boolean,
): Duplicate[] {
  const kept: PreparedTask[] = []
  const repeats: Duplicate[] = []
  for (const task of group) {
    const of = kept.find(earlier => isSame(earlier, task))
    if (of === undefined) kept.push(task)
    else repeats.push({ task, of })
  }
  return repeats
}

function sameAnswer(left: PreparedTask, right: PreparedTask): boolean {
  return canonical(left.answer ?? '') === canonical(right.answer ?? '')
}

function pick(tasks: readonly PreparedTask[], places: readonly number[]): PreparedTask[] {
  return places.flatMap(place => tasks[place] ?? [])
}
