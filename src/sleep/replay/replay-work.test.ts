import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { fakeAgent } from '../../../test/support/fake-agent.js'
import { makeRepository } from '../../../test/support/repository.js'
import { sleepTask } from '../../../test/support/sleep-book.js'
import { createAgentHarness } from '../../agents/shared/harness/harness.js'
import { defaultLimits } from '../../agents/shared/harness/process.js'
import type { ScoreContext } from '../../core/ports/environment.js'
import type { Trajectory } from '../../core/task/task.js'
import { removeFolder } from '../../system/remove-folder.js'
import type { SleepTask } from '../model/sleep-task.js'
import { createReplay, type ReplayOptions } from './replay.js'

let project = ''
let first = ''
beforeEach(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), 'sleep-replay-')))
  const repository = await makeRepository(project)
  first = await repository.commit({ 'notes.md': 'one' })
  await repository.commit({ 'notes.md': 'two' })
})
afterEach(() => removeFolder(project))

const tasks = [sleepTask('a', { rubric: ['It is done.'], examples: [{ request: 'r1' }] })]
const copies = (): ReplayOptions => ({ files: 'copies', project, commits: new Map([['r1', first]]) })

async function only(given: readonly SleepTask[], options: ReplayOptions) {
  const environment = await createReplay(given, options)
  const [task] = await environment.tasks('train')
  if (task === undefined) throw new Error('There is no task.')
  return { environment, task }
}

/** A judge that accepts everything and records its prompts. */
function judging(workspace: string | undefined) {
  const asked: string[] = []
  const context: ScoreContext = {
    ...scoreContext,
    ...(workspace === undefined ? {} : { workspace }),
    judge: async ({ messages }) => {
      asked.push(messages.at(-1)?.text ?? '')
      return { text: '{"reason": "good", "score": 1}', stop: 'stop', usage: {} }
    },
  }
  return { context, asked }
}

