import { describe, expect, it } from 'vitest'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import {
  costFigure,
  fromTo,
  modelsIn,
  placeOf,
  testFigure,
  timeFigure,
  tokensFigure,
  verdictFigure,
} from './figures.js'
import { testRun } from './test-run.js'

const run = (given: Partial<RunSummary> = {}) => testRun({ id: 'a', ...given })

describe('figures of a run', () => {
  it('never guesses a cost', () => {
    expect(costFigure(run())).toEqual({ text: '$0.50' })
    expect(costFigure(run({ unknownCost: 10, cost: 0 }))).toEqual({ text: 'unknown' })
    expect(costFigure(run({ unknownCost: 1 }))).toEqual({
      text: '$0.50',
      note: '+ 1 call of unknown price',
    })
    expect(costFigure(run({ calls: 0, cost: 0 }))).toEqual({ text: '$0' })
  })

  it('does not treat unrecorded figures of an imported run as zero', () => {
    const imported = run({ importedFrom: 'SkillOpt 0.1', calls: 0, tokens: 0, cost: 0, activeMs: 0 })
    expect([costFigure, tokensFigure, timeFigure].map(figure => figure(imported).text)).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ])
  })

  it('gives a lower bound of the tokens', () => {
    expect(tokensFigure(run({ tokens: 12_345 }))).toEqual({ text: '12,345', note: '10 calls' })
    expect(tokensFigure(run({ tokens: 12_345, unknownUsage: 2 }), true).text).toBe('≥ 12.3k')
    expect(tokensFigure(run({ unknownUsage: 10 }), true).text).toBe('unknown')
  })

  it('shows a score of 0 as a score', () => {
    expect(fromTo(0, 0.5)).toBe('0.0% → 50.0%')
    expect(fromTo(0, undefined)).toBe('0.0% → ?')
    expect(fromTo(undefined, 0)).toBe('0.0%')
    expect(fromTo(undefined, undefined)).toBe('–')
    expect(testFigure(run({ test: { initial: 0.5, best: 0.25 } }))).toEqual({ text: '50.0% → 25.0%' })
  })

  it('shows a gain only with its verdict and interval', () => {
    const verdict = {
      answer: 'cannot-tell',
      sentence: '',
      gain: { mean: 0.25, low: -0.1, high: 0.5 },
    } as const
    expect(verdictFigure(run({ verdict }))).toEqual({
      text: 'Cannot tell',
      note: '+25 points (−10 to +50)',
    })
    expect(testFigure(run({ verdict, test: { initial: 0, best: 0.25 } })).note).toBe(
      '+25 points (−10 to +50)',
    )
    expect(verdictFigure(run({ test: { initial: 0, best: 0.25 } }))).toEqual({ text: '–' })
  })

  it('names a model once, whatever its roles', () => {
    expect(modelsIn(run({ models: { target: 'x', optimizer: 'y', judge: 'x' } }))).toEqual(['x', 'y'])
  })

  it('gives the progress of an unfinished training', () => {
    expect(placeOf(run({ state: 'running', step: 3 }))).toBe('step 3 of 4')
    expect(placeOf(run())).toBeUndefined()
    expect(placeOf(run({ state: 'running', kind: 'eval' }))).toBeUndefined()
  })
})
