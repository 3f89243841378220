import { describe, expect, it } from 'vitest'
import { LogBuilder } from '../../../test/support/sample-run.js'
import { gateChangeText, gateScoreText, shownScore } from './gate-estimate.js'

const effect = { mean: 0.002, low: -0.047, high: 0.051 }
const gate = (verdict: { complete: boolean; effect?: typeof effect }) => {
  const body = { current: 0.5, score: 0.62, verdict: { decision: 'reject' as const, reason: '', ...verdict } }
  return { ...body, score: shownScore(body) }
}

describe('the score of a candidate', () => {
  it('is shown as measured where every task was run', () => {
    expect(gateScoreText(gate({ complete: true, effect }))).toBe('62.0%')
    expect(gateChangeText(gate({ complete: true }))).toBe('+12.0')
  })

  it('is shown as an estimate with its interval, never as the bound, where it was stopped early', () => {
    expect(gateScoreText(gate({ complete: false, effect }))).toBe('about 50.2% (45.3% to 55.1%)')
    expect(gateChangeText(gate({ complete: false, effect }))).toBe('about +0.2')
  })

  it('is not shown where the gate stopped early without an estimate', () => {
    expect(gateScoreText(gate({ complete: false }))).toBe('not measured')
    expect(gateChangeText(gate({ complete: false }))).toBe('–')
  })

  it('is no point of the validation series where it was stopped early', () => {
    const log = new LogBuilder().start()
    const rows = log.put('')
    const at = { epoch: 1, step: 1 }
    const decided = {
      ...at,
      what: 'step',
      candidate: 'c',
      current: 0.5,
      score: 0.62,
      best: 0.5,
      rows,
    } as const
    const verdict = { decision: 'reject', complete: false, reason: '', effect } as const
    log.add('gate.decided', { ...decided, action: 'reject', verdict })
    expect(log.view().series.validation).toEqual([])
  })
})
