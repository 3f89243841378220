import { describe, expect, it } from 'vitest'
import { play, taskNames } from '../../../test/support/gate-play.js'
import { randomStream } from '../../core/statistics/repeats.js'
import { createGate as better } from './better.js'
import { createGate as notWorse } from './not-worse.js'

const numberOf = (task: string) => Number(task.split('-')[1])

/** The candidate wins the first `won` of every ten tasks and loses the next `lost`; the others are ties. */
const world = (won: number, lost: number) => ({
  current: (task: string) => (numberOf(task) % 10 < won ? 0 : 1),
  candidate: (task: string) => {
    const place = numberOf(task) % 10
    return place >= won && place < won + lost ? 0 : 1
  },
})
const decide = (create: typeof better, tasks: number, won: number, lost: number) =>
  play(create, taskNames(tasks), world(won, lost))

describe('the gate not-worse', () => {
  it('accepts a gain and a tie, and says so', () => {
    expect(decide(notWorse, 40, 4, 0).verdict).toMatchObject({ decision: 'accept' })
    const tie = decide(notWorse, 40, 2, 2).verdict
    expect(tie).toMatchObject({ decision: 'accept', complete: true })
    expect(tie.reason).toMatch(/^Not worse: 8 better and 8 worse of 40 tasks/)
  })

  it('rejects a probably worse candidate, early if it is clear', () => {
    const clear = decide(notWorse, 100, 0, 6)
    expect(clear.verdict).toMatchObject({ decision: 'reject', complete: false })
    expect(clear.verdict.reason).toMatch(/^Clearly worse/)
    expect(decide(notWorse, 20, 0, 2).verdict.reason).toMatch(/^Probably worse/)
  })

  it('runs every task once at most and ten at least', () => {
    expect(decide(notWorse, 30, 2, 2).asked).toHaveLength(60)
    expect(decide(notWorse, 100, 9, 0).asked).toHaveLength(20)
  })
})

describe('the gate better', () => {
  it('accepts a clear gain before every task was run', () => {
    const { verdict, asked } = decide(better, 100, 4, 0)
    expect(verdict).toMatchObject({ decision: 'accept', complete: false })
    expect(asked.length).toBeLessThan(100)
    expect(verdict.effect?.mean).toBeGreaterThan(0)
  })

  it('runs a small split several times while the target is noisy', () => {
    const random = randomStream(3)
    const { verdict, asked } = play(better, taskNames(10), {
      current: () => (random() < 0.5 ? 1 : 0),
      candidate: () => (random() < 0.65 ? 1 : 0),
    })
    expect(asked.length).toBeGreaterThan(2 * 10 * 2)
    expect(verdict.reason).toMatch(/of 10 tasks, in \d+ pairs of attempts\.$/)
  })

  it('does not count repeats of the same answers as evidence', () => {
    const { verdict, asked } = decide(better, 20, 2, 0)
    // Four of twenty tasks are better: with deterministic answers, more runs of them prove nothing.
    expect(verdict).toMatchObject({ decision: 'underpowered', tasks: { better: 4, worse: 0, total: 20 } })
    expect(asked.length).toBeLessThanOrEqual(2 * 40)
  })

  it('gives an interval for tasks, not for pairs of attempts', () => {
    const { verdict } = decide(better, 20, 2, 0)
    // The mean of 20 tasks is 0.2, with squared deviations of 3.2 plus a conservative 1: ± 1.96 · √4.2 / 20.
    expect(verdict.effect?.mean).toBeCloseTo(0.2, 12)
    expect(verdict.effect?.low).toBeCloseTo(0.2 - (1.96 * Math.sqrt(4.2)) / 20, 12)
  })

  it('needs more wins if there are more losses', () => {
    const decisionOf = (won: number) =>
      play(better, taskNames(120), {
        current: task => (numberOf(task) < won ? 0 : 1),
        candidate: task => (numberOf(task) >= won && numberOf(task) < won + 12 ? 0 : 1),
      }).verdict.decision
    // One-sided p-values of 0.014 and 0.14.
    expect(decisionOf(26)).toBe('accept')
    expect(decisionOf(18)).not.toBe('accept')
  })

  it('rejects a loss early and a tie in the end', () => {
    const loss = decide(better, 100, 1, 3)
    expect(loss.verdict).toMatchObject({ decision: 'reject' })
    expect(loss.verdict.reason).toMatch(/^No sign of a gain/)
    expect(loss.asked.length).toBeLessThan(120)
    expect(decide(better, 100, 2, 2).verdict.decision).toBe('reject')
  })
})
