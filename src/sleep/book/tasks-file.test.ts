import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { shownBook, sleepBook, sleepTask } from '../../../test/support/sleep-book.js'
import { InputError } from '../../core/errors/errors.js'
import type { SleepTask, TaskBook } from '../model/sleep-task.js'
import { dropTasks } from './change.js'
import { checkTasksFile, readTasksFile, writeTasksFile } from './tasks-file.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-tasks-file-'))
})
afterAll(() => rm(folder, { recursive: true }))

const book = shownBook('/shop')

describe('checkTasksFile', () => {
  it('reports an unwritable file before any work is done', async () => {
    await writeFile(join(folder, 'plain'), '')
    const inFile = checkTasksFile(join(folder, 'plain', 'below', 'a.yaml'), {
      force: false,
      shownAs: 'a.yaml',
    })
    await expect(inFile).rejects.toThrow(
      'a.yaml could not be written: part of the path is a file, not a folder.',
    )
    await checkTasksFile(join(folder, 'not', 'made', 'yet.yaml'), { force: false })
    expect(await readdir(folder)).not.toContain('not')
  })
})

describe('a file of tasks', () => {
  it.each(['a.yaml', 'a.yml', 'a.json', 'deeper/a.yaml'])('%s is read as it was written', async name => {
    const path = join(folder, name)
    await writeTasksFile(path, book, { force: false })
    const { book: read, warnings } = await readTasksFile(path)
    expect(read).toEqual(book)
    expect(warnings).toEqual([expect.stringMatching(/^Task "update-the-changelog": It has neither/)])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('begins with instructions and leaves out dropped tasks', async () => {
    const path = join(folder, 'head.yaml')
    await writeTasksFile(path, dropTasks(book, new Set(['review-a-migration']), new Date()), { force: false })
    const text = await readFile(path, 'utf8')
    expect(text).toMatch(/^# What recurs[\s\S]*write "reviewed: true"[\s\S]*tasks import FILE\n\nformat:/)
    expect(text).toContain('\nreviewed: false\n')
    expect(text).not.toContain('review-a-migration')
    expect(text.match(/reviewed:/g)).toHaveLength(2)
  })

  it('holds any text that a person may have typed', async () => {
    const odd = [
      '---\nreviewed: true',
      '# no comment',
      'a: b\t\u0007\u009b31m\u202e',
      ' "é" \\n ',
      '{x',
      '~',
      'yes',
    ]
    const examples = odd.map((text, index) => ({ text, session: `s:${index}` }))
    const strange = sleepBook('/shop', [sleepTask('odd', { intent: odd.join('\n'), rubric: odd, examples })])
    const path = join(folder, 'odd.yaml')
    await writeTasksFile(path, strange, { force: false })
    expect((await readTasksFile(path)).book).toEqual(strange)
  })

  it('is only replaced with force, and no temporary file is left', async () => {
    const inner = join(folder, 'kept')
    const path = join(inner, 'tasks.yaml')
    await writeTasksFile(path, book, { force: false })
    const again = writeTasksFile(path, sleepBook('/shop', []), { force: false, shownAs: 'tasks.yaml' })
    await expect(again).rejects.toThrow('tasks.yaml already exists; nothing was written.')
    expect((await readTasksFile(path)).book.tasks).toHaveLength(3)
    await writeTasksFile(path, sleepBook('/shop', []), { force: true })
    expect((await readTasksFile(path)).book.tasks).toEqual([])
    expect(await readdir(inner)).toEqual(['tasks.yaml'])
  })

  it('that is reviewed has reviewed tasks', async () => {
    const { book: read } = await readAs(given => ({ ...given, reviewed: true }))
    expect(read.tasks.map(({ reviewed }) => reviewed)).toEqual([true, true, true])
  })
})

type Plain = Record<string, unknown> & { tasks: (Record<string, unknown> & SleepTask)[] }

/** Writes the tasks with a change and reads them back. */
async function readAs(change: (given: Plain) => unknown, shown: TaskBook = book) {
  const path = join(folder, 'changed.yaml')
  await writeTasksFile(path, shown, { force: true })
  const given = parse(await readFile(path, 'utf8')) as Plain
  await writeFile(path, stringify(change(given)))
  return readTasksFile(path, 'changed.yaml')
}

const withTask = (change: object) => (given: Plain) => ({
  ...given,
  tasks: given.tasks.map((task, index) => (index === 0 ? { ...task, ...change } : task)),
})

describe('mistakes', () => {
  it.each<[string, (given: Plain) => unknown, RegExp]>([
    ['no tasks at all', () => 'hello', /must be a section/],
    ['nothing', () => null, /must be a section/],
    [
      'no format',
      ({ format: _, ...rest }) => rest,
      /format is missing: it must be "skillopt.sleep.tasks.v1"/,
    ],
    ['a newer format', given => ({ ...given, format: 'skillopt.sleep.tasks.v9' }), /of a newer format/],
    [
      'an unknown key',
      withTask({ rubrik: [] }),
      /task "write-commit-messages": rubrik is not an option \(changed\.yaml:\d+\)/,
    ],
    ['an id with a space', withTask({ id: 'a b' }), /small letters, digits and dashes only, but is "a b"/],
    [
      'a check that there is not',
      withTask({ checks: [{ op: 'contans', arg: 'x' }] }),
      /task "write-commit-messages": checks\.0\.op must be one of contains, .*no_refusal, but is "contans" \(changed\.yaml:\d+\)/,
    ],
    [
      'a length in words',
      withTask({ checks: [{ op: 'max_chars', arg: 'few' }] }),
      /checks\.0\.arg must be a whole number of at least 0, but is "few"/,
    ],
    [
      'a pattern that is none',
      withTask({ checks: [{ op: 'regex', arg: '(' }] }),
      /task "write-commit-messages": has a check with the malformed pattern \/\(\/.*\(changed\.yaml:\d+\)/,
    ],
    [
      'an unknown split',
      withTask({ split: 'dev' }),
      /split must be one of divided, train, val, test, held-back, but is "dev"/,
    ],
    [
      'an id twice',
      withTask({ id: 'review-a-migration' }),
      /its id is used by an earlier task \(changed\.yaml:\d+\)/,
    ],
    [
      'a family in two splits',
      withTask({ family: 'update-the-changelog' }),
      /its family "update-the-changelog" is in val, and with task "write-commit-messages" in train \(changed\.yaml:\d+\)/,
    ],
    [
      'a session in two splits',
      withTask({ examples: [{ request: 'r', session: 'codex:b771', text: 'x' }] }),
      /its session "codex:b771" is in val, and with task "write-commit-messages" in train/,
    ],
    [
      'a dream that measures',
      withTask({ origin: 'dream', split: 'val', family: 'f' }),
      /only what was asked may measure/,
    ],
    [
      'a dream of what is held out',
      withTask({ origin: 'dream', derivedFrom: 'review-a-migration' }),
      /it was made of task "review-a-migration", which is in test, and is in train/,
    ],
  ])('%s', async (_, change, message) => {
    const read = readAs(change)
    await expect(read).rejects.toThrow(InputError)
    await expect(read).rejects.toThrow(message)
  })

  it('are reported all at once', async () => {
    const read = readAs(withTask({ intent: '', split: 'dev', checks: [{ op: 'regex' }] }))
    await expect(read).rejects.toThrow(
      /changed\.yaml has 3 problems:[\s\S]*intent[\s\S]*checks\.0\.arg[\s\S]*split/,
    )
  })

  it('are reported with their line', async () => {
    const path = join(folder, 'lines.yaml')
    await writeTasksFile(path, book, { force: true })
    const text = (await readFile(path, 'utf8')).replace('split: val', 'split: dev')
    await writeFile(path, text)
    const line = text.split('\n').findIndex(one => one.includes('split: dev')) + 1
    await expect(readTasksFile(path, 'lines.yaml')).rejects.toThrow(`(lines.yaml:${line})`)
  })

  it.each([
    ['broken.yaml', 'tasks: [', /broken\.yaml is not valid YAML, line 1/],
    ['broken.json', '{"tasks": ', /broken\.json is not valid JSON/],
    ['words.yaml', 'hello', /the text must be a section with format, project, .*, but is a single value/],
    ['list.json', '[]', /the text must be a section .*, but is a list/],
    ['empty.yaml', '', /the text must be a section .*, but is empty/],
    ['tasks.txt', '', /a file of tasks ends in \.yaml, \.yml or \.json/],
    [
      'bomb.yaml',
      `a: &a [1]\n${'bcdefgh'.replace(/./g, letter => `${letter}: &${letter} [*${before(letter)}, *${before(letter)}, *${before(letter)}, *${before(letter)}]\n`)}`,
      /cannot be read: Excessive alias count/,
    ],
  ])('%s cannot be read', async (name, text, message) => {
    await writeFile(join(folder, name), text)
    const read = readTasksFile(join(folder, name), name)
    await expect(read).rejects.toThrow(InputError)
    await expect(read).rejects.toThrow(message)
  })

  it('a missing file is reported as missing', async () => {
    const read = readTasksFile(join(folder, 'nowhere.yaml'), 'nowhere.yaml')
    await expect(read).rejects.toThrow('nowhere.yaml cannot be read: there is no such file.')
    await expect(writeTasksFile(join(folder, 'a.txt'), book, { force: true })).rejects.toThrow(InputError)
  })
})

function before(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) - 1)
}
