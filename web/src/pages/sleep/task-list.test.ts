import { describe, expect, it } from 'vitest'
import type { SleepTaskLine } from '../../../../src/dashboard/contract/sleep.js'
import { groupFrom, inGroup, tasksShown } from './task-list.js'

const task = (id: string, given: Partial<SleepTaskLine> = {}): SleepTaskLine => ({
  id,
  intent: `Do ${id}.`,
  split: 'train',
  origin: 'real',
  scoredBy: 'rubric',
  writtenBy: 'person',
  reviewed: false,
  occasions: 2,
  requests: 2,
  sessions: 2,
  days: 2,
  reworked: 0,
  score: 1,
  ...given,
})
const tasks = [
  task('commit', { score: 3, intent: 'Write a commit message.', occasions: 4 }),
  task('changelog', { score: 9, split: 'val', occasions: 3, lastAt: '2026-10-07T00:00:00Z' }),
  task('review', { score: 5, split: 'test', occasions: 9 }),
  task('gone', { score: 20, droppedAt: '2026-10-09T00:00:00Z' }),
]
const ids = (shown: readonly SleepTaskLine[]) => shown.map(({ id }) => id)
const plain = { group: 'all', words: '', sort: undefined } as const

describe('the list of tasks', () => {
  it('shows what recurs most first, and dropped tasks only when asked', () => {
    expect(ids(tasksShown(tasks, plain))).toEqual(['changelog', 'review', 'commit'])
    expect(ids(tasksShown(tasks, { ...plain, group: 'dropped' }))).toEqual(['gone'])
    expect(ids(inGroup(tasks, 'val'))).toEqual(['changelog'])
    expect(groupFrom('nonsense')).toBe('all')
    expect(groupFrom('held-back')).toBe('held-back')
  })

  it('finds all of the words, in the intent or the id', () => {
    expect(ids(tasksShown(tasks, { ...plain, words: 'WRITE commit' }))).toEqual(['commit'])
    expect(ids(tasksShown(tasks, { ...plain, words: 'review commit' }))).toEqual([])
    expect(ids(tasksShown(tasks, { ...plain, words: 'gone' }))).toEqual([])
  })

  it('sorts by a column; what has no value comes last', () => {
    const by = (key: string, descending: boolean) =>
      ids(tasksShown(tasks, { ...plain, sort: { key, descending } }))
    expect(by('occasions', true)).toEqual(['review', 'commit', 'changelog'])
    expect(by('last', false)[0]).toBe('changelog')
    expect(by('last', true)[0]).toBe('changelog')
    expect(by('constructor', true)).toEqual(ids(tasksShown(tasks, plain)))
  })
})
