import { describe, expect, it } from 'vitest'
import type { Attempt } from '../../core/task/task.js'
import { pickContrast } from './reflect.js'

function attempt(sample: number, hard: number, soft = hard, reward?: number): Attempt {
  const outcome = { status: 'scored', score: { hard, soft, feedback: '' }, stop: 'answered' } as const
  const attempt = { task: 't', type: '', sample, messages: [], outcome }
  return reward === undefined ? attempt : { ...attempt, reward }
}
const lost = (sample: number): Attempt => ({
  ...attempt(sample, 0),
  outcome: { status: 'failed', failure: { kind: 'server', message: 'down' } },
})
const shown = (...attempts: readonly Attempt[]) => {
  const found = pickContrast(attempts)
  return found && [found.attempt.sample, found.better?.sample]
}

describe('of several attempts at a task', () => {
  it('shows the worst with the best if only some were solved', () => {
    expect(shown(attempt(0, 1), attempt(1, 0, 0.2), attempt(2, 0, 0.1))).toEqual([2, 0])
    expect(shown(attempt(0, 0, 0.5), attempt(1, 1, 0.5))).toEqual([0, 1])
  })

  it('also does so if all or none were solved, but with different scores', () => {
    expect(shown(attempt(0, 0, 0), attempt(1, 0, 0.4))).toEqual([0, 1])
    expect(shown(attempt(0, 1, 1), attempt(1, 1, 0.6))).toEqual([1, 0])
    expect(shown(attempt(0, 0, 0.1), attempt(1, 0, 0.35))).toEqual([0, undefined])
  })

  it('ranks by the reward if there is one', () => {
    expect(shown(attempt(0, 1, 1, 0.9), attempt(1, 1, 1, 0.5))).toEqual([1, 0])
    expect(shown(attempt(0, 1, 1, 0.9), attempt(1, 1, 0, 0.8))).toEqual([0, undefined])
  })

  it('ranks solved above unsolved, whatever the cost', () => {
    expect(shown(attempt(0, 0, 0, 0.6), attempt(1, 1, 1, 0.5))).toEqual([0, 1])
  })

  it('shows only the first if they are alike, and breaks ties by order', () => {
    expect(shown(attempt(0, 1), attempt(1, 1), attempt(2, 1))).toEqual([0, undefined])
    expect(shown(attempt(0, 0), attempt(1, 0), attempt(2, 1))).toEqual([0, 2])
  })

  it('leaves out external failures', () => {
    expect(shown(lost(0), attempt(1, 1), attempt(2, 0))).toEqual([2, 1])
    expect(shown(lost(0), attempt(1, 0))).toEqual([1, undefined])
    expect(shown(lost(0), lost(1))).toBeUndefined()
  })
})
