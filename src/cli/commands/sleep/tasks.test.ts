import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { shownBook, sleepTask } from '../../../../test/support/sleep-book.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { readBook, updateBook } from '../../../sleep/book/book.js'
import type { TaskBook } from '../../../sleep/model/sleep-task.js'
import { openProject } from '../../../sleep/settings/places.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

let home = ''
let cwd = ''
const env = () => ({ HOME: home })
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'skillopt-sleep-tasks-'))
  cwd = join(home, 'shop')
  await mkdir(cwd)
  await keep(shownBook)
})
afterEach(() => rm(home, { recursive: true }))

async function keep(make: (project: string) => TaskBook): Promise<void> {
  const { folder, root } = await openProject('.', { env: env(), cwd })
  await updateBook(folder, root, () => make(root))
}

async function book(): Promise<TaskBook> {
  const { folder, root } = await openProject('.', { env: env(), cwd })
  return readBook(folder, root)
}

async function run(...argv: string[]) {
  const io = fakeIo<Library>({ cwd, env: env() })
  const code = await main(['sleep', 'tasks', ...argv], io)
  return { code, out: io.out(), err: io.err() }
}

async function json(...argv: string[]): Promise<unknown> {
  const { code, out, err } = await run(...argv, '--json')
  expect({ code, err }).toEqual({ code: exitCodes.ok, err: '' })
  expect(out.trimEnd()).not.toContain('\n')
  return JSON.parse(out)
}

describe('sleep tasks', () => {
  it('lists what recurs most first, and how it is scored', async () => {
    const { code, out } = await run()
    expect(code).toBe(exitCodes.ok)
    expect(out).toMatch(/^task +split +times +days +reworked +scored by +written by +reviewed\nwrite-commit/)
    expect(out).toMatch(
      /write-commit-messages +train +6 +4 +2 +rubric +openai\/gpt-5\.4 +no\n {2}Write the message/,
    )
    expect(out).toMatch(/update-the-changelog +val +3 +2 +1 +nothing +heuristics +no\n/)
    expect(out).toContain('3 tasks: 1 train, 1 val, 1 test\n3 are not reviewed: `skillopt sleep tasks export')
    expect((await run('list')).out).toBe(out)
  })

  it('lists one split, or what was dropped', async () => {
    expect((await run('list', '--split', 'val')).out).toContain('1 task: 1 val\n1 is not reviewed')
    expect((await run('list', '--split', 'held-back')).out).toBe('None of the 3 tasks is in held-back.\n')
    expect((await run('list', '--dropped')).out).toBe('No task was dropped.\n')
    await run('drop', 'upd')
    expect((await run()).out).toContain('2 tasks: 1 train, 1 test · 1 dropped\n')
    expect((await run('list', '--dropped')).out).toMatch(
      /update-the-changelog[\s\S]*1 dropped task: 1 val\n$/,
    )
    expect((await run('list', '--split', 'dev')).code).toBe(exitCodes.badInput)
  })

  it('says where tasks come from while there are none', async () => {
    await keep(project => ({ ...shownBook(project), tasks: [] }))
    expect((await run()).out).toMatch(/^No tasks yet for .*shop\. `skillopt sleep harvest` finds tasks/)
    expect(await json()).toMatchObject({ tasks: [], dropped: 0 })
    expect((await run('export', 'tasks.yaml')).err).toContain('No tasks to write.')
    expect((await run('drop', 'x')).err).toContain('`skillopt sleep harvest`')
    expect(await readdir(cwd)).toEqual([])
  })

  it('leaves nothing behind in a project that it does not know', async () => {
    await mkdir(join(home, 'desk'))
    for (const command of [
      ['drop', 'x'],
      ['edit', 'x', '--reviewed'],
      ['restore', 'x'],
      ['show', 'x'],
    ])
      expect((await run(...command, '--project', '../desk')).code).toBe(exitCodes.badInput)
    expect(await readdir(join(home, '.skillopt', 'sleep', 'projects'))).toHaveLength(1)
    const missing = await run('--project', '../nowhere')
    expect(missing).toMatchObject({ code: exitCodes.badInput })
    expect(missing.err).toContain('The project ../nowhere does not exist.')
    expect((await run('show', 'rev', '--project', '.')).code).toBe(exitCodes.ok)
  })

  it('prints the same as JSON', async () => {
    expect(await json()).toMatchObject({
      harvestedAt: '2026-10-08T03:17:00Z',
      dropped: 0,
      tasks: [
        {
          id: 'write-commit-messages',
          scoredBy: 'rubric',
          skill: null,
          evidence: { occasions: 6, score: 8.5 },
        },
        { id: 'update-the-changelog', scoredBy: 'nothing' },
        { id: 'review-a-migration', scoredBy: 'checks', split: 'test' },
      ],
    })
    expect(await json('show', 'upd')).toMatchObject({
      id: 'update-the-changelog',
      scoredBy: 'nothing',
      droppedAt: null,
      weakness: expect.stringContaining('nothing can score it'),
    })
  })
})

