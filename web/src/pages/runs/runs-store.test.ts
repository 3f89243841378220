import { beforeEach, expect, it } from 'vitest'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import type { StreamListener } from '../../api/client.js'
import { RunsStore } from './runs-store.js'
import { testRun } from './test-run.js'

let now: number
let timers: { readonly at: number; readonly callback: () => void }[]
let stream: StreamListener | undefined
let opened: number
let store: RunsStore

beforeEach(() => {
  now = 0
  timers = []
  opened = 0
  store = new RunsStore({
    open(listener) {
      opened++
      stream = listener
      return () => {
        stream = undefined
      }
    },
    now: () => now,
    later(milliseconds, callback) {
      const timer = { at: now + milliseconds, callback }
      timers.push(timer)
      return () => {
        timers = timers.filter(other => other !== timer)
      }
    },
  })
})

function pass(milliseconds: number): void {
  now += milliseconds
  const due = timers.filter(({ at }) => at <= now)
  timers = timers.filter(({ at }) => at > now)
  for (const { callback } of due) callback()
}

/** As from the server: equal objects that are never identical. */
const tell = (...runs: RunSummary[]) => stream?.message('runs', structuredClone(runs))

it('opens one stream for all who listen, and shows the first list at once', () => {
  let heard = 0
  store.subscribe(() => heard++)
  store.subscribe(() => undefined)
  expect(opened).toBe(1)
  expect(store.current().runs).toBeUndefined()
  tell(testRun({ id: 'a' }))
  expect(store.current().runs).toHaveLength(1)
  expect(heard).toBe(1)
})

it('shows the last of many lists that come at once, after a pause', () => {
  let heard = 0
  store.subscribe(() => heard++)
  tell(testRun({ id: 'a', step: 1 }))
  for (let step = 2; step <= 50; step++) tell(testRun({ id: 'a', step }))
  expect(store.current().runs?.[0]?.step).toBe(1)
  pass(499)
  expect(heard).toBe(1)
  pass(1)
  expect(store.current().runs?.[0]?.step).toBe(50)
  expect(heard).toBe(2)
})

it('keeps what has not changed', () => {
  let heard = 0
  store.subscribe(() => heard++)
  tell(testRun({ id: 'a' }), testRun({ id: 'b' }))
  const before = store.current().runs
  pass(1000)
  tell(testRun({ id: 'a' }), testRun({ id: 'b' }))
  expect(store.current().runs).toBe(before)
  expect(heard).toBe(1)
  pass(1000)
  tell(testRun({ id: 'a' }), testRun({ id: 'b', step: 9 }))
  expect(store.current().runs?.[0]).toBe(before?.[0])
  expect(store.current().runs?.[1]?.step).toBe(9)
})

it('notices that a run is gone, and that the order is another one', () => {
  store.subscribe(() => undefined)
  tell(testRun({ id: 'a' }), testRun({ id: 'b' }))
  pass(1000)
  tell(testRun({ id: 'b' }), testRun({ id: 'a' }))
  expect(store.current().runs?.map(({ id }) => id)).toEqual(['b', 'a'])
  pass(1000)
  tell(testRun({ id: 'b' }))
  expect(store.current().runs?.map(({ id }) => id)).toEqual(['b'])
})

it('keeps the list while the connection is lost, and shows nothing more once it is closed', () => {
  const stop = store.subscribe(() => undefined)
  tell(testRun({ id: 'a' }))
  tell(testRun({ id: 'b' }))
  stream?.connection('lost')
  expect(store.current()).toMatchObject({ connection: 'lost', runs: [{ id: 'a' }] })
  stop()
  expect(store.isWatched).toBe(false)
  store.close()
  pass(1000)
  expect(stream).toBeUndefined()
  expect(store.current().runs?.map(({ id }) => id)).toEqual(['a'])
  store.subscribe(() => undefined)
  expect(opened).toBe(2)
})
