import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ownProgram } from '../../system/own-program.js'
import type { NightlyJob } from './job.js'
import { missingVariables, runNight } from './night.js'
import { nightLog, settingsFile, settingsText } from './settings.js'
import { encodePath } from './words.js'

let root = ''
let job: NightlyJob
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillopt-night-'))
  await mkdir(join(root, 'Jörg 100%'))
  await mkdir(join(root, 'project'))
  job = {
    project: join(root, 'project'),
    folder: join(root, 'Jörg 100%'),
    command: [process.execPath, '-e', ''],
    hour: 3,
    minute: 17,
    environment: {},
    needs: [],
    variableFiles: [join(root, 'project', '.env'), join(root, '.env')],
  }
})
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))

const running = (script: string, ...rest: string[]) => [process.execPath, '-e', script, ...rest] as const

async function night(change: Partial<NightlyJob>, env: Record<string, string> = {}) {
  const file = settingsFile(job.folder)
  await writeFile(file, settingsText({ ...job, ...change }))
  const now = () => new Date('2026-11-16T03:17:00Z')
  const code = await runNight(file, {
    env,
    now,
    stderr: process.stderr,
    signal: new AbortController().signal,
  })
  return { code, log: await readFile(nightLog(job.folder), 'utf8') }
}

test('runs the command in the project, with its variables, and logs what it prints', async () => {
  const script =
    'console.log(process.cwd() === process.argv[1], process.env.A, process.env.B); console.error("loud"); process.exitCode = 4'
  const environment = { A: 'kept', B: 'over' }
  const { code, log } = await night({ command: running(script, job.project), environment }, { B: 'x' })
  expect(code).toBe(4)
  expect(log).toMatch(/^2026-11-16T03:17:00.000Z A night begins: -e /)
  expect(log).toContain('\ntrue kept over\n')
  expect(log).toContain('\nloud\n')
  expect(log.endsWith('2026-11-16T03:17:00.000Z The night ended with code 4.\n')).toBe(true)
})

test('finds keys in the first file that has them, after the variables of the system', async () => {
  await writeFile(join(root, 'project', '.env'), 'ONE_KEY="first"\nEMPTY_KEY=\nOTHER=not asked for\n')
  await writeFile(join(root, '.env'), 'ONE_KEY=second\nEMPTY_KEY=third\nSET_KEY=file\n')
  const script = 'const e = process.env; console.log(e.ONE_KEY, e.EMPTY_KEY, e.SET_KEY, e.OTHER)'
  const needs = ['ONE_KEY', 'EMPTY_KEY', 'SET_KEY']
  const { log } = await night({ command: running(script), needs }, { SET_KEY: 'system' })
  expect(log).toContain('\nfirst third system undefined\n')
  expect(await missingVariables({ ...job, needs: [...needs, 'NO_KEY'] })).toEqual(['NO_KEY'])
})

test('fails before the night begins if a key is missing', async () => {
  const { code, log } = await night({ command: running('console.log("ran")'), needs: ['A_KEY', 'B_KEY'] })
  expect(code).toBe(2)
  expect(log).toContain(
    `could not begin: A_KEY, B_KEY are not set. Write it as a line NAME=value into ${root}`,
  )
  expect(log).not.toContain('ran')
})

test('logs a missing project, program or settings file', async () => {
  const gone = await night({ project: join(root, 'gone') })
  expect(gone.code).toBe(2)
  expect(gone.log).toContain('The project is gone:')
  const moved = await night({ command: [join(root, 'node')] })
  expect(moved.code).toBe(2)
  expect(moved.log).toContain('cannot be started: spawn')
  const file = settingsFile(job.folder)
  await writeFile(file, '{"format":2}')
  const options = {
    env: {},
    now: () => new Date(0),
    stderr: process.stderr,
    signal: new AbortController().signal,
  }
  expect(await runNight(file, options)).toBe(2)
  await rm(file)
  expect(await runNight(file, options)).toBe(2)
  const log = await readFile(nightLog(job.folder), 'utf8')
  expect(log).toContain('is damaged. Schedule the project again')
  expect(log).toContain('The settings of the schedule are gone:')
})

test('continues the night if the log cannot be written', async () => {
  await mkdir(nightLog(job.folder))
  await writeFile(
    settingsFile(job.folder),
    settingsText({ ...job, command: running('process.exitCode = 5') }),
  )
  const said: string[] = []
  const options = { env: {}, now: () => new Date(0), signal: new AbortController().signal }
  const stderr = { write: (text: string) => said.push(text) }
  expect(await runNight(settingsFile(job.folder), { ...options, stderr })).toBe(5)
  expect(said).toEqual([expect.stringContaining('nights.log cannot be written: EISDIR')])
})

test('the launched program finds its settings and ends the command when it is terminated', async () => {
  const script =
    'process.on("SIGTERM", () => { console.log("told"); process.exit(7) }); console.log("up"); setInterval(() => {}, 1000)'
  await writeFile(settingsFile(job.folder), settingsText({ ...job, command: running(script) }))
  const { file, execArgv } = ownProgram('run-night', import.meta.url)
  const child = spawn(process.execPath, [...execArgv, file, encodePath(settingsFile(job.folder))])
  const log = () => readFile(nightLog(job.folder), 'utf8').catch(() => '')
  while (!(await log()).includes('\nup\n')) await new Promise(resolve => setTimeout(resolve, 20))
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([7, null])
  expect(await log()).toContain('told\n')
})