describe('show', () => {
  it('has the evidence in the words of the person', async () => {
    const { out } = await run('show', 'wri')
    expect(out).toMatch(/^write-commit-messages {2}train, written by openai\/gpt-5\.4, not reviewed\n/)
    expect(out).toContain('rubric\n  - The subject names what changes for users.\n')
    expect(out).toContain('checks (not used: the rubric decides)\n  - max_chars 400\n')
    expect(out).toContain(
      '6 occasions on 4 days (2026-10-01 to 2026-10-07) in 1 project: 7 requests in 5 wordings\n',
    )
    expect(out).toContain('reworked on 2 occasions\n  tools: Bash, Read\n  skill: none\n')
    expect(out).toMatch(/2026-10-05 +codex:9f03 +"write a commit message for what is staged"\n/)
    expect(out).toMatch(
      /2026-10-01 +claude-code:41c2 +corrected +"no, the subject must say what changes for users"/,
    )
  })

  it('warns of what can be won too easily, and knows what was dropped', async () => {
    expect((await run('show', 'upd')).out).toContain('warning: It has neither a rubric nor checks')
    expect((await run('show', 'rev')).out).toContain('checks\n  - contains "lock"\n')
    await run('drop', 'rev')
    expect((await run('show', 'rev')).out).toMatch(
      /^review-a-migration {2}test, .*, dropped on \d{4}-\d\d-\d\d\n/,
    )
  })

  it('escapes control characters from transcripts', async () => {
    const text = 'a\u001b]0;title\u0007b\u009b2Jc\u202ed\re\u007f'
    const nasty = sleepTask('nasty', {
      intent: text,
      rubric: [text],
      checks: [{ op: 'contains', arg: text }],
      skill: text,
      writtenBy: text,
      family: text,
      examples: [{ text, session: text }],
      evidence: { failures: [{ kind: 'undo', text, session: text }], tools: [text] },
    })
    await keep(project => ({ ...shownBook(project), tasks: [nasty] }))
    for (const argv of [['show', 'nasty'], ['list'], ['show', 'nasty', '--json'], ['drop', 'nasty']]) {
      const { code, out } = await run(...argv)
      expect(code).toBe(exitCodes.ok)
      expect(out, argv.join(' ')).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
    }
    await run('restore', 'nasty')
    expect(await json('show', 'nasty')).toMatchObject({ intent: text })
  })
})

describe('drop and restore', () => {
  it('take tasks out and back, all or none', async () => {
    expect((await run('drop', 'upd', 'nothing-like-it')).code).toBe(exitCodes.badInput)
    expect((await book()).tasks).toHaveLength(3)
    const dropped = await run('drop', 'upd', 'review-a-migration', 'upd')
    expect(dropped.out).toMatch(/^dropped update-the-changelog: Add an entry.*\ndropped review-a-migration: /)
    expect((await book()).dropped.map(({ id }) => id)).toEqual(['update-the-changelog', 'review-a-migration'])
    expect((await run('restore', 'wri')).err).toContain('There is no task "wri" among the dropped ones.')
    expect(await json('restore', 'rev')).toMatchObject({ restored: ['review-a-migration'], heldBack: [] })
    expect((await run('restore', 'upd')).out).toBe('restored update-the-changelog (val)\n')
    expect(await json('drop', 'upd')).toMatchObject({ dropped: ['update-the-changelog'] })
  })

  it('say so when a task is now too near to another one', async () => {
    await run('drop', 'upd')
    const since = sleepTask('since', { family: 'update-the-changelog' })
    const { folder, root } = await openProject('.', { env: env(), cwd })
    await updateBook(folder, root, before => ({ ...before, tasks: [...before.tasks, since] }))
    const { out } = await run('restore', 'upd')
    expect(out).toBe(
      'restored update-the-changelog (held-back; newer tasks are too similar for any other split)\n',
    )
  })
})

