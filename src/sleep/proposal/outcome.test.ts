import { expect, it } from 'vitest'
import { LogBuilder, sampleLog, seedHash, worseHash } from '../../../test/support/sample-run.js'
import type { EventBody } from '../../core/log/event.js'
import { nothingNew, spentOf } from './outcome.js'

type Outcome = EventBody<'step.finished'>['outcome']

function viewOf(outcome: Outcome, decision?: 'reject' | 'abstain', because?: string) {
  const at = { epoch: 1, step: 1 }
  const log = new LogBuilder().start()
  log.add('step.started', { ...at, tasks: [], skill: seedHash })
  if (decision !== undefined) {
    log.add('update.finished', { ...at, skill: worseHash, text: log.put(''), reports: [] })
    log.add('gate.decided', {
      ...at,
      what: 'step',
      candidate: worseHash,
      current: 1,
      score: 0,
      best: 1,
      action: decision,
      verdict: { decision, complete: true, reason: 'The reason.' },
    })
  }
  log.add('step.finished', { ...at, outcome, skill: seedHash })
  return log.add('run.finished', { best: 0, last: 1, score: 1, because }).view()
}

const capped = new LogBuilder()
  .start()
  .add('step.started', { epoch: 1, step: 1, tasks: [], skill: seedHash })
  .add('run.stopped', { reason: 'cap', message: 'The cap of 3 calls is reached.' })
  .view()

it.each([
  [viewOf('rejected', 'reject'), 'One change was tried, and the gate rejected it: The reason.'],
  [viewOf('abstained', 'abstain'), 'What was tried could not be judged: The reason.'],
  [viewOf('optimizer-failed'), 'The replies of the optimizer could not be used.'],
  [viewOf('nothing-applied'), 'No change that was proposed could be made.'],
  [viewOf('no-edits', undefined, 'no failures left'), 'Every task to learn from was solved already.'],
  [viewOf('no-edits'), 'There was nothing to change.'],
  [new LogBuilder().start().view(), 'Nothing was tried.'],
  [capped, 'Nothing could be judged before the cap was reached.'],
])('says why nothing is new (%#)', (view, sentence) => {
  expect(nothingNew(view)).toBe(sentence)
})

it('sums the usage of runs, and counts unknown usage', () => {
  const view = sampleLog().call('test', 0, 0, { usage: {}, cost: undefined }).view()
  const { calls, input, output, cost } = view.spending.total
  expect(spentOf([view, view])).toEqual({
    calls: 2 * calls,
    tokens: 2 * (input + output),
    cost: 2 * cost,
    unknownUsage: 2,
    unknownCost: 2,
    activeMs: 2 * view.activeMs,
  })
  expect(spentOf([])).toEqual({ calls: 0, tokens: 0, cost: 0, unknownUsage: 0, unknownCost: 0, activeMs: 0 })
})
