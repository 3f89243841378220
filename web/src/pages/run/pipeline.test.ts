import { describe, expect, it } from 'vitest'
import type { StageProgress } from '../../../../src/core/view/run-view.js'
import { figuresOf } from './pipeline.js'

const stage = (given: Partial<StageProgress> = {}): StageProgress => ({
  stage: 'rollout',
  epoch: 1,
  step: 1,
  done: 20,
  failed: 0,
  total: 80,
  finished: false,
  startedAt: 0,
  lastAt: 10_000,
  doneBefore: 0,
  ...given,
})

describe('the figures of a stage', () => {
  it('are progress, rate and remaining time', () => {
    expect(figuresOf(stage(), 10_000)).toBe('20 / 80 · 2.0 per s · 30 s left')
  })

  it('leave out what an earlier session did from the rate', () => {
    expect(figuresOf(stage({ doneBefore: 10 }), 10_000)).toBe('20 / 80 · 1.0 per s · 1 min 00 s left')
  })

  it('omit the rate if nothing is running', () => {
    expect(figuresOf(stage(), undefined)).toBe('20 / 80')
    expect(figuresOf(stage({ finished: true, done: 80, failed: 2 }), 10_000)).toBe('80 / 80 · 2 failed')
  })

  it('count calls if the total is unknown', () => {
    expect(figuresOf(stage({ total: 0, done: 1 }), 10_000)).toBe('1 call')
  })
})
