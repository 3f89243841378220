import { expect, it } from 'vitest'
import { createView, noSpending, type RunView, type StepView } from '../../core/view/fold.js'
import { historyOf } from './history.js'

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
  const measured = historyOf([{ view: training, comparable: alike }])
  expect(measured).toMatchObject({ runs: ['skill-002'], callsPerAttempt: 2 })
  expect(measured?.target).toMatchObject({ hasTrained: true, usage: { calls: 200, output: 400 } })
  expect(measured?.counts).toMatchObject({
    trainings: [{ steps: 4, accepted: 1 }],
    lengths: { sum: 4, count: 1 },
    unproposed: { sum: 1, count: 4 },
    analysts: { sum: 20, count: 4 },
    merges: { sum: 8, count: 4 },
    // Two thirds of the 90 calls are the target's, at two per attempt: 30 attempts on 10 tasks.
    validation: { splits: 3, currents: 2, rejected: 2 },
  })
})

it('uses only measurements that match the settings, and no decisions of a stopped run', () => {
  const lengthsOnly = { ...alike, optimizer: false, reflection: false, gate: false, plan: false }
  const known = historyOf([{ view: training, comparable: lengthsOnly }])
  expect(known?.optimizer).toBeUndefined()
  expect(known?.counts).toMatchObject({ trainings: [], merges: { sum: 0, count: 0 } })
  const none = { ...lengthsOnly, target: false }
  expect(historyOf([{ view: training, comparable: none }])).toBeUndefined()
  const stopped = historyOf([{ view: { ...training, outcome: 'interrupted' }, comparable: alike }])
  expect(stopped?.counts).toMatchObject({
    trainings: [{ steps: 4, accepted: 1 }],
    lengths: { sum: 0, count: 0 },
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
  const both = historyOf([training, attempt].map(view => ({ view, comparable: alike })))
  expect(both).toMatchObject({ runs: ['skill-002', 'eval of skill'], target: { usage: { calls: 200 } } })
  const alone = historyOf([{ view: attempt, comparable: alike }])
  expect(alone).toMatchObject({ target: { hasTrained: false, usage: { output: 9 } }, optimizer: undefined })
  const probed = historyOf([{ view: { ...training, kind: 'probe', steps: [] }, comparable: alike }])
  expect(probed?.counts).toMatchObject({ trainings: [], merges: { sum: 8, count: 1 } })
})
