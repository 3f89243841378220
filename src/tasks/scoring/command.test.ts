import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { hasByteNames, leaveHostileNames } from '../../../test/support/hostile-names.js'
import { codeBlocks } from '../../../test/support/markdown.js'
import { InputError, WorldFailure } from '../../core/errors/errors.js'
import type { Sandbox, SandboxJob } from '../../core/ports/sandbox.js'
import { createSandbox } from '../../sandbox/index.js'
import { removeFolder } from '../../system/remove-folder.js'
import { scoringParts } from './in-environment.js'
import { chooseScorer } from './index.js'
import type { Fields } from './scorer.js'

/** These tests cover the scorer, so the command runs without a sandbox; the sandbox has its own tests. */
const context = { ...scoreContext, sandbox: createSandbox('none') }

let baseDir: string
beforeAll(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'skillopt-command-'))
  await mkdir(join(baseDir, 'checks'))
  await writeFile(join(baseDir, 'checks', 'equal.sh'), '#!/bin/sh\ncmp answer.txt expected/right.txt\n')
  await chmod(join(baseDir, 'checks', 'equal.sh'), 0o755)
})
afterAll(() => rm(baseDir, { recursive: true }))

const command = (options: Record<string, unknown>) =>
  chooseScorer({ name: 'command', ...options }, { baseDir })
const said = (answer: string) => ({ messages: [], answer, stop: 'answered' }) as const
const score = (options: Record<string, unknown>, task: Fields, answer: string) =>
  command(options).score(task, said(answer), context)

