import { expect, it } from 'vitest'
import { finish, sampleLog } from '../../../test/support/sample-run.js'
import { timeLeft } from '../../core/view/time-left.js'
import { ViewTracker } from './view-tracker.js'

it('joins the past and what arrives while it is read, counting nothing twice', async () => {
  const log = finish(sampleLog())
  const tracker = new ViewTracker()
  let give = () => {}
  const past = new Promise<ReturnType<typeof log.view>>(resolve => {
    // The reader of the past was slow, so it saw three events that were delivered as well.
    give = () => resolve(log.view(23))
  })
  const loading = tracker.load(past)
  for (const event of log.events.slice(20, 40)) tracker.add(event)
  give()
  await loading
  for (const event of log.events.slice(40)) tracker.add(event)
  expect(tracker.view).toEqual(log.view())
})

it('goes on without a past that cannot be read', async () => {
  const log = sampleLog()
  const tracker = new ViewTracker()
  const loading = tracker.load(Promise.reject(new Error('unreadable')))
  for (const event of log.events) tracker.add(event)
  await expect(loading).rejects.toThrow('unreadable')
  expect(tracker.view).toEqual(log.view())
})

it('guesses the time left from the attempts to come', () => {
  const log = sampleLog()
  expect(timeLeft(log.view(5), log.at)).toBeUndefined()
  // 20 attempts are done; no step is left, four tests of ten tasks are.
  const view = log.view()
  expect(timeLeft(view, view.lastAt)).toBeCloseTo(view.activeMs * 2)
  expect(timeLeft(finish(log).view(), log.at)).toBeUndefined()
})
