import { describe, expect, it } from 'vitest'
import type { AttemptLine } from '../../../../src/dashboard/contract/attempts.js'
import { compareHref, counterpartOf, pairOf } from './pairs.js'

function line(seq: number, more: Partial<AttemptLine> & { readonly skillName?: string } = {}): AttemptLine {
  const { skillName = 'v0', ...rest } = more
  return {
    seq,
    at: seq,
    stage: 'gate',
    epoch: 1,
    step: 1,
    split: 'val',
    task: 't',
    type: 'x',
    sample: 0,
    skill: { id: skillName, name: skillName, hash: skillName, hasText: true },
    outcome: 'wrong',
    hard: 0,
    soft: 0,
    isCached: false,
    ...rest,
  }
}

describe('two attempts at a task under two skills', () => {
  it('prefer the same split over the same stage', () => {
    const left = [line(1, { stage: 'baseline' }), line(2, { stage: 'rollout', split: 'train' })]
    const right = [line(9)]
    expect(pairOf(left, right)).toEqual({ left: left[0], right: right[0] })
  })

  it('prefer scored attempts', () => {
    const left = [line(1), line(5, { outcome: 'failed' })]
    expect(pairOf(left, [line(9)])?.left.seq).toBe(1)
  })

  it('prefer the same sample, then the first sample, then the latest', () => {
    const left = [line(1), line(2, { sample: 1 }), line(3)]
    const right = [line(11), line(12, { sample: 1 })]
    const pair = pairOf(left, right)
    expect([pair?.left.seq, pair?.right.seq]).toEqual([3, 11])
  })

  it('are two different attempts, even for the same skill', () => {
    const same = [line(1), line(2)]
    const pair = pairOf(same, same)
    expect(pair?.left.seq).not.toBe(pair?.right.seq)
    expect(pairOf([line(1)], [line(1)])).toBeUndefined()
  })

  it('are undefined if one skill has no attempt', () => {
    expect(pairOf([], [line(1)])).toBeUndefined()
  })
})

describe('what an attempt is compared with', () => {
  const own = line(5, { skillName: 'v1', outcome: 'right', hard: 1 })

  it('is one with another skill and another outcome', () => {
    const others = [
      line(1, { skillName: 'v1', outcome: 'wrong' }),
      line(2, { outcome: 'right', hard: 1 }),
      line(3, { outcome: 'wrong' }),
      line(4, { outcome: 'failed' }),
      own,
    ]
    expect(counterpartOf(own, others)?.seq).toBe(3)
  })

  it('is undefined for the only attempt', () => {
    expect(counterpartOf(own, [own])).toBeUndefined()
  })

  it('has the earlier one on the left', () => {
    expect(compareHref(line(7), line(3))).toBe('/compare?left=3&right=7')
  })
})
