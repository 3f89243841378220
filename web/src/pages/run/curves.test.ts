import { describe, expect, it } from 'vitest'
import { sampleLog } from '../../../../test/support/sample-run.js'
import { curvesOf } from './curves.js'

const tested = (which: 'initial' | 'best' | 'last', score: number) => ({
  which,
  skill: which,
  hard: score,
  soft: score,
  scored: 20,
  failed: 0,
  score,
  types: [],
  interval: { mean: score, low: score - 0.1, high: score + 0.1 },
})
const view = {
  ...sampleLog().view(),
  tests: [tested('initial', 0.3), tested('last', 0.4), tested('best', 0.7)],
}
const pointsOf = (name: string, given: Partial<typeof view> = {}) =>
  curvesOf({ ...view, ...given }).find(series => series.name === name)?.points ?? []

describe('the curves of a run', () => {
  it('have intervals on train, validation and test', () => {
    for (const name of ['train batch', 'validation', 'test']) {
      const points = pointsOf(name)
      expect(points.length, name).toBeGreaterThan(0)
      for (const { y, low = y, high = y } of points) {
        expect(low, name).toBeLessThan(y + 1e-9)
        expect(high, name).toBeGreaterThan(y - 1e-9)
        expect(high - low, name).toBeGreaterThan(0)
      }
    }
  })

  it('put each tested skill at the step that it came from', () => {
    expect(pointsOf('test').map(({ x, y }) => [x, y])).toEqual([
      [0, 0.3],
      [1, 0.7],
      [2, 0.4],
    ])
  })

  it('hold the best until the last step', () => {
    expect(pointsOf('best so far').at(-1)).toEqual({ x: 2, y: 0.75 })
  })

  it('show the estimate of an evaluation that was stopped, and join no measured points across it', () => {
    const effect = { mean: 0.002, low: -0.047, high: 0.051 }
    const steps = view.steps.map(step =>
      step.gate === undefined
        ? step
        : {
            ...step,
            gate: { ...step.gate, current: 0.5, verdict: { ...step.gate.verdict, complete: false, effect } },
          },
    )
    const [first] = pointsOf('stopped early: estimate', { steps })
    expect(first).toMatchObject({ x: 1, y: 0.502, low: 0.453 })
    expect(pointsOf('stopped early: estimate')).toEqual([])
    const joined = curvesOf(view).filter(series => series.scatter !== true && series.step !== true)
    expect(joined.map(({ name }) => name)).toEqual(['train batch'])
  })

  it('have no interval if a score is not a proportion', () => {
    const series = { ...view.series, validation: [{ step: 0, value: -0.2 }] }
    expect(pointsOf('validation', { series })).toEqual([{ x: 0, y: -0.2 }])
  })
})
