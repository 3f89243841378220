import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parse } from 'yaml'
import { fakeIo } from '../../../../test/support/fake-io.js'
import * as api from '../../../app/index.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { checkAgentSkill } from '../../../core/skill/agent-skill.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

/** Covers the files that `init --environment` writes; test/own-environment.test.ts proves that they work. */

let cwd = ''
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-init-environment-'))
})
afterEach(() => rm(cwd, { recursive: true }))

async function run(...argv: string[]) {
  const io = fakeIo<Library>({ cwd, env: { OPENAI_API_KEY: 'k' }, library: api })
  const code = await main(argv, io)
  return { code, out: io.out(), err: io.err() }
}
const read = (name: string) => readFile(join(cwd, name), 'utf8')

it('writes a project that doctor passes, under the name that was given, and says what to do next', async () => {
  const { code, out, err } = await run('init', 'bench', '--environment', 'my-bench')
  expect(code).toBe(exitCodes.ok)
  expect((await readdir(join(cwd, 'bench'))).sort()).toEqual([
    'SKILL.md',
    'environment.test.mjs',
    'environment.ts',
    'skillopt.yaml',
    'tasks.jsonl',
  ])
  expect(await read('bench/environment.ts')).toContain("id: 'my-bench'")
  expect(checkAgentSkill(await read('bench/SKILL.md'), 'my-bench')).toEqual([])
  // Example tasks use simulated models even when an API key is set, so they cost nothing.
  expect(parse(await read('bench/skillopt.yaml')).models).toEqual({
    target: 'simulated/target',
    optimizer: 'simulated/optimizer',
  })
  expect(out).toMatch(/Next:\n {2}node --test bench\/environment\.test\.mjs\n {2}skillopt doctor bench\n/)
  expect(err).toContain('skillopt is not installed in bench or above')
  const doctor = await run('doctor', 'bench')
  expect(doctor.code).toBe(exitCodes.ok)
  expect(doctor.out).toContain('environment my-bench: 30 train, 30 validation, 30 test tasks')
})

it('takes the current folder, named models and --json', async () => {
  const { code, out } = await run('init', '--environment', 'b2', '--target', 'ollama/llama3.2', '--json')
  expect(code).toBe(exitCodes.ok)
  expect(JSON.parse(out)).toMatchObject({
    folder: cwd,
    environment: 'b2',
    files: expect.arrayContaining([join(cwd, 'environment.ts')]),
    models: { target: 'ollama/llama3.2' },
  })
  expect(parse(await read('skillopt.yaml')).models.target).toBe('ollama/llama3.2')
})

it('replaces nothing without --force', async () => {
  await mkdir(join(cwd, 'bench'))
  await writeFile(join(cwd, 'bench', 'SKILL.md'), '# Mine\n')
  const { code, err } = await run('init', 'bench', '--environment', 'bench')
  expect([code, await readdir(join(cwd, 'bench'))]).toEqual([exitCodes.badInput, ['SKILL.md']])
  expect(err).toContain('bench/SKILL.md already exists; nothing was written')
  expect((await run('init', 'bench', '--environment', 'bench', '--force')).code).toBe(exitCodes.ok)
  const again = await run('init', 'bench', '--environment', 'bench')
  expect(again.err).toContain('bench/skillopt.yaml already exists')
})

it.each([
  [['--environment', 'My Bench'], /Invalid environment name "My Bench"[\s\S]*--environment my-bench/],
  [['--environment', '7'], /Invalid environment name "7"[^\n]*\n$/],
  [['--environment', 'searchqa'], /searchqa is a built-in environment[\s\S]*use: searchqa/],
  [['--environment', 'x', '--tasks', 'y.csv'], /cannot be used with option '--tasks <path>'/],
  [['--environment', 'x', '--from', 'SKILL.md'], /cannot be used with option '--from <path>'/],
  [['--environment'], /argument missing/],
])('init %j is refused, and nothing is written', async (argv, message) => {
  const { code, err } = await run('init', 'bench', ...argv)
  expect(code).toBe(exitCodes.badInput)
  expect(err).toMatch(message)
  expect(await readdir(cwd)).toEqual([])
})
