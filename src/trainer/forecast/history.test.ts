import { expect, it } from 'vitest'
import { createView, noSpending, type RunView, type StepView } from '../../core/view/fold.js'
import { measuredIn } from './history.js'

const alike = { target: true, optimizer: true, reflection: true, gate: true, plan: true }
const calls = (count: number, more: object = {}) => ({ ...noSpending, calls: count, ...more })

function step(number: number, outcome: StepView['outcome'], action?: 'accept' | 'reject'): StepView {
  const gate = action && ({ action } as StepView['gate'])
  return { step: number, outcome, gate } as unknown as StepView
}

/** Four steps, one of them accepted; two calls per attempt; a judge that votes once per attempt. */
const training: RunView = {
  ...createView(),
  run: 'skill-002',
  outcome: 'finished',
  tasks: { train: 40, val: 10, test: 0 },
  attempts: { scored: 90, failed: 10, cached: 0 },
  steps: [
    step(1, 'accepted', 'accept'),
    step(2, 'rejected', 'reject'),
    step(3, 'no-edits'),
    step(4, 'rejected', 'reject'),
  ],
  spending: {
    total: noSpending,
    roles: {
      target: calls(200, { input: 2000, output: 400 }),
      judge: calls(100),
      optimizer: calls(30, { output: 900 }),
    },
    stages: {
      baseline: calls(30),
      gate: calls(60),
      reflect: calls(20),
      aggregate: calls(6),
      select: calls(2),
    },
  },
}

it('counts the outcomes of steps and their cost', () => {
  const measured = measuredIn([{ view: training, isAlike: alike }])
  expect(measured).toMatchObject({ runs: ['skill-002'], callsPerAttempt: 2 })
  expect(measured?.target).toMatchObject({ hasTrained: true, usage: { calls: 200, output: 400 } })
  expect(measured?.counts).toMatchObject({
    courses: [{ steps: 4, accepted: 1 }],
    lengths: { sum: 4, among: 1 },
    unproposed: { sum: 1, among: 4 },
    analysts: { sum: 20, among: 4 },
    merges: { sum: 8, among: 4 },
    // Two thirds of the 90 calls are the target's, at two per attempt: 30 attempts on 10 tasks.
    validation: { splits: 3, currents: 2, rejected: 2 },
  })
})

it('uses only measurements that match the settings, and no decisions of a stopped run', () => {
  const lengthsOnly = { ...alike, optimizer: false, reflection: false, gate: false, plan: false }
  const known = measuredIn([{ view: training, isAlike: lengthsOnly }])
  expect(known?.optimizer).toBeUndefined()
  expect(known?.counts).toMatchObject({ courses: [], merges: { sum: 0, among: 0 } })
  const none = { ...lengthsOnly, target: false }
  expect(measuredIn([{ view: training, isAlike: none }])).toBeUndefined()
  const stopped = measuredIn([{ view: { ...training, outcome: 'interrupted' }, isAlike: alike }])
  expect(stopped?.counts).toMatchObject({
    courses: [{ steps: 4, accepted: 1 }],
    lengths: { sum: 0, among: 0 },
    validation: { rejected: 0 },
  })
})

it('ignores attempts with the first skill if a training is known, and counts a probe as a merge step', () => {
  const attempt: RunView = {
    ...createView(),
    kind: 'eval',
    run: 'skill',
    attempts: { scored: 1, failed: 0, cached: 0 },
    spending: { ...training.spending, roles: { target: calls(1, { output: 9 }) }, stages: {} },
  }
  const both = measuredIn([training, attempt].map(view => ({ view, isAlike: alike })))
  expect(both).toMatchObject({ runs: ['skill-002', 'eval of skill'], target: { usage: { calls: 200 } } })
  const alone = measuredIn([{ view: attempt, isAlike: alike }])
  expect(alone).toMatchObject({ target: { hasTrained: false, usage: { output: 9 } }, optimizer: undefined })
  const probed = measuredIn([{ view: { ...training, kind: 'probe', steps: [] }, isAlike: alike }])
  expect(probed?.counts).toMatchObject({ courses: [], merges: { sum: 8, among: 1 } })
})
