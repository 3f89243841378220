import { describe, expect, it } from 'vitest'
import { agreementOf, type Judged } from './agreement.js'

const answers = (count: number, label: number, score: number, votes: readonly number[] = []): Judged[] =>
  Array.from({ length: count }, () => ({ label, score, votes }))

describe('agreementOf', () => {
  it('is the textbook kappa: 20 and 15 agreements, 5 and 10 disagreements', () => {
    const judged = [...answers(20, 1, 1), ...answers(5, 1, 0), ...answers(10, 0, 1), ...answers(15, 0, 0)]
    const agreement = agreementOf(judged, 0.5)
    expect(agreement).toMatchObject({
      compared: 50,
      bothPass: 20,
      bothFail: 15,
      onlyJudgePasses: 10,
      onlyLabelPasses: 5,
      meanDifference: 0.3,
    })
    expect(agreement.accuracy.mean).toBeCloseTo(0.7)
    expect(agreement.kappa?.mean).toBeCloseTo(0.4)
    // Wilson's interval for 35 out of 50 is 0.5625 to 0.8090, and chance agreement is one half.
    expect(agreement.kappa?.low).toBeCloseTo(0.125, 2)
    expect(agreement.kappa?.high).toBeCloseTo(0.618, 2)
    expect(agreement.correlation).toBeCloseTo(0.4082, 3)
  })

  it('takes the threshold itself as passed, for labels and scores alike', () => {
    expect(agreementOf([...answers(1, 0.7, 0.69), ...answers(1, 0.7, 0.7)], 0.7)).toMatchObject({
      bothPass: 1,
      onlyLabelPasses: 1,
    })
  })

  it('is sure of nothing after ten agreements', () => {
    const { kappa } = agreementOf([...answers(5, 1, 1), ...answers(5, 0, 0)], 0.5)
    expect(kappa?.mean).toBe(1)
    expect(kappa?.low).toBeLessThan(0.6)
  })

  it('has no kappa and no correlation where everything is the same', () => {
    const agreement = agreementOf(answers(4, 1, 1), 0.5)
    expect(agreement.kappa).toBeUndefined()
    expect(agreement.correlation).toBeUndefined()
    expect(agreement.accuracy.mean).toBe(1)
  })

  it('compares votes on the same answer pair by pair', () => {
    expect(agreementOf(answers(1, 1, 1, [1]), 0.5).selfConsistency).toBeUndefined()
    expect(agreementOf(answers(1, 1, 1, [1, 0.9, 0.1]), 0.5).selfConsistency).toBeCloseTo(1 / 3)
    const both = [...answers(1, 1, 1, [1, 0.9, 0.1]), ...answers(1, 0, 0, [0, 0, 0])]
    expect(agreementOf(both, 0.5).selfConsistency).toBeCloseTo(4 / 6)
  })
})
