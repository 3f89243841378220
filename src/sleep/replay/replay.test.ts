import { mkdtemp, readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { makeRepository } from '../../../test/support/repository.js'
import { sleepTask } from '../../../test/support/sleep-book.js'
import { createHarness } from '../../agents/chat/chat.js'
import type { ModelReply } from '../../core/ports/model.js'
import { taskHash } from '../../core/text/hash.js'
import { removeFolder } from '../../system/remove-folder.js'
import type { SleepTask } from '../model/sleep-task.js'
import { createReplay, type ReplayedTask, type ReplayOptions } from './replay.js'

const rubric = ['It is done.']
const none: ReplayOptions = { files: 'none' }

async function only(tasks: readonly SleepTask[], options: ReplayOptions = none) {
  const environment = await createReplay(tasks, options)
  const [task] = await environment.tasks('train')
  if (task === undefined) throw new Error('There is no task.')
  return { environment, task }
}

describe('tasks of a night', () => {
  it('are replayed without held-back ones, and refused if one cannot be scored', async () => {
    const { environment } = await only([
      sleepTask('a', { rubric, examples: [{}, { text: 'again' }] }),
      sleepTask('b', { split: 'held-back' }),
    ])
    expect((await environment.tasks('train')).map(({ id }) => id)).toEqual(['a.1', 'a.2'])
    expect(environment).toMatchObject({ id: 'sleep-tasks', needs: ['chat'] })
    await expect(only([sleepTask('a')])).rejects.toThrow('The tasks: nothing can score a.')
  })
})

describe('tools that a task asks for', () => {
  const checks = [{ op: 'tool_called', arg: 'search' }] as const
  const reply = (text: string, toolCalls: ModelReply['toolCalls'] = []): ModelReply => ({
    text,
    toolCalls,
    usage: {},
    stop: toolCalls.length === 0 ? 'stop' : 'tool-calls',
  })

  async function tried(task: SleepTask, replies: readonly ModelReply[]) {
    const { environment, task: only_ } = await only([task])
    const session = await environment.open(only_, scoreContext)
    const trajectory = await createHarness().run(
      {
        session,
        skill: '',
        call: async (_request, turn) => replies[turn] ?? reply('That is all.'),
        reopen: async () => session,
      },
      scoreContext.signal,
    )
    return { trajectory, environment, score: await environment.score(only_, trajectory, scoreContext) }
  }

  it('can be called, and the calls count', async () => {
    const task = sleepTask('a', { checks: [...checks] })
    const call = { id: '1', name: 'search', arguments: '{"input": "x"}' }
    const { trajectory, environment, score } = await tried(task, [reply('', [call]), reply('Done.')])
    expect(environment.needs).toEqual(['chat', 'tools'])
    expect(trajectory.messages.find(({ role }) => role === 'tool')?.text).toContain('Nothing was run')
    expect(trajectory).toMatchObject({ answer: 'Done.', stop: 'answered' })
    expect(score).toMatchObject({ hard: 1 })
    expect((await tried(task, [reply('I have searched.')])).score).toMatchObject({ hard: 0 })
  })

  it("count if an agent calls them through a server, and are part of the task's identity", async () => {
    const { environment, task } = await only([sleepTask('a', { checks: [...checks] })])
    const toolCalls = [{ id: '1', name: 'mcp__task__search', arguments: '{}' }]
    const messages = [{ role: 'assistant', text: '', toolCalls }] as const
    expect(
      await environment.score(task, { messages, answer: '', stop: 'answered' }, scoreContext),
    ).toMatchObject({ hard: 1 })
    const other = await only([
      sleepTask('a', { checks: [...checks], tools: [{ name: 'search', result: 'Found.' }] }),
    ])
    expect(taskHash(other.task)).not.toBe(taskHash(task))
  })

  it('cause a warning if no model could call them', async () => {
    const { environment } = await only([
      sleepTask('a', { checks: [{ op: 'tool_called', arg: 'git commit' }] }),
    ])
    expect(environment.warnings).toEqual([
      "A check of tool_called names what cannot be the name of a tool: git commit. It is met only by an agent's own tool of that name.",
    ])
    expect(environment.needs).toEqual(['chat'])
  })
})

describe('copies of the project', () => {
  let project = ''
  let first = ''
  beforeEach(async () => {
    project = await realpath(await mkdtemp(join(tmpdir(), 'sleep-replay-')))
    const repository = await makeRepository(project)
    first = await repository.commit({ 'notes.md': 'one' })
    await repository.commit({ 'notes.md': 'two' })
  })
  afterEach(() => removeFolder(project))

  const tasks = [
    sleepTask('a', { rubric, examples: [{ request: 'r1' }, { request: 'r2', text: 'again' }] }),
    sleepTask('b', { rubric, examples: [] }),
  ]
  const copies = (): ReplayOptions => ({
    files: 'copies',
    project,
    commits: new Map([
      ['r1', first],
      ['b', first],
    ]),
  })

  it('are separate for each session, at its example’s commit, and removed when it closes', async () => {
    const environment = await createReplay(tasks, copies())
    expect(environment.needs).toEqual(['chat', 'workspace'])
    const seen: Record<string, string> = {}
    for (const task of await environment.tasks('train')) {
      const session = await environment.open(task, scoreContext)
      const { workspace = '' } = session
      seen[task.id] = await readFile(join(workspace, 'notes.md'), 'utf8')
      await writeFile(join(workspace, 'notes.md'), 'spoiled')
      await session.close()
      await expect(stat(workspace)).rejects.toThrow('ENOENT')
    }
    expect(seen).toEqual({ 'a.1': 'one', 'a.2': 'two', 'b.1': 'one' })
  })

  it("are part of the task's identity, so that attempts on another file state are not reused", async () => {
    const hashes = async (options: ReplayOptions) =>
      (await (await createReplay(tasks, options)).tasks('train')).map((task: ReplayedTask) => taskHash(task))
    const [onFirst] = await hashes(copies())
    const [onHead] = await hashes({ files: 'copies', project, commits: new Map() })
    const [without] = await hashes({ ...copies(), without: ['CLAUDE.md'] } as ReplayOptions)
    const [inWords] = await hashes(none)
    expect(new Set([onFirst, onHead, without, inWords]).size).toBe(4)
    expect((await hashes(copies()))[0]).toBe(onFirst)
  })

  it('are not left through paths in a request', async () => {
    const outside = '[a place outside of the project]'
    const hostile = sleepTask('a', {
      rubric,
      intent: `Mend ${project}/notes.md.`,
      examples: [
        {
          request: '../../../../etc',
          session: '../../x',
          branch: '--output=/tmp/x',
          text: 'as in /etc/passwd',
          before: ['see ~/.ssh/id_rsa', `and ${project}/notes.md`],
        },
      ],
    })
    const { environment, task } = await only([hostile], copies())
    expect(task.prompt).toBe(
      `Mend ./notes.md.\n\nWhat was asked before, in the same session:\n\n> see ${outside}\n\n> and ./notes.md\n\nWhat is asked now, in the person's own words:\n\nas in ${outside}`,
    )
    expect(environment.warnings).toEqual([
      'What is outside of the project is in no copy of it, and not told to the agent: a named a place there.',
    ])
    const session = await environment.open(task, scoreContext)
    expect(join(session.workspace ?? '', '..')).toBe(await realpath(tmpdir()))
    expect((await readdir(session.workspace ?? '')).sort()).toEqual(['.git', 'notes.md'])
    await session.close()
    const inWords = await only([hostile])
    expect(inWords.task.prompt).toContain('as in /etc/passwd')
    expect(inWords.environment.warnings).toEqual([])
    const moved = await only([hostile], { ...copies(), project, knownAs: '/etc/passwd' } as ReplayOptions)
    expect(moved.task.prompt).toContain('as in ./')
  })

  it('are not made for read-only use', async () => {
    const { environment, task } = await only(tasks, copies())
    const session = await environment.open(task, { ...scoreContext, isLook: true })
    expect(session.workspace).toBeUndefined()
    expect(session.turnLimit).toBeGreaterThan(1)
    await session.close()
  })
})
