import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sleepBook, sleepTask } from '../../../test/support/sleep-book.js'
import { InputError } from '../../core/errors/errors.js'
import type { TaskBook } from '../model/sleep-task.js'
import { readNightTasks } from './review.js'

let cwd = ''
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-night-tasks-'))
})
afterAll(() => rm(cwd, { recursive: true }))

const rubric = ['It is right.']
const tasks = [
  sleepTask('a', { rubric }),
  sleepTask('b', { rubric, split: 'val' }),
  sleepTask('c', { split: 'held-back' }),
]
const reading = async (book: TaskBook) => {
  await writeFile(join(cwd, 'tasks.json'), JSON.stringify(book))
  return readNightTasks('tasks.json', { project: '/shop', cwd })
}
const reviewed = { ...sleepBook('/shop', tasks), reviewed: true }

describe('readNightTasks', () => {
  it('returns the tasks of a reviewed file that are in a split, unchanged', async () => {
    const found = await reading(reviewed)
    expect(found.map(({ id, split, reviewed }) => [id, split, reviewed])).toEqual([
      ['a', 'train', true],
      ['b', 'val', true],
    ])
  })

  it.each<[string, TaskBook, RegExp]>([
    ['that nobody has read', sleepBook('/shop', tasks), /^tasks\.json says "reviewed: false"/],
    [
      'of another project',
      { ...reviewed, project: '/other' },
      /^tasks\.json holds tasks of another project, \/other/,
    ],
    [
      'with what nothing can score',
      { ...reviewed, tasks: [...tasks, sleepTask('d', {}), sleepTask('e', { split: 'test' })] },
      /^tasks\.json: nothing can score d, e\.$/,
    ],
    [
      'in which one split tells another',
      { ...reviewed, tasks: [...tasks, sleepTask('d', { rubric, split: 'test', family: 'a' })] },
      /its family "a" is in test/,
    ],
  ])('refuses a file %s', async (_what, book, message) => {
    const error = await reading(book).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InputError)
    expect((error as Error).message).toMatch(message)
  })

  it('names the file as given if it is missing or not a task file', async () => {
    const options = { project: '/shop', cwd }
    await expect(readNightTasks('no.yaml', options)).rejects.toThrow(/no\.yaml/)
    await expect(readNightTasks('tasks.txt', options)).rejects.toThrow(
      'tasks.txt: a file of tasks ends in .yaml, .yml or .json.',
    )
  })
})
