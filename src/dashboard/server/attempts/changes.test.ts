import { expect, it } from 'vitest'
import { tableOf } from '../../../../test/support/attempt-table.js'
import { changesBetween } from './changes.js'

const between = (rows: Parameters<typeof tableOf>[0], until = rows.length) =>
  Object.fromEntries(changesBetween(tableOf(rows), until, 'old', 'new'))

it('compares tasks by mean hard score', () => {
  expect(
    between([
      { task: 'gained', skill: 'old', hard: 0 },
      { task: 'gained', skill: 'new', hard: 1 },
      { task: 'lost', skill: 'old', hard: 1 },
      { task: 'lost', skill: 'old', hard: 1 },
      { task: 'lost', skill: 'new', hard: 1 },
      { task: 'lost', skill: 'new', hard: 0 },
      { task: 'kept', skill: 'new', hard: 1 },
      { task: 'kept', skill: 'old', hard: 1 },
    ]),
  ).toEqual({ gained: 'better', lost: 'worse', kept: 'same' })
})

it('compares by mean soft score if the hard scores tie', () => {
  expect(
    between([
      { task: 'a', skill: 'old', hard: 0, soft: 0.2 },
      { task: 'a', skill: 'new', hard: 0, soft: 0.4 },
      { task: 'b', skill: 'old', hard: 1, soft: 0.1 },
      { task: 'b', skill: 'new', hard: 0, soft: 0.9 },
    ]),
  ).toEqual({ a: 'better', b: 'worse' })
})

it('ignores rounding from summing in another order', () => {
  const rows = [0.1, 0.2, 0.3].map(soft => ({ task: 'a', skill: 'old', hard: 0, soft }))
  const turned = rows.toReversed().map(row => ({ ...row, skill: 'new' }))
  expect(between([...rows, ...turned])).toEqual({ a: 'same' })
})

it('ignores tasks that were not scored with both skills', () => {
  expect(
    between([
      { task: 'a', skill: 'old', hard: 1 },
      { task: 'b', skill: 'new', hard: 1 },
      { task: 'c', skill: 'old', hard: 1 },
      { task: 'c', skill: 'new', status: 'failed' },
      { task: 'd', skill: 'old', hard: 1 },
      { task: 'd', skill: 'other', hard: 0 },
    ]),
  ).toEqual({})
})

it('ignores attempts made after the list', () => {
  const rows = [
    { task: 'a', skill: 'old', hard: 0 },
    { task: 'a', skill: 'new', hard: 1 },
    { task: 'a', skill: 'new', hard: 0 },
    { task: 'a', skill: 'old', hard: 1 },
  ]
  expect(between(rows, 2)).toEqual({ a: 'better' })
  expect(between(rows)).toEqual({ a: 'same' })
})
