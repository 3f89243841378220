import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hardScore } from '../../test/support/gate-play.js'
import type { Row } from '../core/task.js'
import {
  type ChangedTask,
  cameAgain,
  changedTasks,
  lossOf,
  objectionTo,
  planAttribution,
} from './contribution.js'

/** A letter per task, a digit per sample: `rows('a1', 'b01')` is a passed once, b failed and passed; `-` is the world. */
const rows = (...results: readonly string[]): Row[] =>
  results.flatMap(result =>
    [...result.slice(1)].map((digit, sample) => {
      const row = { task: result.charAt(0), type: '', sample }
      return digit === '-' ? row : { ...row, hard: Number(digit), soft: Number(digit) }
    }),
  )

const gains = (...tasks: readonly string[]): ChangedTask[] => tasks.map(task => ({ task, before: 0, by: 1 }))

describe('tasks that changed', () => {
  it('are those that only one of both solved; what the world failed is not among them', () => {
    const changed = changedTasks(
      rows('a0', 'b1', 'c0', 'd1', 'e-', 'f0'),
      rows('a1', 'b1', 'c0', 'd0', 'e1', 'f-'),
      hardScore,
    )
    expect(changed).toEqual({
      gained: [{ task: 'a', before: 0, by: 1 }],
      lost: [{ task: 'd', before: 1, by: -1 }],
    })
  })

  it('come in the order of how much they changed', () => {
    const soft = ({ soft }: { soft: number }) => soft
    const scores = (values: Record<string, number>): Row[] =>
      Object.entries(values).map(([task, soft]) => ({ task, type: '', sample: 0, hard: 0, soft }))
    const changed = changedTasks(
      scores({ a: 0.2, b: 0, c: 0.9, d: 0.5, e: 0.3 }),
      scores({ a: 0.4, b: 0.5, c: 0.7, d: 0, e: 0.3 }),
      soft,
    )
    expect(changed.gained.map(({ task }) => task)).toEqual(['b', 'a'])
    expect(changed.lost.map(({ task }) => task)).toEqual(['d', 'c'])
  })
})

describe('the plan', () => {
  const needs = { gained: gains('a', 'b', 'c'), lost: gains('d'), variants: 4, evaluation: 20 }

  it('tries what was gained, then what was lost, then all of it again', () => {
    expect(planAttribution(needs, 35)).toMatchObject({ tasks: ['a', 'b', 'c'], rounds: 1, mayDrop: true })
    expect(planAttribution(needs, 40)).toMatchObject({ tasks: ['a', 'b', 'c', 'd'], rounds: 1 })
    expect(planAttribution(needs, 60)).toMatchObject({ tasks: ['a', 'b', 'c', 'd'], rounds: 2 })
    expect(planAttribution(needs, 10_000)).toMatchObject({ rounds: 4 })
  })

  it('drops nothing unless every gained task can be tried and the result be evaluated', () => {
    expect(planAttribution(needs, 34)).toMatchObject({ mayDrop: false, needed: 35, room: 34 })
    expect(planAttribution(needs, 5)).toMatchObject({ tasks: ['a'], rounds: 1, mayDrop: false })
  })

  it('is none where no task can be tried with every text, or nothing was gained', () => {
    expect(planAttribution(needs, 4)).toBeUndefined()
    expect(planAttribution({ ...needs, gained: [] }, 1000)).toBeUndefined()
  })

  it('never promises more than the limit', () => {
    const count = fc.nat({ max: 30 })
    fc.assert(
      fc.property(count, count, fc.integer({ min: 1, max: 9 }), count, fc.nat({ max: 300 }), (...drawn) => {
        const [gained, lost, variants, evaluation, most] = drawn
        const some = (prefix: string, length: number) =>
          Array.from({ length }, (_, index) => ({ task: `${prefix}${index}`, before: 0, by: 1 }))
        const changed = { gained: some('g', gained), lost: some('l', lost) }
        const plan = planAttribution({ ...changed, variants, evaluation }, most)
        if (plan === undefined) return gained === 0 || most < variants + 1
        const cost = (variants + 1) * plan.tasks.length * plan.rounds
        expect(cost).toBeLessThanOrEqual(plan.room)
        expect(plan.room + (plan.mayDrop ? evaluation : 0)).toBeLessThanOrEqual(most)
        expect(plan.rounds).toBeGreaterThan(0)
        return !plan.mayDrop || changed.gained.every(({ task }) => plan.tasks.includes(task))
      }),
    )
  })
})

describe('a gain', () => {
  const again = (...whole: readonly string[]) => cameAgain(rows(...whole), gains('a', 'b'), hardScore)

  it('has come again if fresh attempts show half of it', () => {
    expect(again('a1', 'b1')).toBe(true)
    expect(again('a1', 'b0')).toBe(true)
    expect(again('a01', 'b01')).toBe(true)
    expect(again('a0001', 'b0111', 'c1111')).toBe(true)
    expect(again('a0001', 'b0011')).toBe(false)
    expect(again('a0', 'b0', 'c1')).toBe(false)
  })

  it('is measured from what the parent scored', () => {
    const task = { task: 'a', before: 0.5, by: 0.5 }
    const soft = ({ soft }: { soft: number }) => soft
    const fresh = (value: number): Row[] => [{ task: 'a', type: '', sample: 0, hard: 0, soft: value }]
    expect(cameAgain(fresh(0.75), [task], soft)).toBe(true)
    expect(cameAgain(fresh(0.7), [task], soft)).toBe(false)
  })

  it('is not shown where the world failed a task', () => {
    expect(again('a1', 'b-')).toBe(false)
    expect(again('a1', 'b-1')).toBe(true)
  })
})

