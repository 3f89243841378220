import { describe, expect, it } from 'vitest'
import { noSpending, type Spending } from '../../../../src/core/view/run-view.js'
import { LogBuilder, sampleLog } from '../../../../test/support/sample-run.js'
import { leftOf, notesOf, spentBetween, spentByRole, spentByStage, spentBySteps } from './spent.js'

const spending = (given: Partial<Spending>): Spending => ({ ...noSpending, ...given })
const quiet = {
  spending: { total: noSpending, roles: {}, stages: {} },
  attempts: { scored: 0, failed: 0, cached: 0 },
  callsLost: 0,
  callsInFlight: 0,
  outcome: 'finished' as const,
}

describe('spending by stage and model', () => {
  const { spending: spent } = sampleLog().view()

  it('goes in the order of the loop, and its shares add up', () => {
    const rows = spentByStage(spent)
    expect(rows.map(({ name }) => name).slice(0, 5)).toEqual([
      'baseline',
      'rollout',
      'reflect',
      'aggregate',
      'gate',
    ])
    expect(rows.reduce((sum, { share = 0 }) => sum + share, 0)).toBeCloseTo(1)
    expect(spentByRole(spent).map(({ name }) => name)).toEqual(['target', 'optimizer'])
  })

  it('has no share if the provider did not report usage', () => {
    const log = new LogBuilder().start()
    log.call('rollout', 1, 1).call('reflect', 1, 1, { usage: {} })
    const [rollout, reflect] = spentByStage(log.view().spending)
    expect(rollout?.share).toBe(1)
    expect(reflect?.share).toBeUndefined()
  })
})

describe('spending of a step', () => {
  it('is the difference of two snapshots, and undefined before the second', () => {
    const from = spending({ calls: 3, input: 100, perhaps: { input: 1, output: 2, cost: 0 } })
    const to = spending({
      calls: 5,
      input: 180,
      unknownUsage: 1,
      perhaps: { input: 4, output: 2, cost: 0.5 },
    })
    expect(spentBetween(from, to)).toEqual(
      spending({ calls: 2, input: 80, unknownUsage: 1, perhaps: { input: 3, output: 0, cost: 0.5 } }),
    )
    expect(spentBetween(from, undefined)).toBeUndefined()
  })

  it('is drawn as money where it has a price, and as tokens where it is free', () => {
    const { steps } = sampleLog().view()
    expect(spentBySteps(steps, false).map(({ name }) => name)).toEqual(['cost'])
    const free = spentBySteps(steps, true)
    expect(free.map(({ name }) => name)).toEqual(['tokens in', 'tokens out'])
    expect(free[0]?.points.map(({ x }) => x)).toEqual([1, 2])
  })
})

describe('notes on the totals', () => {
  it('are empty if everything is known', () => {
    expect(notesOf(quiet)).toEqual([])
  })

  it('name calls that may have been charged, and unreported usage', () => {
    const total = spending({ unknownUsage: 2, perhaps: { input: 1000, output: 500, cost: 0.25 } })
    const notes = notesOf({
      ...quiet,
      spending: { ...quiet.spending, total },
      callsLost: 1,
      callsInFlight: 3,
    })
    expect(notes).toHaveLength(3)
    expect(notes[0]).toContain('2 calls without usage')
    expect(notes[1]).toContain('up to 1,500 tokens, $0.25')
    expect(notes[2]).toContain('4 calls under way when a session ended')
  })

  it('do not count calls in flight as lost', () => {
    expect(notesOf({ ...quiet, outcome: 'running', callsInFlight: 3 })).toEqual([])
  })
})

describe('what is left of a cap', () => {
  it('is never negative', () => {
    const text = (value: number) => `${value} calls`
    expect(leftOf({ name: 'Calls', used: 12, limit: 10, text })).toBe('nothing')
    expect(leftOf({ name: 'Calls', used: 4, limit: 10, text })).toBe('6 calls')
  })
})
