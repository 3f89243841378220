import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import type { Interval } from '../../core/statistics/interval.js'
import type { GbrainResult } from '../../experiment/gbrain/index.js'
import type { Matrix, MatrixRow } from '../../experiment/transfer-matrix.js'
import {
  learnedTexts,
  matrixHolds,
  matrixSentences,
  matrixTable,
  setSentence,
  setTable,
} from './experiment-report.js'

const colors = picocolors.createColors(false)
const interval = (mean: number, low: number, high: number): Interval => ({ mean, low, high })

type Cell = MatrixRow['cells'][number]
type Verdict = Cell['scores']['verdict']

function cell(target: string, verdict: Verdict, [before, after]: readonly [number, number] = [0, 0.5]): Cell {
  const scored = (score: number) => ({ score }) as Cell['scores']['seed']
  const gain = { difference: interval(after - before, -0.1, 0.6) } as Cell['scores']['gain']
  return {
    target,
    scores: { seed: scored(before), trained: scored(after), gain, verdict } as Cell['scores'],
  }
}

const matrix = (...rows: readonly MatrixRow[]): Matrix => ({ name: 'advisor', rows })

describe('a matrix', () => {
  const rows = [
    { trainedWith: 'a', cells: [cell('a', 'transfers', [0.25, 1]), cell('b', 'unclear')] },
    { trainedWith: 'b', cells: [] },
  ]

  it('has a row for who learned and a column for who tried', () => {
    expect(matrixTable(rows, colors).split('\n')).toEqual([
      'learned with ↓, tried with →  a                b',
      'a                             25.0% → 100.0%   0.0% → 50.0%',
      '                              −10.0 to +60.0   −10.0 to +60.0',
      'b                             learned nothing  –',
    ])
  })

  it('is summed up by what happened with others', () => {
    expect(matrixSentences([matrix(...rows)])[0]).toBe(
      'With other targets than the one it was learned with, a skill helped in 0 of 1 case and did harm in 0; the rest are within chance.',
    )
  })

  const usual = { trainedWith: 'a', cells: [cell('a', 'transfers'), cell('b', 'unclear')] }
  it.each<[string, MatrixRow, boolean]>([
    ['it helps where it was learned', usual, true],
    ['it does not help there', { ...usual, cells: [cell('a', 'unclear'), cell('b', 'transfers')] }, false],
    ['it harms elsewhere', { ...usual, cells: [cell('a', 'transfers'), cell('b', 'harms')] }, false],
    ['nothing was learned', { ...usual, cells: [] }, false],
  ])('holds or not: %s', (_what, row, holds) => {
    expect(matrixHolds([matrix(usual, row)])).toBe(holds)
  })
})

describe('a set', () => {
  function result(skill: GbrainResult['skill'], low: number): GbrainResult {
    const night = { outcome: 'proposed', night: { outcome: { spent: { calls: 70 } } } }
    const nights = [{ number: 1, result: night, document: '' }] as unknown as GbrainResult['nights']
    const measured = {
      tasks: 6,
      attempts: 24,
      before: interval(0, 0, 0.39),
      after: interval(0.9, 0.7, 1),
      difference: interval(0.9, low, 1),
    }
    return { skill, lacks: 'it is short', nights, measured, learned: low > 0 ? '- Be \u001b[31mshort.' : '' }
  }
  const good = result('advisor', 0.3)
  const bad = result('brief-writer', -0.1)

  it('is a table of scores with their intervals', () => {
    expect(setTable([good], colors).split('\n')).toEqual([
      'skill    successful nights  before         after            after − before',
      'advisor  1 of 1             0.0%           90.0%            +90.0',
      '                            0.0% to 39.0%  70.0% to 100.0%  +30.0 to +100.0',
    ])
  })

  it('says who has risen, and who has not', () => {
    expect(setSentence([good, good])).toMatch(/^All 2 skills improved\. /)
    expect(setSentence([good])).toMatch(
      /^The skill improved\. .* on 6 tasks .*, 24 attempts before and after/,
    )
    expect(setSentence([good, bad])).toMatch(/^1 of 2 skills improved; not brief-writer\. /)
  })

  it('shows what was learned, and nothing that would move the cursor', () => {
    expect(learnedTexts([good, bad], colors)).toBe(
      'advisor (it should say that it is short)\n- Be short.\n\nbrief-writer (it should say that it is short)\nnothing',
    )
  })
})
