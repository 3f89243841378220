import type { RecordedEdit } from '../core/event.js'
import { scoreOfAttempt } from '../core/metric.js'
import { meanRows } from '../core/skill-comparison.js'
import type { Attempt, Row, Scores } from '../core/task.js'
import { rowOf } from './rollout.js'

type Score = (summary: Scores) => number

/** A task that the candidate is run on, with what is known of it already. */
export interface ScreenTask {
  readonly split: 'train' | 'val'
  readonly task: string
  /** Its score under the current skill; on validation what the skills so far lead one to expect. */
  readonly before: number
  /** Whether an edit of the candidate was proposed for it. */
  readonly restsOn: boolean
}

/** From here on a task is solved, and a change by so much is one from failed to solved. */
export const half = 0.5

/** The least share of the train tasks that are to be such as the current skill fails, and such as it solves. */
const leastShare = 1 / 4
/** Validation tasks have the other places. They cost nothing if the candidate goes on to the gate, which needs them too. */
const trainShare = 1 / 2

/**
 * What to run, in order, at most `most` tasks. Train tasks failed and solved in the proportion of the batch; among the
 * failed, those that the edits rest on come first. Otherwise they keep the order of the batch, which was shuffled, so
 * that those that are run are a fair sample.
 */
export function screenPlan(
  parent: readonly Attempt[],
  edits: readonly Pick<RecordedEdit, 'tasks'>[],
  unsettled: readonly ScreenTask[],
  score: Score,
  most: number,
): readonly ScreenTask[] {
  const evidence = new Set(edits.flatMap(edit => edit.tasks))
  const known = [...scoresOfTasks(parent, score)].map(
    ([task, before]): ScreenTask => ({ split: 'train', task, before, restsOn: evidence.has(task) }),
  )
  const failed = known.filter(({ before }) => before < half)
  const ordered = [...failed.filter(task => task.restsOn), ...failed.filter(task => !task.restsOn)]
  const solved = known.filter(({ before }) => before >= half)
  const share = clamp(failed.length / Math.max(1, known.length), leastShare, 1 - leastShare)
  return interleaved(interleaved(ordered, solved, share), unsettled, trainShare).slice(0, most)
}

/** In the order of the batch, without tasks that the world failed; of several attempts at a task, the mean. */
export function scoresOfTasks(attempts: readonly Attempt[], score: Score): ReadonlyMap<string, number> {
  const rows = meanRows(attempts.map(rowOf))
  return new Map(
    rows.flatMap(row => {
      const value = scoreOfAttempt(row, score)
      return value === undefined ? [] : [[row.task, value] as const]
    }),
  )
}

/** Both lists in one, the first with this share of the places as long as it lasts. */
function interleaved<T>(first: readonly T[], second: readonly T[], share: number): T[] {
  const merged: T[] = []
  let [taken, others] = [0, 0]
  while (taken < first.length || others < second.length) {
    const due = share * (merged.length + 1) - taken
    const isFirst = others >= second.length || (taken < first.length && due >= half)
    merged.push((isFirst ? first[taken++] : second[others++]) as T)
  }
  return merged
}

/**
 * Validation tasks that some skills of this run solved and others did not, those on which most of them differ first.
 * Each list of rows is what one skill scored, on all of the tasks or on some. What to expect of the next skill lies half
 * way between the current one and the mean of all: part of what sets a skill apart on such tasks is luck.
 */
export function unsettledTasks(
  evaluations: readonly (readonly Row[])[],
  current: readonly Row[],
  score: Score,
): readonly ScreenTask[] {
  const scores = new Map<string, number[]>()
  for (const row of evaluations.flat()) {
    const value = scoreOfAttempt(row, score)
    if (value !== undefined) scores.set(row.task, [...(scores.get(row.task) ?? []), value])
  }
  const now = new Map(current.map(row => [row.task, scoreOfAttempt(row, score)]))
  return [...scores]
    .map(([task, values]) => ({ task, mean: meanOf(values), differing: differingPairs(values) }))
    .filter(({ differing }) => differing > 0)
    .toSorted((one, other) => other.differing - one.differing)
    .map(({ task, mean }) => {
      const before = meanOf([mean, now.get(task) ?? mean])
      return { split: 'val', task, before, restsOn: false }
    })
}

/** Pairs of skills of which one solved the task and the other did not. */
function differingPairs(values: readonly number[]): number {
  const solved = values.filter(value => value >= half).length
  return solved * (values.length - solved)
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))
