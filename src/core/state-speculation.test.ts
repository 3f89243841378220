import { expect, it } from 'vitest'
import { bestHash, LogBuilder, seedHash } from '../../test/support/sample-run.js'

const started = (log: LogBuilder, step: number, skill: string) =>
  log.add('step.started', { epoch: 1, step, budget: 4, tasks: ['t1'], skill })

it('counts rollouts of a step that has not begun, until it shows what they were for', () => {
  const log = new LogBuilder().start()
  started(log, 1, seedHash).call('rollout', 1, 1).call('gate', 1, 1)
  expect(log.view().speculation).toEqual({ calls: 0, open: 0, wasted: 0 })
  log.call('rollout', 1, 2).call('rollout', 1, 2, { role: 'judge' })
  expect(log.view().speculation).toEqual({ calls: 2, open: 2, wasted: 0 })
  started(log, 2, seedHash).call('rollout', 1, 2)
  expect(log.view().speculation).toEqual({ calls: 2, open: 0, wasted: 0 })
  log.call('rollout', 1, 3)
  started(log, 3, bestHash)
  expect(log.view().speculation).toEqual({ calls: 3, open: 0, wasted: 1 })
})

it('counts a call once, however often it is tried', () => {
  const log = started(new LogBuilder().start(), 1, seedHash)
  const call = { stage: 'rollout', epoch: 1, step: 2, role: 'target' } as const
  const reserved = { input: 1, output: 1 }
  log.add('call.started', { ...call, try: 1, reserved }).add('call.started', { ...call, try: 2, reserved })
  expect(log.view().speculation.calls).toBe(1)
})