describe('the loss without some edits', () => {
  const lossOn = (whole: readonly Row[], without: readonly Row[], gained = gains('a', 'b', 'c')) =>
    lossOf(whole, without, gained, hardScore, 10)

  it('is none where every gained task is still solved', () => {
    const loss = lossOn(rows('a1', 'b1', 'c1'), rows('a1', 'b1', 'c1'))
    expect(loss).toMatchObject({ idle: true, whole: 3, without: 3, contribution: { mean: 0 } })
  })

  it('is measured in points of the whole validation score, with an interval around it', () => {
    const { contribution, idle } = lossOn(rows('a1', 'b1', 'c1', 'd0'), rows('a0', 'b0', 'c1', 'd1'))
    expect(idle).toBe(false)
    expect(contribution?.mean).toBeCloseTo(0.1)
    expect(contribution?.low).toBeLessThan(0.1)
    expect(contribution?.high).toBeGreaterThan(0.1)
  })

  it('keeps an edit that carries a single task', () => {
    expect(lossOn(rows('a1', 'b1', 'c1'), rows('a1', 'b0', 'c1')).idle).toBe(false)
  })

  it('asks for more than a tie where attempts come out differently', () => {
    expect(lossOn(rows('a1', 'b0', 'c1'), rows('a0', 'b1', 'c1')).idle).toBe(false)
    expect(lossOn(rows('a1', 'b0', 'c1'), rows('a1', 'b1', 'c1')).idle).toBe(true)
    // The same tie weighs less where it is one attempt of four.
    expect(lossOn(rows('a1111', 'b0111', 'c1111'), rows('a0111', 'b1111', 'c1111')).idle).toBe(true)
  })

  it('looks at tasks that were gained only: an edit may do harm elsewhere and carry nothing', () => {
    expect(lossOn(rows('a1', 'd1'), rows('a1', 'd0'), gains('a')).idle).toBe(true)
    expect(lossOn(rows('a1', 'd0'), rows('a0', 'd1'), gains('a')).idle).toBe(false)
  })

  it('proves nothing where the world failed a task', () => {
    expect(lossOn(rows('a1', 'b1', 'c-'), rows('a1', 'b1', 'c1')).idle).toBe(false)
    expect(lossOn(rows('a1', 'b1', 'c1-'), rows('a1', 'b1', 'c11')).idle).toBe(true)
    expect(lossOn(rows('a-', 'b-', 'c-'), rows('a1', 'b1', 'c1')).contribution).toBeUndefined()
  })

  it('of nothing at all is never taken for proof, whatever the attempts are', () => {
    const passes = fc.array(fc.boolean(), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(passes, passes, (whole, without) => {
        const tasks = whole.slice(0, without.length)
        const rowsOf = (results: readonly boolean[]): Row[] =>
          results.map((passed, index) => ({
            ...{ task: `${index}`, type: '', sample: 0 },
            hard: Number(passed),
          }))
        const gained = tasks.map((_, index) => ({ task: `${index}`, before: 0, by: 1 }))
        const { idle } = lossOf(rowsOf(tasks), rowsOf(without), gained, hardScore, 10)
        const lost = tasks.filter((passed, index) => passed && without[index] === false).length
        const won = tasks.filter((passed, index) => !passed && without[index] === true).length
        return !idle || won > lost || won + lost === 0
      }),
    )
  })
})

describe('the skill without its idle edits', () => {
  const skills = {
    ...{
      parent: rows('a0', 'b1', 'c0'),
      whole: rows('a1', 'b1', 'c0'),
      isShorter: true,
      noRegression: false,
      floors: {},
    },
  }
  const objection = (smaller: readonly Row[], more = {}) =>
    objectionTo({ ...skills, smaller, ...more }, hardScore)

  it('may take the place if its score is no lower', () => {
    expect(objection(rows('a1', 'b1', 'c0'))).toBeUndefined()
    expect(objection(rows('a1', 'b0', 'c1'))).toBeUndefined()
    expect(objection(rows('a1', 'b1', 'c1'))).toBeUndefined()
    expect(objection(rows('a0', 'b1', 'c0'))).toContain('0.3333 instead of 0.6667')
  })

  it('wins a tie only if it is shorter', () => {
    expect(objection(rows('a1', 'b1', 'c0'), { isShorter: false })).toContain('not shorter')
    expect(objection(rows('a1', 'b1', 'c1'), { isShorter: false })).toBeUndefined()
  })

  it('may break nothing that was solved before, where the user said so', () => {
    expect(objection(rows('a1', 'b0', 'c1'), { noRegression: true })).toContain('b')
    expect(objection(rows('a0', 'b1', 'c1'), { noRegression: true })).toBeUndefined()
  })

  it('may fall below no floor', () => {
    expect(objection(rows('a1', 'b0', 'c1'), { floors: { accuracy: 0.6 } })).toBeUndefined()
    expect(objection(rows('a1', 'b1', 'c0'), { floors: { accuracy: 0.9 } })).toBeUndefined()
    const dear = rows('a1', 'b1', 'c1').map(row => ({ ...row, tokens: 900 }))
    const parent = rows('a0', 'b1', 'c0').map(row => ({ ...row, tokens: 100 }))
    expect(objection(dear, { parent, floors: { tokens: 500 } })).toBe(
      'Left out, the skill is below a floor: it takes 900 tokens per attempt, and at most 500 are allowed (100 with the current skill).',
    )
  })

  it('is not compared where the world failed one side', () => {
    expect(objection(rows('a1', 'b-', 'c-'))).toContain('world failed')
  })
})
