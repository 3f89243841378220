import { describe, expect, it } from 'vitest'
import { shownBook, sleepBook, sleepTask } from '../../../test/support/sleep-book.js'
import { InputError } from '../../core/errors/errors.js'
import type { SleepTask, TaskBook } from '../model/sleep-task.js'
import { dropTasks } from './change.js'
import { takeReviewed } from './review.js'

const book = shownBook('/shop')
const at = new Date('2026-10-09T10:00:00Z')

function take(file: TaskBook, ours: TaskBook = book, force = false) {
  return takeReviewed(ours, file, { shownAs: 'tasks.yaml', at, force })
}

const reviewed = (tasks: readonly SleepTask[] = book.tasks): TaskBook => ({
  ...book,
  reviewed: true,
  tasks: [...tasks],
})

const first = (change: Partial<SleepTask>) =>
  reviewed(book.tasks.map((task, index) => (index === 0 ? { ...task, ...change } : task)))

const nothing = { changed: [], added: [], dropped: [], kept: [], stayDropped: [], warnings: [] }

describe('a reviewed file', () => {
  it('marks its tasks as reviewed and changes nothing else', () => {
    const { book: taken, ...result } = take(reviewed())
    expect(result).toEqual(nothing)
    expect(taken).toEqual({ ...book, tasks: book.tasks.map(task => ({ ...task, reviewed: true })) })
  })

  it.each([
    { intent: 'Write the message.' },
    { rubric: ['It is short.'] },
    { checks: [{ op: 'min_chars' as const, arg: 1 }] },
  ])('whose words are others was written by a person: %j', change => {
    const { book: taken, changed } = take(first(change))
    expect(changed).toEqual(['write-commit-messages'])
    expect(taken.tasks[0]).toEqual({ ...book.tasks[0], ...change, writtenBy: 'person', reviewed: true })
    expect(taken.tasks[1]?.writtenBy).toBe('heuristics')
  })

  it('can set and remove a skill without changing the author', () => {
    const named = take(first({ skill: 'commits' }))
    expect(named.changed).toEqual(['write-commit-messages'])
    expect(named.book.tasks[0]).toMatchObject({ skill: 'commits', writtenBy: 'openai/gpt-5.4' })
    expect(take(reviewed(), named.book).book.tasks[0]).not.toHaveProperty('skill')
  })

  it('can set and remove tools without changing the author', () => {
    const tools = [{ name: 'search', result: 'Found.' }]
    const given = take(first({ tools }))
    expect(given.changed).toEqual(['write-commit-messages'])
    expect(given.book.tasks[0]).toMatchObject({ tools, writtenBy: 'openai/gpt-5.4' })
    expect(take(reviewed(), given.book).book.tasks[0]).not.toHaveProperty('tools')
  })

  it('changes neither evidence, examples nor split', () => {
    const { book: taken, warnings } = take(
      first({ split: 'held-back', family: 'f', examples: [], evidence: sleepTask('x').evidence }),
    )
    expect(taken.tasks[0]).toEqual({ ...book.tasks[0], reviewed: true })
    expect(warnings).toEqual([
      'Task "write-commit-messages" stays in split train: a file cannot move it to held-back.',
      'Task "write-commit-messages" stays in family write-commit-messages: a file cannot move it to f.',
    ])
  })

  it('drops tasks that were removed from it', () => {
    const { book: taken, dropped } = take(reviewed(book.tasks.slice(1)))
    expect(dropped).toEqual(['write-commit-messages'])
    expect(taken.dropped).toEqual([
      {
        id: 'write-commit-messages',
        intent: book.tasks[0]?.intent,
        at: at.toISOString(),
        requestIds: ['write-commit-messages-r1'],
        task: book.tasks[0],
      },
    ])
    expect(taken.tasks.map(({ id }) => id)).toEqual(['update-the-changelog', 'review-a-migration'])
  })

  it('drops no task that may be newer than the file', () => {
    const newer = { ...book, harvestedAt: '2026-10-09T03:17:00Z' }
    const { book: taken, dropped, kept } = take(reviewed(book.tasks.slice(1)), newer)
    expect({ dropped, kept }).toEqual({ dropped: [], kept: ['write-commit-messages'] })
    expect(taken.tasks.map(task => task.reviewed)).toEqual([false, true, true])
    expect(taken.dropped).toEqual([])
  })

  it('does not restore tasks that were dropped since', () => {
    const ours = dropTasks(book, new Set(['review-a-migration']), at)
    const { book: taken, stayDropped, added } = take(reviewed(), ours)
    expect({ stayDropped, added }).toEqual({ stayDropped: ['review-a-migration'], added: [] })
    expect(taken.tasks).toHaveLength(2)
    expect(taken.dropped).toHaveLength(1)
  })

  it('may add new tasks if they fit', () => {
    const extra = sleepTask('extra', { reviewed: true })
    expect(take(reviewed([...book.tasks, extra])).added).toEqual(['extra'])
    const misfit = { ...extra, family: 'review-a-migration' }
    expect(() => take(reviewed([...book.tasks, misfit]))).toThrow(
      'tasks.yaml: task "extra" does not fit: its family "review-a-migration" is in train, and with task "review-a-migration" in test.',
    )
  })
})

describe('is refused', () => {
  it('if it is not marked as reviewed', () => {
    expect(() => take({ ...reviewed(), reviewed: false })).toThrow(InputError)
    expect(() => take({ ...reviewed(), reviewed: false })).toThrow(/tasks\.yaml says "reviewed: false"/)
  })

  it('for another project, unless forced', () => {
    const theirs = { ...sleepBook('/desk', [sleepTask('desk', { reviewed: true })]), reviewed: true }
    expect(() => take(theirs)).toThrow('tasks.yaml holds tasks of another project, /desk.')
    const { added, book: taken } = take(theirs, sleepBook('/shop', []), true)
    expect({ added, project: taken.project }).toEqual({ added: ['desk'], project: '/shop' })
  })
})
