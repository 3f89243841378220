import { expect, it } from 'vitest'
import { finish, sampleLog } from '../../../test/support/sample-run.js'
import { timeLeft } from '../../core/view/time-left.js'
import { ViewTracker } from './view-tracker.js'

it('merges the log with events that arrive while it is read, counting none twice', async () => {
  const log = finish(sampleLog())
  const tracker = new ViewTracker()
  let give = () => {}
  const past = new Promise<ReturnType<typeof log.view>>(resolve => {
    // The log reader was slow, so it also saw three events that were delivered directly.
    give = () => resolve(log.view(23))
  })
  const loading = tracker.load(past)
  for (const event of log.events.slice(20, 40)) tracker.add(event)
  give()
  await loading
  for (const event of log.events.slice(40)) tracker.add(event)
  expect(tracker.view).toEqual(log.view())
})

it('continues without a log that cannot be read', async () => {
  const log = sampleLog()
  const tracker = new ViewTracker()
  const loading = tracker.load(Promise.reject(new Error('unreadable')))
  for (const event of log.events) tracker.add(event)
  await expect(loading).rejects.toThrow('unreadable')
  expect(tracker.view).toEqual(log.view())
})

it('estimates the time left from the remaining attempts', () => {
  const log = sampleLog()
  expect(timeLeft(log.view(5), log.at)).toBeUndefined()
  // 20 attempts are done; no steps are left, but four tests of ten tasks each are.
  const view = log.view()
  expect(timeLeft(view, view.lastAt)).toBeCloseTo(view.activeMs * 2)
  expect(timeLeft(finish(log).view(), log.at)).toBeUndefined()
})