describe('command', () => {
  it('gives the answer, the task and the named files to the command, and takes its exit code', async () => {
    const options = { command: ['./checks/equal.sh'], files: ['checks'] }
    const task = { id: 'a', workspace: { 'expected/right.txt': '42' } }
    expect(await score(options, task, '42')).toEqual({
      hard: 1,
      soft: 1,
      feedback: 'The check passed (exit code 0).',
    })
    const wrong = await score(options, task, '41')
    expect(wrong).toMatchObject({ hard: 0, soft: 0 })
    expect(wrong.feedback).toMatch(/^The check failed with exit code 1\.\nstdout:\nanswer\.txt .*differ/)
    const looking = { command: ['grep', '-q', '"gold": 7', 'task.json'] }
    expect(await score(looking, { gold: 7 }, 'x')).toMatchObject({ hard: 1 })
    expect(await score(looking, { gold: 8 }, 'x')).toMatchObject({ hard: 0 })
  })

  it("runs in a copy of what the agent has left, with its own files in place of the agent's", async () => {
    const work = await mkdtemp(join(baseDir, 'work-'))
    await writeFile(join(work, 'total.txt'), '42')
    await mkdir(join(work, 'empty'))
    await symlink('/etc/hostname', join(work, 'way-out'))
    // The agent, by accident or to judge itself, creates files where the checks belong.
    await mkdir(join(work, 'checks', 'equal.sh'), { recursive: true })
    await writeFile(join(work, 'checks', 'more.sh'), 'exit 0')
    await mkdir(join(work, 'task.json'))
    await writeFile(join(work, 'expected'), 'a file where a folder belongs')
    const list = 'ls; ls checks; cat total.txt; touch made; cmp total.txt expected/right.txt'
    const options = { command: ['sh', '-c', list], files: ['checks'] }
    const task = { workspace: { 'expected/right.txt': '42' } }
    const scored = await command(options).score(task, said('done'), { ...context, workspace: work })
    expect(scored).toMatchObject({ hard: 1 })
    expect(scored.feedback).toContain(
      ['answer.txt', 'checks', 'empty', 'expected', 'task.json', 'total.txt', 'equal.sh', '42'].join('\n'),
    )
    expect((await readdir(work)).sort()).toEqual([
      'checks',
      'empty',
      'expected',
      'task.json',
      'total.txt',
      'way-out',
    ])
    await writeFile(join(work, 'total.txt'), '41')
    expect(await command(options).score(task, said(''), { ...context, workspace: work })).toMatchObject({
      hard: 0,
    })
  })

  it.runIf(hasByteNames)('scores an agent that leaves names which are not text or too long', async () => {
    const work = await mkdtemp(join(baseDir, 'work-'))
    leaveHostileNames(work)
    const options = { command: ['grep', 'fine', 'ok'] }
    const scored = await command(options).score({}, said('done'), { ...context, workspace: work })
    expect(scored).toMatchObject({ hard: 1 })
    await removeFolder(work)
  })

  it('is not fooled by planted modules where the check is the one in the documentation', async () => {
    const page = await readFile(new URL('../../../docs/your-own-tasks.md', import.meta.url), 'utf8')
    const [runTests = '', runUnits = ''] = codeBlocks(page)
      .filter(({ language }) => language === 'python')
      .map(({ text }) => text)
    await mkdir(join(baseDir, 'tests'))
    await writeFile(join(baseDir, 'checks', 'run_tests.py'), runTests)
    await writeFile(join(baseDir, 'tests', 'run.py'), runUnits)
    const unit = ['import unittest', 'class Adds(unittest.TestCase):', '    def test_sum(self):']
    const body = ['        from solution import add', '        self.assertEqual(add(1, 2), 3)']
    await writeFile(join(baseDir, 'tests', 'test_add.py'), [...unit, ...body].join('\n'))

    const work = await mkdtemp(join(baseDir, 'work-'))
    const passes = 'import os\nos._exit(0)\n'
    for (const name of ['unittest.py', 'json.py', 'subprocess.py', 'sitecustomize.py', 'usercustomize.py'])
      await writeFile(join(work, name), passes)
    await mkdir(join(work, 'tests'))
    await writeFile(join(work, 'tests', 'run.py'), passes)
    const fooled = { command: ['python3', '-m', 'unittest'] }
    const task = { workspace: { 'cases.json': '[[1, 2, 3], [0, 5, 5]]' } }
    const withWork = { ...context, workspace: work }
    expect(await command(fooled).score(task, said(''), withWork)).toMatchObject({ hard: 1 })

    const shown = (runner: string, files: string[]) => ({
      command: ['/usr/bin/python3', '-I', runner],
      files,
      answerFile: 'solution.py',
    })
    const own = shown('checks/run_tests.py', ['checks'])
    const units = shown('tests/run.py', ['tests'])
    for (const [answer, hard] of [
      ['def add(a, b): return a + b', 1],
      ['def add(a, b): return 3', 0],
      ['def add(a, b): return None', 0],
    ] as const) {
      expect(await command(own).score(task, said(answer), withWork), answer).toMatchObject({ hard })
    }
    expect(await command(own).score(task, said('import os; os._exit(0)'), withWork)).toMatchObject({
      hard: 0,
    })
    expect(await command(units).score(task, said('def add(a, b): return a + b'), withWork)).toMatchObject({
      hard: 1,
    })
    expect(await command(units).score(task, said('def add(a, b): return a'), withWork)).toMatchObject({
      hard: 0,
    })
  })

  it('takes the last code block of a reply for the answer, or all of it', async () => {
    const options = { command: ['cat', 'answer.py'], answerFile: 'answer.py' }
    const reply = 'First:\n```\nno\n```\nBetter:\n````python\nprint(1)\n```\nstill code\n````\nDone.'
    expect((await score(options, {}, reply)).feedback).toMatch(/stdout:\nprint\(1\)\n```\nstill code$/)
    expect((await score(options, {}, 'no code')).feedback).toMatch(/stdout:\nno code$/)
  })

  it('reads soft from the last line if configured', async () => {
    const options = (line: string) => ({ command: ['printf', `notes\n${line}\n`], soft: 'last-line' })
    expect(await score(options('0.25'), {}, 'x')).toMatchObject({ hard: 1, soft: 0.25 })
    expect(await score(options('none'), {}, 'x')).toMatchObject({ hard: 1, soft: 1 })
    // An out-of-range score is a bug in the check; it is passed on, and the attempt stops the run.
    expect(await score(options('85'), {}, 'x')).toMatchObject({ soft: 85 })
    expect(await score({ command: ['printf', '0.25'] }, {}, 'x')).toMatchObject({ soft: 1 })
  })

  it('scores a command that takes too long as wrong, and shows the end of what it said', async () => {
    const slow = await score({ command: ['sleep', '60'], timeLimit: 0.2 }, {}, 'x')
    expect(slow).toEqual({ hard: 0, soft: 0, feedback: 'The check was stopped after 0.2 s.' })
    const loud = await score({ command: ['seq', '1', '5000'] }, {}, 'x')
    expect(loud.feedback).toMatch(/stdout:\n….*5000$/s)
    expect(loud.feedback.length).toBeLessThan(1000)
  })

  it('passes limits and folders on, and never scores a sandbox failure', async () => {
    const jobs: SandboxJob[] = []
    const sandbox: Sandbox = {
      ...scoreContext.sandbox,
      run: async (_command, job) => {
        jobs.push(job)
        throw new WorldFailure('harness', 'The sandbox did not start.', { retryable: false })
      },
    }
    const options = { command: ['x'], timeLimit: 5, memoryLimit: 64, processLimit: 3, readOnly: ['tools'] }
    const failing = command(options).score({}, said('x'), { ...context, sandbox })
    await expect(failing).rejects.toMatchObject({ kind: 'harness' })
    expect(jobs[0]).toMatchObject({
      limits: { seconds: 5, memoryMegabytes: 64, processes: 3 },
      readOnly: [join(baseDir, 'tools')],
    })
  })

  it('removes the workspace, even one without permissions', async () => {
    let workspace = ''
    const sandbox: Sandbox = {
      ...scoreContext.sandbox,
      run: async (_command, job) => {
        workspace = job.workspace
        await mkdir(join(workspace, 'closed', 'inner'), { recursive: true })
        await chmod(join(workspace, 'closed'), 0)
        return { exitCode: 0, stdout: '', stderr: '', timedOut: false, truncated: false }
      },
    }
    await command({ command: ['x'] }).score({}, said('x'), { ...context, sandbox })
    await expect(chmod(workspace, 0o700)).rejects.toThrow('ENOENT')
  })

  it('reports what is missing before anything is spent', async () => {
    const { sandbox } = context
    await expect(command({ command: ['no-such-program'] }).checkSandbox(sandbox)).rejects.toThrow(
      '"no-such-program", which is not in the sandbox',
    )
    await expect(command({ command: ['sh'], readOnly: ['gone'] }).checkSandbox(sandbox)).rejects.toThrow(
      'gone',
    )
    await command({ command: ['sh'] }).checkSandbox(sandbox)
    const inPart = chooseScorer({
      name: 'weighted',
      parts: { runs: { scorer: { name: 'command', command: ['no-such-program'] } } },
    })
    expect(inPart.needs).toEqual({ judgeCalls: 0, sandbox: true })
    await expect(inPart.checkSandbox(sandbox)).rejects.toThrow('In the part "runs"')
    expect(command({ command: ['sh'] }).needs).toEqual({ sandbox: true })
  })

  it('refuses names that lead elsewhere, and tasks with other things than files', () => {
    expect(() => command({ command: ['sh'], answerFile: '../answer' })).toThrow(InputError)
    expect(() => command({ command: ['sh'], files: ['/etc/passwd'] })).toThrow('/etc/passwd')
    expect(() => command({ command: ['sh'], files: ['a.txt'], answerFile: 'a.txt' })).toThrow('overwrite')
    expect(() => command({ command: [] })).toThrow(InputError)
    expect(() => command({ command: 'sh -c true' })).toThrow(InputError)
    const scorer = command({ command: ['sh'] })
    expect(scorer.problem({ workspace: { '../x': 'y' } })).toContain('"../x"')
    expect(scorer.problem({ workspace: ['x'] })).toContain('names and texts')
    expect(scorer.problem({})).toBeUndefined()
  })

  it('counts as another scorer when its files change', async () => {
    const hash = async () =>
      (await scoringParts(command({ command: ['sh'], files: ['checks'] }))).fingerprints
    const before = await hash()
    expect(await hash()).toEqual(before)
    await writeFile(join(baseDir, 'checks', 'extra.txt'), 'more')
    expect(await hash()).not.toEqual(before)
    await expect(scoringParts(command({ command: ['sh'], files: ['gone.py'] }))).rejects.toThrow('gone.py')
    expect((await scoringParts(chooseScorer('exact'))).fingerprints).toBeUndefined()
  })
})
