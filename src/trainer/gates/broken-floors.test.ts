import { describe, expect, it } from 'vitest'
import type { Row } from '../../core/task/task.js'
import { brokenFloors } from './floors.js'

const rows = (values: readonly (Partial<Row> | undefined)[]): Row[] =>
  values.map((value, index) => ({ task: `t${index}`, type: '', sample: 0, ...value }))
const scores = (...hards: readonly (number | undefined)[]) =>
  rows(hards.map(hard => (hard === undefined ? undefined : { hard })))
const tokens = (...each: readonly number[]) => rows(each.map(tokens => ({ hard: 1, tokens })))
const seconds = (...each: readonly number[]) => rows(each.map(value => ({ hard: 1, ms: 1000 * value })))

describe('floors', () => {
  it('are kept by values at or above them, despite rounding', () => {
    expect(brokenFloors(scores(1, 1), scores(1, 0), { accuracy: 0.5 })).toEqual([])
    expect(brokenFloors(tokens(1, 1), tokens(100, 300), { tokens: 200 })).toEqual([])
    expect(brokenFloors(seconds(1, 1), seconds(1, 3), { seconds: 2 })).toEqual([])
    const tenths = scores(...Array.from({ length: 10 }, () => 0.1))
    expect(brokenFloors(scores(...Array.from({ length: 10 }, () => 1)), tenths, { accuracy: 0.1 })).toEqual(
      [],
    )
  })

  it('say by how much they were missed, and what the current skill has', () => {
    expect(brokenFloors(scores(1, 1, 1, 0), scores(1, 0, 0, 0), { accuracy: 0.5 })).toEqual([
      'accuracy is 25.0%, below 50.0% (75.0% with the current skill)',
    ])
    expect(brokenFloors(tokens(900, 1100), tokens(2000, 2500), { tokens: 1500 })).toEqual([
      '2,250 tokens per attempt, at most 1,500 allowed (1,000 with the current skill)',
    ])
    expect(brokenFloors(seconds(1, 2), seconds(12.25, 12.25), { seconds: 10.5 })).toEqual([
      '12.3 seconds per attempt, at most 10.5 allowed (1.5 with the current skill)',
    ])
  })

  it('require only no worsening if the current skill is below them too', () => {
    const floors = { accuracy: 0.9 }
    expect(brokenFloors(scores(1, 0), scores(1, 0), floors)).toEqual([])
    expect(brokenFloors(scores(1, 0, 0), scores(1, 1, 0), floors)).toEqual([])
    expect(brokenFloors(scores(1, 1, 0), scores(1, 0, 0), floors)).toHaveLength(1)
    expect(brokenFloors(tokens(900), tokens(800), { tokens: 500 })).toEqual([])
    expect(brokenFloors(tokens(800), tokens(900), { tokens: 500 })).toHaveLength(1)
  })

  it('are each checked', () => {
    const after = rows([{ hard: 0, tokens: 900, ms: 9000 }])
    const before = rows([{ hard: 1, tokens: 1, ms: 1 }])
    expect(brokenFloors(before, after, { accuracy: 1, tokens: 10, seconds: 1 })).toHaveLength(3)
    expect(brokenFloors(before, after, {})).toEqual([])
  })

  it('judge first attempts at tasks with a score of both skills', () => {
    const again = { task: 't0', type: '', sample: 1, hard: 0 }
    expect(brokenFloors(scores(1, undefined), [...scores(1, 0), again], { accuracy: 1 })).toEqual([])
    expect(brokenFloors(scores(1, 1), scores(1, undefined), { accuracy: 1 })).toEqual([])
    expect(brokenFloors([], [], { accuracy: 1 })).toEqual([])
  })

  it('do not treat a missing figure as 0', () => {
    expect(() => brokenFloors(tokens(1), scores(1), { tokens: 10 })).toThrow('lacks the value')
  })
})
