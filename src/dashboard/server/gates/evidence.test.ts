import { describe, expect, it } from 'vitest'
import type { Row } from '../../../core/task/task.js'
import { evidenceShown } from '../../contract/details.js'
import { evidenceOf, type Seen } from './evidence.js'

const row = (task: string, hard?: number, type = 'sum'): Row => ({
  task,
  type,
  sample: 0,
  ...(hard === undefined ? {} : { hard, soft: hard }),
})
const none: Seen = {
  current: [],
  candidate: [],
  again: { current: new Map(), candidate: new Map() },
  order: [],
}
const seen = (given: Partial<Seen>) => evidenceOf({ ...none, ...given }, ({ hard }) => hard)

describe('what the gate saw, task by task', () => {
  const {
    tasks,
    counts,
    seen: difference,
  } = seen({
    current: [row('same', 1), row('untried', 1), row('lost', 1), row('gained', 0), row('broken', 0)],
    candidate: [row('same', 1), row('lost', 0.5), row('gained', 1), row('broken'), row('new', 1, 'date')],
  })

  it('lists changed tasks first, losses before gains', () => {
    expect(tasks).toEqual([
      { task: 'lost', type: 'sum', change: 'worse', current: 1, candidate: 0.5 },
      { task: 'gained', type: 'sum', change: 'better', current: 0, candidate: 1 },
      { task: 'broken', type: 'sum', change: 'failed', current: 0 },
      { task: 'new', type: 'date', change: 'failed', candidate: 1 },
      { task: 'same', type: 'sum', change: 'same', current: 1, candidate: 1 },
      { task: 'untried', type: 'sum', change: 'untried', current: 1 },
    ])
  })

  it('counts each kind of change', () => {
    expect(counts).toEqual({ better: 1, worse: 1, same: 1, failed: 2, untried: 1 })
  })

  it('compares only tasks scored under both skills', () => {
    expect(difference?.mean).toBeCloseTo((0 - 0.5 + 1) / 3)
  })

  it('reports no difference if no task was scored under both', () => {
    expect(seen({ current: [row('a', 1)], candidate: [row('b', 0)] })).toMatchObject({
      seen: undefined,
      course: [],
    })
  })

  it('treats scores that differ only by rounding as equal', () => {
    const { counts: rounded } = seen({ current: [row('a', 0.1 + 0.2)], candidate: [row('a', 0.3)] })
    expect(rounded).toMatchObject({ same: 1, better: 0, worse: 0 })
  })

  it('uses the run’s own metric', () => {
    const [current, candidate] = [row('a', 0), { ...row('a', 0), soft: 0.5 }]
    const given = { ...none, current: [current], candidate: [candidate] }
    expect(evidenceOf(given, ({ hard }) => hard).counts.same).toBe(1)
    expect(evidenceOf(given, ({ soft }) => soft).counts.better).toBe(1)
  })
})

it('shows repeat attempts as a mean per side', () => {
  const { tasks, counts } = seen({
    current: [row('a', 0), row('b', 0)],
    candidate: [row('a', 1), row('b', 0)],
    again: { current: new Map([['a', [0, 1, 1, 0]]]), candidate: new Map([['b', []]]) },
  })
  expect(tasks).toEqual([
    {
      task: 'a',
      type: 'sum',
      change: 'better',
      current: 0,
      candidate: 1,
      again: { current: { mean: 0.5, attempts: 4 } },
    },
    { task: 'b', type: 'sum', change: 'same', current: 0, candidate: 0 },
  ])
  expect(counts.better).toBe(1)
})

describe('the course', () => {
  const rows = {
    current: [row('a', 0), row('b', 1), row('c', 0), row('d', 0.5)],
    candidate: [row('a', 1), row('b', 0), row('c', 1), row('d', 0.5)],
  }

  it('sums the changes up in the order in which the candidate tried the tasks', () => {
    expect(seen({ ...rows, order: ['b', 'd', 'a', 'c'] }).course).toEqual([-1, -1, 0, 1])
    expect(seen({ ...rows, order: ['c', 'a', 'b', 'd'] }).course).toEqual([1, 2, 1, 1])
  })

  it('begins with the tasks whose order is unknown', () => {
    expect(seen({ ...rows, order: ['a', 'c', 'd'] }).course).toEqual([-1, 0, 1, 1])
  })

  it('leaves out attempts that failed for external reasons', () => {
    const candidate = [row('a', 1), row('b'), row('c', 1)]
    expect(seen({ current: rows.current, candidate, order: ['b', 'a', 'c'] }).course).toEqual([1, 2])
  })
})

it('limits the listed tasks, reports how many are left out, and still counts them', () => {
  const ids = Array.from({ length: evidenceShown + 3 }, (_, index) => `t${index}`)
  const last = ids.at(-1) ?? ''
  const { tasks, more, counts } = seen({
    current: ids.map(id => row(id, 1)),
    candidate: ids.map(id => row(id, id === last ? 0 : 1)),
  })
  expect({ shown: tasks.length, more }).toEqual({ shown: evidenceShown, more: 3 })
  expect(counts).toMatchObject({ same: evidenceShown + 2, worse: 1 })
  expect(tasks[0]).toMatchObject({ task: last, change: 'worse' })
})
