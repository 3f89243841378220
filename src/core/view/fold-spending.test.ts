import { describe, expect, it } from 'vitest'
import { LogBuilder, seedHash } from '../../../test/support/sample-run.js'

const place = { stage: 'rollout', epoch: 1, step: 1 } as const
const failing = (charged?: { input: number; output: number; cost?: number }) =>
  new LogBuilder()
    .start()
    .add('call.started', { ...place, role: 'judge', try: 1, reserved: { input: 5, output: 7 } })
    .add('call.failed', {
      ...place,
      role: 'judge',
      try: 1,
      kind: 'server',
      message: 'overloaded',
      ...(charged === undefined ? {} : { charged }),
    })

describe('spending', () => {
  it('is added up in total, per role and per stage', () => {
    const log = new LogBuilder().start().call('rollout', 1, 1).call('rollout', 1, 1).call('reflect', 1, 1)
    const { total, roles, stages } = log.view().spending
    const each = { input: 100, output: 20, cachedInput: 40, unknownUsage: 0, unknownCost: 0, failedTries: 0 }
    expect(total).toMatchObject({ calls: 3, tries: 3, input: 300, output: 60, cachedInput: 120 })
    expect(total.cost).toBeCloseTo(0.003)
    expect(Object.keys(roles)).toEqual(['target', 'optimizer'])
    expect(roles.optimizer).toMatchObject({ ...each, calls: 1, tries: 1, cost: 0.001 })
    expect(stages.reflect).toEqual(roles.optimizer)
    expect(stages.rollout).toEqual(roles.target)
  })

  it.each([
    [{}, 1],
    [{ input: 3 }, 1],
    [{ output: 3 }, 1],
    [{ input: 0, output: 0 }, 0],
  ])('of the usage %j leaves so many calls unknown: %d', (usage, unknownUsage) => {
    const log = new LogBuilder().start().call('rollout', 1, 1, { usage })
    const known = { input: 0, output: 0, ...usage }
    expect(log.view().spending.total).toMatchObject({ ...known, unknownUsage, cachedInput: 0 })
  })

  it('adds calls of which only the sum is known, without a price', () => {
    const log = new LogBuilder().start().call('rollout', 1, 1)
    log.add('calls.summed', { ...place, role: 'target', calls: 10, input: 1000, output: 50 })
    log.add('calls.summed', { ...place, stage: 'reflect', role: 'optimizer', calls: 3 })
    const { total, roles, stages } = log.view().spending
    expect(total).toMatchObject({
      calls: 14,
      tries: 14,
      input: 1100,
      output: 70,
      unknownUsage: 3,
      unknownCost: 13,
    })
    expect(roles.target).toMatchObject({ calls: 11, unknownUsage: 0, unknownCost: 10, cost: 0.001 })
    expect(stages.reflect).toMatchObject({ calls: 3, input: 0, unknownUsage: 3 })
    expect(log.view().callsInFlight).toBe(0)
  })

  it('counts a call that is free as known', () => {
    const log = new LogBuilder().start().call('rollout', 1, 1, { cost: 0 })
    expect(log.view().spending.total).toMatchObject({ cost: 0, unknownCost: 0 })
  })

  it('keeps apart what a failed try may have cost', () => {
    const log = failing({ input: 5, output: 7, cost: 0.5 })
    const { spending, callsInFlight, failedTries, lastFailure } = log.view()
    expect(spending.total).toMatchObject({ calls: 0, cost: 0, tries: 1, failedTries: 1 })
    expect(spending.total.perhaps).toEqual({ input: 5, output: 7, cost: 0.5 })
    expect(callsInFlight).toBe(0)
    expect(failedTries).toEqual({ server: 1 })
    expect(lastFailure).toEqual({ at: log.at, kind: 'server', message: 'overloaded' })
    const unpriced = failing({ input: 5, output: 7 }).view().spending.roles.judge?.perhaps
    expect(unpriced).toEqual({ input: 5, output: 7, cost: 0 })
    expect(failing().view().spending.total.perhaps).toEqual({ input: 0, output: 0, cost: 0 })
  })

  it('is kept as it was when each step began and ended', () => {
    const log = new LogBuilder().start().call('baseline', 0, 0)
    log.add('step.started', { epoch: 1, step: 1, budget: 4, tasks: ['a'], skill: seedHash })
    log.call('rollout', 1, 1).call('reflect', 1, 1)
    expect(log.view().steps[0]).toMatchObject({ spentFrom: { calls: 1, input: 100 }, spentTo: undefined })
    log
      .add('step.finished', { epoch: 1, step: 1, outcome: 'no-edits', skill: seedHash })
      .call('rollout', 1, 2)
    expect(log.view().steps[0]).toMatchObject({ spentFrom: { calls: 1 }, spentTo: { calls: 3, input: 300 } })
    expect(log.view().spending.total.calls).toBe(4)
  })

  it('never counts negative calls in flight, even if a log begins in the middle', () => {
    const log = new LogBuilder().start().call('rollout', 1, 1)
    const lone = log.events.filter(event => event.type !== 'call.started')
    const half = new LogBuilder()
    half.events.push(...lone)
    expect(half.view().callsInFlight).toBe(0)
  })
})
