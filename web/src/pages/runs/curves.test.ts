import { describe, expect, it } from 'vitest'
import { type ComparedRun, comparedAtMost } from '../../../../src/dashboard/contract/compare.js'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { chartTones } from '../../parts/chart-data.js'
import { axisIn, axisWords, curveKindIn, curvesOf, namesOf, toneAt } from './curves.js'
import { testRun } from './test-run.js'

const compared = (id: string, given: Partial<RunSummary> = {}): ComparedRun => ({
  summary: testRun({ id, ...given }),
  points: [
    { step: 0, activeMs: 100, tokens: 10, cost: 0.1, validation: 0.5, best: 0.5 },
    { step: 1, activeMs: 250, tokens: 30, cost: 0.3, best: 0.5 },
    { step: 2, activeMs: 400, tokens: 60, cost: 0.6, validation: 0.75, best: 0.75 },
  ],
})
const free = (run: ComparedRun): ComparedRun => ({
  summary: { ...run.summary, cost: 0 },
  points: run.points.map(point => ({ ...point, cost: 0 })),
})
const xs = (run: ComparedRun, by: 'step' | 'tokens' | 'cost' | 'time') =>
  curvesOf([run], by, 'best').series[0]?.points.map(({ x }) => x)

describe('curves of a comparison', () => {
  it('sets the score against each axis', () => {
    const run = compared('a')
    expect(xs(run, 'step')).toEqual([0, 1, 2])
    expect(xs(run, 'tokens')).toEqual([10, 30, 60])
    expect(xs(run, 'cost')).toEqual([0.1, 0.3, 0.6])
    expect(xs(run, 'time')).toEqual([100, 250, 400])
  })

  it('holds the best between steps, and shows measured scores only at their steps', () => {
    const [best] = curvesOf([compared('a')], 'step', 'best').series
    expect(best).toMatchObject({ step: true, points: [{ y: 0.5 }, { y: 0.5 }, { y: 0.75 }] })
    const [measured] = curvesOf([compared('a')], 'step', 'validation').series
    expect(measured).toMatchObject({ step: false })
    expect(measured?.points).toEqual([
      { x: 0, y: 0.5 },
      { x: 2, y: 0.75 },
    ])
  })

  it('leaves out runs it cannot place, says so, and keeps the colours of the others', () => {
    const unknown = compared('a', { unknownCost: 10, cost: 0 })
    const curves = curvesOf([unknown, compared('b')], 'cost', 'best')
    expect(curves.series.map(({ name, tone }) => [name, tone])).toEqual([['b', toneAt(1)]])
    expect(curves.notes).toEqual(['a: What it cost is not known.'])
    expect(curvesOf([unknown], 'step', 'best').notes).toEqual([])
  })

  it('warns if a sum is too small', () => {
    const partly = compared('a', { unknownUsage: 3 })
    const { series, notes } = curvesOf([partly], 'tokens', 'best')
    expect(series).toHaveLength(1)
    expect(notes).toEqual([
      'a: The tokens of 3 of its 10 calls are not known, so it belongs further to the right.',
    ])
    expect(curvesOf([partly], 'cost', 'best').notes).toEqual([])
  })

  it('says why a free run is a dot', () => {
    expect(curvesOf([free(compared('a'))], 'cost', 'best').notes).toEqual([
      'a: It cost nothing, so all of it stands at $0.',
    ])
  })

  it('says which runs have no score, and which no time', () => {
    const none = { ...compared('a'), points: [] }
    expect(curvesOf([none], 'step', 'best')).toEqual({
      series: [],
      notes: ['a: It has no validation score.'],
    })
    const imported = compared('b', { importedFrom: 'SkillOpt 0.1', activeMs: 0 })
    expect(curvesOf([imported], 'time', 'best').notes).toEqual(['b: How long it took was not recorded.'])
  })

  it('tells runs of the same name apart by their folders', () => {
    expect(namesOf([testRun({ id: 'x' }), testRun({ id: 'y', name: 'x' }), testRun({ id: 'z' })])).toEqual([
      'x (runs/x)',
      'x (runs/y)',
      'z',
    ])
  })

  it('has a line of its own for each of as many runs as can be compared', () => {
    expect(chartTones.length).toBeGreaterThanOrEqual(comparedAtMost)
    expect(new Set(Array.from({ length: comparedAtMost }, (_, index) => toneAt(index))).size).toBe(
      comparedAtMost,
    )
  })
})

describe('the choice in the address', () => {
  it('is the step and the best unless another one was chosen', () => {
    expect(axisIn(new URLSearchParams('by=tokens'))).toBe('tokens')
    expect(axisIn(new URLSearchParams('by=toString'))).toBe('step')
    expect(curveKindIn(new URLSearchParams('score=validation'))).toBe('validation')
    expect(curveKindIn(new URLSearchParams())).toBe('best')
  })
})

describe('the words of an axis', () => {
  it('tell marks apart that lie close to each other', () => {
    expect([0, 0.0025, 0.05, 12.5].map(axisWords.cost.text)).toEqual(['$0', '$0.0025', '$0.05', '$12.50'])
    expect([0, 200, 2500, 90_000].map(axisWords.time.text)).toEqual(['0 s', '200 ms', '2.5 s', '1 min 30 s'])
  })
})
