import { existsSync } from 'node:fs'
import { readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../../test/score-context.js'
import { realSandbox, sandboxWorks } from '../../../../test/support/real-sandbox.js'
import { WorldFailure } from '../../../core/errors/errors.js'
import type { Session } from '../../../core/ports/environment.js'
import type { Sandbox, SandboxJob } from '../../../core/ports/sandbox.js'
import type { Split } from '../../../core/task/task.js'
import { create, options } from './index.js'

const baseDir = fileURLToPath(new URL('../../../../examples/spreadsheetbench/', import.meta.url))
const open = (given: object = {}) => create(options.parse({ splitDir: 'data', ...given }), { baseDir })
type World = Awaited<ReturnType<typeof open>>

const context = { ...scoreContext, sandbox: realSandbox }
const works = await sandboxWorks('The tests of spreadsheet programs', async sandbox =>
  (await open()).checkSandbox?.(sandbox),
)

async function taskOf(world: World, split: Split, wanted: RegExp) {
  const task = (await world.tasks(split)).find(({ instruction }) => wanted.test(instruction))
  if (task === undefined) throw new Error(`no task of ${split} matches ${wanted}`)
  return task
}

const reply = (lines: readonly string[]) => `So be it.\n\n\`\`\`python\n${lines.join('\n')}\n\`\`\``
const program = (...lines: string[]) =>
  reply(['import openpyxl', 'wb = openpyxl.load_workbook(INPUT_PATH)', ...lines, 'wb.save(OUTPUT_PATH)'])
const trajectory = (...replies: string[]) => ({
  messages: replies.map(text => ({ role: 'assistant', text }) as const),
  answer: replies.at(-1) ?? '',
  stop: 'answered' as const,
})
const answered = async (session: Session, text: string) => session.reply?.(text)

const countOpen = program(
  'ws = wb.active',
  'ws["D2"] = sum(1 for row in ws.iter_rows(values_only=True) if row[1] == "open")',
)

describe.runIf(works)('multi mode', () => {
  it('shows the task, tries the program, and ends at the first that runs', async () => {
    const world = await open()
    const task = await taskOf(world, 'test', /^Count the rows whose Request/)
    const session = await world.open(task, context)
    expect(session.prompt).toMatch(/^Instruction:\nCount the rows/)
    expect(session.prompt).toContain('Workbook:\nSheet "Data": values in A1:')
    expect(session.prompt).toContain('Instruction type: Cell-Level Manipulation\nAnswer position: Data!D2')
    expect(session).toMatchObject({ turnLimit: 30, secondsLimit: 600, tools: [] })

    const failed = await answered(session, reply(['raise ValueError("no such column")']))
    expect(failed).toMatch(
      /^That did not work: the program failed:\nTraceback[\s\S]*ValueError: no such column/,
    )
    expect(await answered(session, 'I would use openpyxl.')).toContain('no program in your reply')
    expect(await answered(session, reply(['print("nothing saved")']))).toContain('no workbook at OUTPUT_PATH')
    expect(await answered(session, reply(['open(OUTPUT_PATH, "w").write("x")']))).toContain(
      'That did not work',
    )
    // The value is wrong, but the agent is not told, because this is a test task.
    expect(await answered(session, program('wb.active["D2"] = -1'))).toBe('done')
    expect(await answered(session, 'DONE')).toBe('done')
    expect(await world.score(task, trajectory(countOpen), context)).toMatchObject({ hard: 1, soft: 1 })
  })

  it('names wrong cells without what belongs there, in training only', async () => {
    const world = await open()
    const task = await taskOf(world, 'train', /^Count the rows whose Status/)
    const session = await world.open(task, context)
    const told = await answered(session, program('wb.active["D2"] = -1'))
    expect(told).toContain('These cells of the answer do not hold what they should: Data!D2.')
    const { feedback } = await world.score(task, trajectory(program('wb.active["D2"] = -1')), context)
    const expected = /expected (\d+)/.exec(feedback)?.[1]
    expect(expected).toBeDefined()
    expect(told).not.toMatch(/\bexpected\b/)
    expect(told?.replaceAll('D2', '')).not.toMatch(/\d/)
    expect(await answered(session, countOpen)).toBe('done')

    const silent = await open({ trainingFeedback: false })
    const same = await taskOf(silent, 'train', /^Count the rows whose Status/)
    expect(await answered(await silent.open(same, context), program('wb.active["D2"] = -1'))).toBe('done')
  })

  it('scores the last program that was given, on every case', async () => {
    const world = await open()
    const task = await taskOf(world, 'val', /^Add up the Value/)
    expect(task.cases).toHaveLength(3)
    const sum = program(
      'ws = wb.active',
      'ws["E2"] = sum(row[2] for row in ws.iter_rows(min_row=2, values_only=True) if row[1] == "Porto")',
    )
    expect(await world.score(task, trajectory(program(), sum, 'DONE'), context)).toMatchObject({
      hard: 1,
      soft: 1,
    })

    const [right = 0] =
      /\d+/.exec(
        (await world.score(task, trajectory(program()), context)).feedback.split('expected ')[1] ?? '',
      ) ?? []
    const fixed = program(`wb.active["E2"] = ${right}`)
    const score = await world.score(task, trajectory(sum, fixed), context)
    expect(score).toMatchObject({
      hard: 0,
      soft: 1 / 3,
      feedback: expect.stringContaining('1 of 3 cases passed'),
    })
    expect(await world.score(task, trajectory('', 'I give up.'), context)).toMatchObject({
      hard: 0,
      soft: 0,
      feedback: 'The agent gave no program.',
    })
  })

  it('stops a program that takes too long, and cuts what it says', async () => {
    const world = await open({ secondsPerExecution: 2 })
    const task = await taskOf(world, 'val', /^Count the rows whose State/)
    const session = await world.open(task, context)
    expect(await answered(session, reply(['while True: pass']))).toContain('was stopped after 2 s')
    const loud = await answered(session, reply(['raise ValueError("x" * 10000 + "the end")']))
    expect(loud).toContain('xthe end')
    expect([...(loud ?? '')].length).toBeLessThan(3200)
  })

  it('runs a program once for the agent and for the score', async () => {
    let runs = 0
    const counting: Sandbox = {
      ...realSandbox,
      run: (command, job) => {
        runs += 1
        return realSandbox.run(command, job)
      },
    }
    const world = await open()
    const task = await taskOf(world, 'test', /^Count the rows whose Request/)
    const session = await world.open(task, { ...context, sandbox: counting })
    await answered(session, countOpen)
    const first = await world.score(task, trajectory(countOpen), { ...context, sandbox: counting })
    expect(runs).toBe(1)
    expect(await (await open()).score(task, trajectory(countOpen), context)).toEqual(first)
  })

  it('shows programs the input and nothing else: neither answers nor other cases', async () => {
    const world = await open()
    const task = await taskOf(world, 'val', /^Add up the Value/)
    const session = await world.open(task, context)
    const told = await answered(
      session,
      reply([
        'import os',
        'raise ValueError(str(sorted(os.listdir("."))) + str(os.path.exists("/given/golden.xlsx")))',
      ]),
    )
    expect(told).toContain("['input.xlsx', 'program.py']False")
  })
})

describe.runIf(works)('react mode', () => {
  const call = (session: Session, name: string, given: object | string) => {
    const tool = session.tools.find(candidate => candidate.name === name)
    return tool?.call(typeof given === 'string' ? given : JSON.stringify(given), context.signal)
  }

  it('gives a folder and two tools, and scores the workbook that is saved there', async () => {
    const world = await open({ mode: 'react' })
    expect(world.needs).toEqual(['chat', 'tools'])
    const task = await taskOf(world, 'test', /^Count the rows whose Request/)
    const session = await world.open(task, context)
    const { workspace = '' } = session
    expect(await readdir(workspace)).toEqual(['input.xlsx'])
    expect(session.tools.map(({ name }) => name)).toEqual(['bash', 'write_file'])

    const scored = () => world.score(task, trajectory('Finished.'), { ...context, workspace })
    expect(await scored()).toMatchObject({ hard: 0, feedback: expect.stringContaining('no workbook') })

    const code =
      'import openpyxl\nwb = openpyxl.load_workbook("input.xlsx")\nws = wb.active\nws["D2"] = sum(1 for row in ws.iter_rows(values_only=True) if row[1] == "open")\nwb.save("output.xlsx")\nprint("saved")\n'
    expect(await call(session, 'write_file', { path: 'lib/solve.py', content: code })).toBe(
      'lib/solve.py is written.',
    )
    expect(await readFile(join(workspace, 'lib/solve.py'), 'utf8')).toBe(code)
    expect(await call(session, 'bash', { command: 'python3 lib/solve.py' })).toBe('saved')
    expect(await scored()).toMatchObject({ hard: 1, soft: 1 })
    await session.close()
    expect(existsSync(workspace)).toBe(false)
  })

  it('runs Python only, tells of errors, and lets nothing out of the folder', async () => {
    const world = await open({ mode: 'react' })
    const session = await world.open(await taskOf(world, 'test', /^Count the rows whose Request/), context)
    const { workspace = '' } = session
    try {
      for (const command of ['ls', 'rm -rf /', 'pythonx a', 'echo python3']) {
        expect(await call(session, 'bash', { command })).toContain('Only Python can be run')
      }
      expect(await call(session, 'bash', { command: "python - <<'EOF'\nprint(6 * 7)\nEOF" })).toBe('42')
      expect(await call(session, 'bash', { command: 'python3 -c "1/0"' })).toMatch(
        /^The command failed:[\s\S]*ZeroDivisionError/,
      )
      expect(await call(session, 'bash', { command: 'python3 -c pass' })).toContain('said nothing')
      for (const path of ['/etc/react-escape', '../react-escape', '/workspace/../react-escape']) {
        expect(await call(session, 'write_file', { path, content: 'x' })).toContain('could not be written')
      }
      expect(existsSync(join(workspace, '..', 'react-escape'))).toBe(false)
      await expect(call(session, 'bash', 'python3')).rejects.toThrow('not JSON')
      await expect(call(session, 'write_file', { name: 'x' })).rejects.toThrow('do not fit')

      await symlink('/etc/passwd', join(workspace, 'output.xlsx'))
      const task = await taskOf(world, 'test', /^Count the rows whose Request/)
      expect(await world.score(task, trajectory('x'), { ...context, workspace })).toMatchObject({ hard: 0 })
    } finally {
      await session.close()
    }
  })
})

describe('what is missing or fails around it', () => {
  const result = { exitCode: 0, stdout: '', stderr: '', timedOut: false, truncated: false }
  const sandboxWith = (
    run: (command: readonly string[], job: SandboxJob) => Promise<typeof result>,
  ): Sandbox => ({
    id: 'fake',
    check: async () => {},
    has: async () => true,
    run,
  })

  it('is refused before anything is spent', async () => {
    const world = await open()
    expect(world.scoring).toEqual({ sandbox: true })
    const noPython = { ...sandboxWith(async () => result), has: async () => false }
    await expect(world.checkSandbox?.(noPython)).rejects.toMatchObject({
      message: expect.stringContaining('there is no "python3" in the sandbox'),
      hint: expect.stringContaining('python3-openpyxl'),
    })
    const stderr = "Traceback\nModuleNotFoundError: No module named 'openpyxl'\n"
    const noPackages = sandboxWith(async () => ({ ...result, exitCode: 1, stderr }))
    await expect(world.checkSandbox?.(noPackages)).rejects.toMatchObject({
      message: expect.stringContaining("cannot load them: ModuleNotFoundError: No module named 'openpyxl'"),
    })
    await expect(
      (await open({ recalculate: true })).checkSandbox?.({
        ...sandboxWith(async () => result),
        has: async program => program === 'python3',
      }),
    ).rejects.toThrow('LibreOffice')
  })

  it('gives no score if the sandbox does not start, and is retried', async () => {
    let fails = true
    const sandbox = sandboxWith(async () => {
      if (fails) throw new WorldFailure('harness', 'The sandbox did not start.', { retryable: false })
      return { ...result, exitCode: 1, stderr: 'ValueError' }
    })
    const world = await open()
    const task = await taskOf(world, 'test', /^Count the rows whose Request/)
    const session = await world.open(task, { ...context, sandbox })
    await expect(answered(session, countOpen)).rejects.toBeInstanceOf(WorldFailure)
    await expect(world.score(task, trajectory(countOpen), { ...context, sandbox })).rejects.toBeInstanceOf(
      WorldFailure,
    )
    fails = false
    expect(await answered(session, countOpen)).toContain('ValueError')
  })

  it('gives programs limits, and the folders that the options name', async () => {
    const jobs: SandboxJob[] = []
    const sandbox = sandboxWith(async (_, job) => {
      jobs.push(job)
      return result
    })
    const world = await open({ secondsPerExecution: 7, memoryLimit: 300, readOnly: ['tools'] })
    const task = await taskOf(world, 'test', /^Count the rows whose Request/)
    await world.score(task, trajectory(countOpen), { ...context, sandbox })
    expect(jobs[0]).toMatchObject({
      readOnly: [join(baseDir, 'tools')],
      limits: { seconds: 7, memoryMegabytes: 300, diskMegabytes: 128 },
    })
  })

  it('refuses options that do not fit', () => {
    expect(options.safeParse({ splitDir: 'data', mode: 'single' }).success).toBe(false)
    expect(options.safeParse({ splitDir: 'data', maxTurns: 0 }).success).toBe(false)
    expect(options.safeParse({ splitDir: 'data', turns: 3 }).success).toBe(false)
  })
})