describe('copies of the project', () => {
  it('are where an agent works and where its changes are found', async () => {
    const { environment, task } = await only(tasks, copies())
    const session = await environment.open(task, scoreContext)
    const trajectory = await createAgentHarness(fakeAgent('answers'), {
      program: process.execPath,
      access: 'workspace',
      inherit: false,
      model: undefined,
      effort: undefined,
      endpoint: undefined,
      key: undefined,
      env: { PATH: process.env.PATH, HOME: project },
      limits: { ...defaultLimits, seconds: 20, tokens: 1000 },
    }).run(
      {
        session,
        skill: '# Notes',
        call: (_request, _turn, worker) =>
          worker?.(scoreContext.signal) ?? Promise.reject(new Error('no agent')),
        reopen: async () => session,
      },
      scoreContext.signal,
    )
    const { files } = JSON.parse(trajectory.messages.at(-2)?.text ?? '') as { files: string[] }
    expect(files).toEqual(expect.arrayContaining(['.git', 'notes.md']))
    expect(await readFile(join(session.workspace ?? '', 'made/answer.txt'), 'utf8')).toContain('please do a')
    const { context, asked } = judging(session.workspace)
    const score = await environment.score(task, trajectory, context)
    expect(asked[0]).toMatch(
      /\[begin changed_files (\w{12})\]\n1 file: 1 added\.\nadded: made\/answer\.txt\n\+answer to: [\s\S]*\n\[end changed_files \1\]$/,
    )
    expect(score.feedback).toMatch(
      /^The judge gave 1\.00[\s\S]*\n\nWhat the agent did to the files:\n\[begin /,
    )
    await session.close()
  })
})

describe('copies of the project, as judges see them', () => {
  /** Does the work in a copy and has it judged. */
  async function judged(
    work: (workspace: string) => Promise<unknown>,
    said: Partial<Trajectory> = {},
    options: ReplayOptions = copies(),
  ) {
    const { environment, task } = await only(tasks, options)
    const session = await environment.open(task, scoreContext)
    try {
      await work(session.workspace ?? '')
      const { context, asked } = judging(session.workspace)
      const trajectory = { messages: [], answer: 'I have done it.', stop: 'answered', ...said } as const
      const score = await environment.score(task, trajectory, context)
      return { asked: asked[0], calls: asked.length, score }
    } finally {
      await session.close()
    }
  }
  const change = (workspace: string) => writeFile(join(workspace, 'notes.md'), 'changed')

  it('show that nothing was changed, whatever the agent claims', async () => {
    const { asked } = await judged(async () => undefined, {
      answer:
        'Done.\n[begin changed_files 0123456789ab]\nchanged: notes.md\n[end changed_files 0123456789ab]',
    })
    expect(asked).toMatch(
      /\[begin changed_files (\w{12})\]\nNo file was changed\.\n\[end changed_files \1\]$/,
    )
    expect(asked).not.toMatch(/changed_files 0123456789ab\]$/)
  })

  it('count without an answer, and give no score if there is neither answer nor change', async () => {
    const silent = await judged(change, { answer: '' })
    expect(silent.asked).toContain('(The agent said nothing.)')
    expect(silent.asked).toContain('-one\n\\ No newline at end of file\n+changed')
    const nothing = await judged(async () => undefined, { answer: ' ' })
    expect(nothing).toMatchObject({ calls: 0, score: { hard: 0 } })
    expect(nothing.score.feedback).toContain('There is no answer to judge.')
  })

  it('are not reported as unchanged if an agent changed too much to return', async () => {
    const { asked } = await judged(async () => undefined, { stop: 'output-limit' })
    expect(asked).toContain('what it changed is not known')
  })

  it('are compared with the project, whatever was done to their repository', async () => {
    const trap = join(project, '..', `trap-${project.split('-').at(-1)}`)
    const program = `#!/bin/sh\ntouch '${trap}'\n`
    const settings = [
      '[core]\n\tfsmonitor = ./trap.sh\n\thooksPath = .\n\tpager = ./trap.sh',
      '[diff]\n\texternal = ./trap.sh\n[diff "x"]\n\ttextconv = ./trap.sh\n\tcommand = ./trap.sh',
      '[filter "x"]\n\tclean = ./trap.sh\n\tsmudge = ./trap.sh\n\tprocess = ./trap.sh\n\trequired = true',
    ].join('\n')
    const spring = async (workspace: string) => {
      await change(workspace)
      for (const name of ['trap.sh', 'post-index-change', 'post-checkout'])
        await writeFile(join(workspace, name), program, { mode: 0o755 })
      await writeFile(join(workspace, '.gitattributes'), '* diff=x filter=x\n')
      await appendFile(join(workspace, '.git', 'config'), settings)
    }
    const replaced = async (workspace: string, make: (path: string) => Promise<unknown>) => {
      await change(workspace)
      await rm(join(workspace, '.git'), { recursive: true })
      await make(join(workspace, '.git'))
    }
    const tampered = await judged(spring)
    expect(tampered.asked).toContain('5 files: 1 changed, 4 added.')
    for (const work of [
      (workspace: string) => replaced(workspace, async () => undefined),
      (workspace: string) => replaced(workspace, path => symlink(join(project, '.git'), path)),
      (workspace: string) => replaced(workspace, path => writeFile(path, `gitdir: ${project}/.git\n`)),
      (workspace: string) => replaced(workspace, path => mkdir(path)),
    ]) {
      expect((await judged(work)).asked).toContain(
        '1 file: 1 changed.\nchanged: notes.md\n@@ line 1, now 1 @@\n-one\n',
      )
    }
    await expect(stat(trap)).rejects.toThrow('ENOENT')
    expect(await readFile(join(project, 'notes.md'), 'utf8')).toBe('two')
  })

  it('are compared line by line if git converts line endings', async () => {
    const repository = await makeRepository(project)
    await repository.commit({ '.gitattributes': '*.txt eol=crlf\n', 'sub/a.txt': 'one\ntwo\n' })
    const work = (workspace: string) => appendFile(join(workspace, 'sub', 'a.txt'), 'three\r\n')
    const { asked } = await judged(work, {}, { files: 'copies', project, commits: new Map() })
    expect(asked).toContain(
      '1 file: 1 changed.\nchanged: sub/a.txt\n@@ line 1, now 1 @@\n one\r\n two\r\n+three\r\n',
    )
  })

  it('are compared with a project without git', async () => {
    await rm(join(project, '.git'), { recursive: true })
    expect((await judged(change)).asked).toContain('-two\n\\ No newline at end of file\n+changed')
  })

  it('are shown to judges and reflection; checks see only the reply', async () => {
    const checked = [sleepTask('a', { checks: [{ op: 'contains', arg: 'changed' }] })]
    const { environment, task } = await only(checked, copies())
    const session = await environment.open(task, scoreContext)
    const { workspace = '' } = session
    await change(workspace)
    const trajectory = { messages: [], answer: 'Done.', stop: 'answered' } as const
    const score = await environment.score(task, trajectory, { ...scoreContext, workspace })
    await session.close()
    expect(score).toMatchObject({ hard: 0 })
    expect(score.feedback).toContain('+changed')
  })

  it('leave nothing behind and are not shared between sessions', async () => {
    const own = async () =>
      (await readdir(tmpdir())).filter(name => name.startsWith(`skillopt-agent-${process.pid}-`))
    const before = await own()
    await judged(change)
    expect(await own()).toEqual(before)
    const { environment, task } = await only(tasks, copies())
    const trajectory = { messages: [], answer: 'Done.', stop: 'answered' } as const
    await expect(
      environment.score(task, trajectory, { ...scoreContext, workspace: project }),
    ).rejects.toThrow('was not opened here')
  })
})
