import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import * as library from '../../src/app/index.js'
import type { Library } from '../../src/cli/library.js'
import { main } from '../../src/cli/main.js'
import { fakeIo } from '../support/fake-io.js'
import { type Case, cases, replace } from './bad-input-cases.js'
import {
  eventsOf,
  type Finished,
  filesOf,
  key,
  modelConfig,
  ofType,
  parcelServer,
  put,
  skillopt,
  start,
  temporaryFolder,
  type Where,
  writeProject,
} from './support.js'

/** Every mistake is reported in one sentence, before anything is written or paid. */

let base: string
beforeAll(async () => {
  base = await temporaryFolder()
  const config = { train: { epochs: 1, batchSize: 4 }, evaluation: { test: ['best' as const] } }
  await writeProject(base, { sizes: { train: 4, val: 3, test: 2 }, config })
  expect(await skillopt(['train', '--out', 'run'], { cwd: base })).toMatchObject({ code: 0, stderr: '' })
})

async function spoiltBy({ spoil }: Case): Promise<string> {
  const folder = await temporaryFolder()
  await cp(base, folder, { recursive: true })
  await spoil?.(folder)
  return folder
}

/** Runs the command, which must leave the project unchanged, and returns its answer. */
async function answerTo({ args, env = {}, says }: Case, cwd: string, ask: Ask): Promise<Finished> {
  const before = await filesOf(cwd)
  const refused = await ask(args, { cwd, env })
  expect(refused.stderr).toMatch(says)
  expect(refused.code).toBe(2)
  // It may have printed the planned run directory.
  expect(refused.stdout.trim().split('\n')).toHaveLength(1)
  // One sentence, optionally followed by a hint, and no stack trace.
  const lines = refused.stderr.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^error: .*[.?']$/)
  expect(lines.length).toBeLessThanOrEqual(2)
  expect(refused.stderr).not.toMatch(/^\s+at |unexpected|hidden-4711/m)
  expect(await filesOf(cwd)).toEqual(before)
  return refused
}

type Ask = (args: readonly string[], where: Required<Where>) => Promise<Finished>

/** Runs the same commands in this process, because process start-up dominates the time. */
const inProcess: Ask = async (args, { cwd, env }) => {
  const io = fakeIo<Library>({ cwd, env, library })
  return { code: await main(args, io), stdout: io.out(), stderr: io.err() }
}

describe('refuses with one sentence and exit code 2, and writes nothing', () => {
  it.each(Object.entries(cases))('%s', async (_name, one) => {
    await answerTo(one, await spoiltBy(one), inProcess)
  })
})

describe('refuses as a process in the same words', () => {
  it.each([
    'an unknown key, with the nearest one',
    'an environment file that cannot be loaded',
    'an unknown flag',
    'a missing key',
    'paid calls that nobody agreed to',
    'other tasks than the run began with',
    'a damaged log, when looking',
    'a split that is not there',
  ])('%s', async name => {
    const one = cases[name]
    if (one === undefined) throw new Error(`There is no such case: ${name}`)
    const cwd = await spoiltBy(one)
    expect(await answerTo(one, cwd, skillopt)).toEqual(await answerTo(one, cwd, inProcess))
  })
})

it('refuses a second process on the same run directory', async () => {
  const cwd = await temporaryFolder()
  const server = await parcelServer({ faults: () => 'silence' })
  await writeProject(cwd, { endpoint: server.url })
  const args = ['train', '--out', 'run', '--yes']
  const first = start(args, { cwd, env: key })
  await first.says(/step 1\/4/)
  const second = await skillopt(args, { cwd, env: key })
  expect(second.code).toBe(2)
  expect(second.stderr).toMatch(new RegExp(`^error: .*run is in use by process ${first.child.pid} since`))
  expect(ofType(await eventsOf(join(cwd, 'run')), 'session.started')).toHaveLength(1)
  first.child.kill('SIGINT')
  expect(await first.finished).toMatchObject({ code: 130 })
})

it('pauses when a scorer of one’s own returns no number, naming task and scorer', async () => {
  const cwd = await temporaryFolder()
  const server = await parcelServer()
  await put(
    cwd,
    'desk.ts',
    `import { defineEnvironment, type Task } from 'skillopt'

interface Sum extends Task { readonly n: number }
const sums = (split: string, count: number): Sum[] =>
  Array.from({ length: count }, (_, n) => ({ id: split + '-' + n, n }))

export default defineEnvironment<Sum>({
  id: 'my-desk',
  tasks: split => sums(split, 3),
  prompt: task => 'How much is ' + task.n + '?',
  score: (task, answer) => (task.id === 'train-1' ? Number(answer) * Number.NaN : 0.5),
})
`,
  )
  await put(cwd, 'SKILL.md', '# Sums\n')
  const models = {
    target: modelConfig('target', server.url),
    optimizer: modelConfig('optimizer', server.url),
  }
  await put(cwd, 'skillopt.json', JSON.stringify({ environment: { use: './desk.ts' }, models }))
  const train = (...flags: string[]) => skillopt(['train', '--trust', '--yes', ...flags], { cwd, env: key })
  const runs = join(cwd, 'runs')
  const paused = await train()
  expect(paused.stderr).toMatch(
    /paused: Invalid score from the environment "my-desk": hard = NaN for task "train-1"/i,
  )
  expect(paused.stderr).toMatch(/This attempt was not scored\..*start a new run with --new/)
  expect(paused.stderr).not.toMatch(/^\s+at /m)
  expect(paused.code).toBe(3)
  const [first] = await readdir(runs)
  const events = await eventsOf(join(runs, first ?? ''))
  const scored = ofType(events, 'attempt.finished').map(({ body }) => body.task)
  expect(scored).toContain('train-0')
  expect(scored).not.toContain('train-1')

  // Scores of two scorers must not mix in one run.
  await replace('desk.ts', /score: .*/, 'score: () => 0.5,')(cwd)
  expect(await train()).toMatchObject({ code: 2, stderr: expect.stringMatching(/content of environment/) })
  expect(await train('--new')).toMatchObject({ code: 0, stderr: '' })
  expect(await readdir(runs)).toHaveLength(2)
})
