import { describe, expect, it } from 'vitest'
import type { Pair, Seen, Side } from '../ports/gate.js'
import { compare, meanOf, metricScore, missingFrom, pairsIn, scoredPairs, scoreOfAttempt } from './metric.js'
import type { Scores } from './task.js'

function pair(index: number, current: number | undefined, candidate: number | undefined): Pair {
  const row = (hard: number | undefined) => ({
    task: `t${index}`,
    type: '',
    sample: 0,
    ...(hard === undefined ? {} : { hard, soft: hard / 2 }),
  })
  return { task: `t${index}`, sample: 0, current: row(current), candidate: row(candidate) }
}

const pairs = (count: number, current: number | undefined, candidate: number | undefined) =>
  Array.from({ length: count }, (_, index) => pair(index, current, candidate))

describe('metricScore', () => {
  it('mixes by the weight of the soft score', () => {
    const summary = { hard: 1, soft: 0.5 }
    expect(metricScore(summary, 'hard', 0.3)).toBe(1)
    expect(metricScore(summary, 'soft', 0.3)).toBe(0.5)
    expect(metricScore(summary, 'mixed', 0.3)).toBeCloseTo(0.85)
  })
})

describe('a reward', () => {
  const reward = (scores: Scores) => metricScore(scores, 'reward', 0.3)

  it('is the score if it is the metric, without a fallback', () => {
    expect(reward({ hard: 1, soft: 0.5, reward: 0.7 })).toBe(0.7)
    expect(reward({ hard: 1, soft: 0.5, reward: 0 })).toBe(0)
    expect(() => reward({ hard: 1, soft: 0.5 })).toThrow('a score was asked of figures that have none')
  })

  it('comes from single attempts, and averaged over pairs that all have one', () => {
    const rewarded = (number: number) => ({ task: 't', type: '', sample: 0, hard: 1, reward: number })
    expect(scoreOfAttempt(rewarded(0.4), reward)).toBe(0.4)
    const seen = [0.2, 0.6].map((number, sample) => ({
      task: 't',
      sample,
      current: rewarded(number),
      candidate: rewarded(1),
    }))
    expect(meanOf(scoredPairs(seen).pairs, 'current')).toEqual({ hard: 1, soft: 1, reward: 0.4 })
    const partly = [...seen, { ...pair(0, 1, 1), sample: 2 }]
    expect(meanOf(scoredPairs(partly).pairs, 'current').reward).toBeUndefined()
  })
})

describe('compare', () => {
  it('treats zero as a score, and rejects NaN', () => {
    expect(compare(0.1, 0, 0)).toBe('accept_new_best')
    expect(compare(0, 0, 0)).toBe('reject')
    expect(compare(Number.NaN, 0, 0)).toBe('reject')
  })
})

describe('scoredPairs', () => {
  it('averages only pairs in which both sides were scored', () => {
    const seen = [...pairs(38, 1, 0), pair(38, undefined, 1), pair(39, 1, undefined)]
    const { pairs: scored, abstain } = scoredPairs(seen)
    expect(abstain).toBeUndefined()
    expect(scored).toHaveLength(38)
    expect(meanOf(scored, 'current')).toEqual({ hard: 1, soft: 0.5 })
    expect(meanOf(scored, 'candidate')).toEqual({ hard: 0, soft: 0 })
  })

  it('abstains on failures that are lopsided, too many, or all', () => {
    expect(scoredPairs([]).abstain).toContain('nothing')
    expect(scoredPairs(pairs(3, undefined, undefined)).abstain).toContain('No pair')
    expect(scoredPairs([...pairs(19, 0, 1), pair(19, 0, undefined)]).abstain).toBeUndefined()
    expect(scoredPairs([...pairs(18, 0, 1), pair(19, 0, undefined)]).abstain).toContain('fairly')
    expect(scoredPairs([...pairs(9, 0, 1), ...pairs(10, undefined, undefined)]).abstain).toContain('Too few')
    expect(scoredPairs([...pairs(10, 0, 1), ...pairs(10, undefined, undefined)]).abstain).toBeUndefined()
  })
})

describe('what a gate has seen', () => {
  const one = (side: Side, task: string, sample = 0): Seen => ({
    side,
    row: { task, type: '', sample, hard: side === 'candidate' ? 1 : 0 },
  })

  it('pairs the same task and sample of both skills, in the order in which pairs become whole', () => {
    const seen = [
      one('current', 'a'),
      one('current', 'b'),
      one('candidate', 'b'),
      one('candidate', 'c'),
      one('candidate', 'a', 1),
      one('current', 'c'),
      one('candidate', 'a'),
    ]
    expect(pairsIn(seen)).toEqual(
      ['b', 'c', 'a'].map(task => ({
        task,
        sample: 0,
        current: one('current', task).row,
        candidate: one('candidate', task).row,
      })),
    )
  })

  it('lists the missing attempts, by side and sample', () => {
    const wanted = [
      { side: 'current', task: 'a', sample: 0 },
      { side: 'candidate', task: 'a', sample: 0 },
      { side: 'current', task: 'a', sample: 1 },
    ] as const
    expect(missingFrom([], wanted)).toEqual(wanted)
    expect(missingFrom([one('current', 'a')], wanted)).toEqual(wanted.slice(1))
    expect(missingFrom([one('candidate', 'a'), one('current', 'a', 1)], wanted)).toEqual(wanted.slice(0, 1))
  })

  it('scores an attempt by the metric, its soft score being the hard one if it has none, and none if it failed', () => {
    const score = ({ hard, soft }: { hard: number; soft: number }) => hard + 10 * soft
    expect(scoreOfAttempt({ task: 'a', type: '', sample: 0, hard: 1, soft: 0.5 }, score)).toBe(6)
    expect(scoreOfAttempt({ task: 'a', type: '', sample: 0, hard: 1 }, score)).toBe(11)
    expect(scoreOfAttempt({ task: 'a', type: '', sample: 0, hard: 0 }, score)).toBe(0)
    expect(scoreOfAttempt({ task: 'a', type: '', sample: 0 }, score)).toBeUndefined()
    expect(scoreOfAttempt(undefined, score)).toBeUndefined()
  })
})
