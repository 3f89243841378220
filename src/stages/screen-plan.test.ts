import { describe, expect, it } from 'vitest'
import type { Attempt, Row } from '../core/task.js'
import { type ScreenTask, scoresOfTasks, screenPlan, unsettledTasks } from './screen-plan.js'

const score = ({ hard }: { hard: number }) => hard
const attempt = (task: string, hard?: number): Attempt => ({
  ...{ task, type: '', sample: 0, messages: [] },
  outcome:
    hard === undefined
      ? { status: 'failed', failure: { kind: 'timeout', message: 'too slow' } }
      : { status: 'scored', score: { hard, soft: hard, feedback: '' }, stop: 'answered' },
})
const batch = (failed: number, solved: number) => [
  ...Array.from({ length: failed }, (_, index) => attempt(`f${index}`, 0)),
  ...Array.from({ length: solved }, (_, index) => attempt(`s${index}`, 1)),
]
const unsettled = (count: number) =>
  Array.from(
    { length: count },
    (_, index): ScreenTask => ({ split: 'val', task: `v${index}`, before: 0.5, restsOn: false }),
  )
const tasks = (plan: readonly ScreenTask[]) => plan.map(({ task }) => task).join(' ')
const planned = (parent: readonly Attempt[], evidence: readonly string[], val: number, most: number) =>
  screenPlan(parent, [{ tasks: [...evidence] }], unsettled(val), score, most)

describe('what a screen runs', () => {
  it('begins with the failed tasks that the edits rest on, in the order of the batch', () => {
    const plan = planned(batch(6, 6), ['f4', 's1', 'f2', 'unknown'], 0, 8)
    expect(tasks(plan)).toBe('f2 s0 f4 s1 f0 s2 f1 s3')
    expect(plan.filter(({ restsOn }) => restsOn).map(({ task }) => task)).toEqual(['f2', 'f4', 's1'])
    expect(plan.map(({ before }) => before)).toEqual([0, 1, 0, 1, 0, 1, 0, 1])
  })

  it('keeps the proportion of the batch, and a quarter for either side', () => {
    const failed = (one: number, other: number) =>
      planned(batch(one, other), [], 0, 8).filter(({ before }) => before === 0).length
    expect(failed(20, 20)).toBe(4)
    expect(failed(25, 15)).toBe(5)
    expect(failed(39, 1)).toBe(7)
    expect(failed(38, 2)).toBe(6)
    expect(failed(1, 39)).toBe(1)
    expect(failed(2, 38)).toBe(2)
  })

  it('gives every second place to validation, as long as there is something unsettled', () => {
    expect(tasks(planned(batch(4, 4), [], 2, 8))).toBe('f0 v0 s0 v1 f1 s1 f2 s2')
    expect(tasks(planned([], [], 2, 8))).toBe('v0 v1')
  })

  it('spends no more than it may, and leaves out what the world failed', () => {
    expect(planned(batch(9, 9), [], 9, 5)).toHaveLength(5)
    expect(planned(batch(2, 1), [], 1, 50)).toHaveLength(4)
    expect(tasks(planned([attempt('lost'), attempt('f0', 0)], ['lost'], 0, 8))).toBe('f0')
  })

  it('takes several attempts at a task for one, by their mean', () => {
    const again = (task: string, ...hards: readonly (number | undefined)[]) =>
      hards.map((hard, sample) => ({ ...attempt(task, hard), sample }))
    const parent = [...again('a', 0, 1, 0), ...again('b', 1, undefined, 1), ...again('lost', undefined)]
    expect(planned(parent, [], 0, 8).map(({ task, before }) => [task, before])).toEqual([
      ['a', 1 / 3],
      ['b', 1],
    ])
    expect([...scoresOfTasks(parent, score)]).toEqual([
      ['a', 1 / 3],
      ['b', 1],
    ])
  })
})

describe('unsettled validation tasks', () => {
  const row = (task: string, hard?: number): Row => ({
    ...{ task, type: '', sample: 0 },
    ...(hard === undefined ? {} : { hard }),
  })
  const rows = (scores: Record<string, number | undefined>) =>
    Object.entries(scores).map(([task, hard]) => row(task, hard))

  it('are those on which skills differ, most of them first', () => {
    const evaluations = [
      rows({ a: 1, b: 0, c: 0, d: 1 }),
      rows({ a: 1, b: 0, c: 1, d: 1 }),
      rows({ a: 1, b: 1, c: 1, d: 0 }),
      rows({ a: 1, b: 0, c: 0 }),
    ]
    const found = unsettledTasks(evaluations, [], score)
    // c divides the skills two to two, b three to one, d two to one; a not at all.
    expect(tasks(found)).toBe('c b d')
    expect(found.map(({ before }) => before)).toEqual([0.5, 0.25, 2 / 3])
    expect(found.every(({ split, restsOn }) => split === 'val' && !restsOn)).toBe(true)
  })

  it('are expected to come out half way between the current skill and all of them', () => {
    const current = rows({ b: 1, c: 0, d: undefined })
    const evaluations = [rows({ b: 0, c: 1, d: 1 }), rows({ b: 0, c: 0, d: 0 }), current]
    const found = unsettledTasks(evaluations, current, score)
    expect(Object.fromEntries(found.map(({ task, before }) => [task, before]))).toEqual({
      ...{ b: (1 + 1 / 3) / 2, c: (0 + 1 / 3) / 2, d: 0.5 },
    })
  })

  it('need two skills that were scored', () => {
    expect(unsettledTasks([rows({ a: 1, b: 0 })], [], score)).toEqual([])
    expect(unsettledTasks([rows({ a: 1 }), rows({ a: undefined })], [], score)).toEqual([])
    expect(unsettledTasks([], [], score)).toEqual([])
  })
})
