import { describe, expect, it } from 'vitest'
import { shownBook, sleepTask } from '../../../test/support/sleep-book.js'
import { InputError } from '../../core/errors/errors.js'
import { changeTask, dropTasks, restoreTasks, withTask } from './change.js'
import { findTask, inProject } from './find-task.js'

const book = shownBook('/shop')
const at = new Date('2026-10-09T10:00:00Z')

describe('changing a task', () => {
  const task = sleepTask('one', { rubric: ['It is right.'], skill: 'ci' })

  it('keeps unspecified fields and records the author', () => {
    expect(changeTask(task, {})).toEqual(task)
    expect(changeTask(task, { intent: task.intent, rubric: ['It is right.'] })).toEqual(task)
    expect(changeTask(task, { reviewed: true })).toEqual({ ...task, reviewed: true })
    expect(changeTask(task, { rubric: [] })).toEqual({ ...task, rubric: [], writtenBy: 'person' })
    expect(changeTask(task, { skill: null })).not.toHaveProperty('skill')
  })

  it('returns a new book only if something changes', () => {
    const [first = task] = book.tasks
    expect(withTask(book, { ...first })).toBe(book)
    expect(withTask(book, task)).toBe(book)
    expect(withTask(book, { ...first, reviewed: true }).tasks.map(({ reviewed }) => reviewed)).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe('dropping and restoring', () => {
  it('are inverse operations', () => {
    const ids = new Set(['update-the-changelog'])
    const without = dropTasks(book, ids, at)
    expect(without.tasks.map(({ id }) => id)).toEqual(['write-commit-messages', 'review-a-migration'])
    expect(without.dropped).toMatchObject([{ id: 'update-the-changelog', at: at.toISOString() }])
    const { book: again, heldBack } = restoreTasks(without, ids)
    expect(heldBack).toEqual([])
    expect(again.tasks).toHaveLength(3)
    expect(again.dropped).toEqual([])
    expect(dropTasks(book, new Set(), at)).toBe(book)
  })

  it('a restored task is held back if another split now uses its session', () => {
    const without = dropTasks(book, new Set(['update-the-changelog', 'review-a-migration']), at)
    const since = sleepTask('since', { examples: [{ session: 'codex:b771' }] })
    const { book: again, heldBack } = restoreTasks(
      { ...without, tasks: [...without.tasks, since] },
      new Set(['update-the-changelog', 'review-a-migration']),
    )
    expect(heldBack).toEqual(['update-the-changelog'])
    expect(again.tasks.map(({ split }) => split)).toEqual(['train', 'train', 'held-back', 'test'])
  })
})

describe('finding a task', () => {
  const tasks = ['fix-tests', 'fix-tests-in-ci', 'fix-types', 'write-docs'].map(id => ({ id }))
  const find = (name: string) => findTask(tasks, name, inProject({ dropped: [] })).id

  it('accepts an id or a unique prefix', () => {
    expect(find('fix-tests')).toBe('fix-tests')
    expect(find('fix-tests-')).toBe('fix-tests-in-ci')
    expect(find('w')).toBe('write-docs')
  })

  it.each([
    [
      'fix-t',
      '"fix-t" can be fix-tests, fix-tests-in-ci, fix-types in this project.',
      'Write more of the id.',
    ],
    ['wrte-do', 'There is no task "wrte-do" in this project.', 'Did you mean write-docs?'],
    ['wirte', 'There is no task "wirte"', 'Did you mean write-docs?'],
    ['fix-typos', 'There is no task "fix-typos" in this project.', 'Did you mean fix-types?'],
    [
      'deploy-everything-now',
      'There is no task',
      'There are fix-tests, fix-tests-in-ci, fix-types, write-docs',
    ],
    ['', 'There is no task ""', 'There are fix-tests'],
  ])('refuses "%s"', (name, message, hint) => {
    const error = refusal(() => find(name))
    expect(error.message).toContain(message)
    expect(error.hint).toContain(hint)
  })

  it('says that the task was dropped', () => {
    const { dropped } = dropTasks(book, new Set(['write-commit-messages']), at)
    const error = refusal(() => findTask(tasks, 'write-commit', inProject({ dropped })))
    expect(error.hint).toBe(
      'It was dropped: `skillopt sleep tasks restore write-commit-messages` takes it back.',
    )
  })

  it('says that there are no tasks', () => {
    const empty = inProject({ dropped: [] })
    expect(refusal(() => findTask([], 'x', empty)).hint).toMatch(/^It has none: `skillopt sleep harvest`/)
  })
})

function refusal(work: () => unknown): InputError {
  try {
    work()
  } catch (error) {
    if (error instanceof InputError) return error
    throw error
  }
  throw new Error('It was not refused.')
}