describe('export and import', () => {
  const file = () => join(cwd, 'tasks.yaml')
  const rewrite = async (...changes: readonly (readonly [string, string])[]) => {
    let text = await readFile(file(), 'utf8')
    for (const [from, to] of changes) text = text.replace(from, to)
    await writeFile(file(), text)
  }

  it('preserve the changes of the user', async () => {
    const exported = await run('export', 'tasks.yaml')
    expect(exported.out).toContain('3 tasks written to tasks.yaml')
    const early = await run('import', 'tasks.yaml')
    expect(early.code).toBe(exitCodes.badInput)
    expect(early.err).toContain('tasks.yaml says "reviewed: false"')
    await rewrite(
      ['reviewed: false', 'reviewed: true'],
      ['The body says why.', 'The body says why it was done.'],
    )
    const imported = await run('import', 'tasks.yaml')
    expect(imported.out).toBe('3 tasks reviewed.\n  changed: write-commit-messages\n')
    expect(imported.err).toMatch(/^warning: Task "update-the-changelog": It has neither/)
    expect((await book()).tasks).toMatchObject([
      { writtenBy: 'person', reviewed: true, rubric: [expect.any(String), 'The body says why it was done.'] },
      { writtenBy: 'heuristics', reviewed: true },
      { writtenBy: 'heuristics', reviewed: true },
    ])
    expect((await run()).out).not.toContain('not reviewed')
  })

  it('replace no file unasked', async () => {
    await writeFile(file(), 'mine')
    expect((await run('export', 'tasks.yaml')).err).toContain(
      'tasks.yaml already exists; nothing was written.',
    )
    expect(await readFile(file(), 'utf8')).toBe('mine')
    expect(await json('export', 'tasks.yaml', '--force')).toMatchObject({ file: 'tasks.yaml', tasks: 3 })
    expect((await run('export', 'tasks.csv')).code).toBe(exitCodes.badInput)
  })

  it('report the result for every task', async () => {
    await run('export', 'tasks.json')
    const path = join(cwd, 'tasks.json')
    const given = JSON.parse(await readFile(path, 'utf8')) as TaskBook
    await run('drop', 'rev')
    await writeFile(path, JSON.stringify({ ...given, reviewed: true, tasks: given.tasks.slice(1) }))
    expect(await json('import', 'tasks.json')).toMatchObject({
      changed: [],
      added: [],
      dropped: ['write-commit-messages'],
      kept: [],
      stayDropped: ['review-a-migration'],
      warnings: [expect.stringContaining('update-the-changelog')],
    })
    expect((await run('import', 'tasks.json')).out).toBe(
      '1 task reviewed.\n  still dropped (`skillopt sleep tasks restore` restores it): review-a-migration\n',
    )
  })

  it('refuse a file with mistakes, and change nothing', async () => {
    await run('export', 'tasks.yaml')
    await rewrite(
      ['reviewed: false', 'reviewed: true'],
      ['split: val', 'split: dev'],
      ['- op: contains', '- op: has'],
    )
    const { code, err } = await run('import', 'tasks.yaml')
    expect(code).toBe(exitCodes.badInput)
    expect(err).toMatch(
      /tasks\.yaml has 2 problems:\n.*split must be one of .*\(tasks\.yaml:\d+\)\n.*checks\.0\.op/,
    )
    expect(await book()).toEqual(shownBook((await book()).project))
  })

  it('keep projects apart', async () => {
    await run('export', 'tasks.yaml')
    await rewrite(['reviewed: false', 'reviewed: true'])
    await mkdir(join(home, 'desk'))
    const refused = await run('import', 'tasks.yaml', '--project', '../desk')
    expect(refused.err).toMatch(/tasks\.yaml holds tasks of another project, .*shop\.\n.*--force/)
    const forced = await json('import', 'tasks.yaml', '--project', '../desk', '--force')
    expect(forced).toMatchObject({
      added: ['write-commit-messages', 'update-the-changelog', 'review-a-migration'],
    })
  })
})
