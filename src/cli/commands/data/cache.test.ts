import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { defineEnvironment, evaluate } from '../../../app/index.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { generateSplits } from '../../../simulated/world/generate.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

/** End-to-end: runs of one project share cached evaluations. All models are simulated. */

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-cache-command-'))
  const splits = generateSplits({ train: 4, val: 6, test: 5 }, 7)
  await mkdir(join(cwd, 'desk'))
  for (const [split, tasks] of Object.entries(splits)) {
    const lines = tasks.map(task => JSON.stringify(task))
    await writeFile(join(cwd, 'desk', `${split}.jsonl`), `${lines.join('\n')}\n`)
  }
  await writeFile(
    join(cwd, 'desk', 'skillopt.yaml'),
    `environment: {train: train.jsonl, val: val.jsonl, test: test.jsonl}
models: {target: simulated/target, optimizer: simulated/optimizer}
`,
  )
  await writeFile(
    join(cwd, 'desk', 'SKILL.md'),
    '# Desk\n\n- Put the answer between <answer> and </answer>.\n',
  )
})
afterAll(() => rm(cwd, { recursive: true }))

async function run(argv: readonly string[], env: Record<string, string> = {}) {
  const io = fakeIo<Library>({ cwd, env })
  const code = await main(argv, { ...io, library: () => import('../../../app/index.js') })
  return { code, out: io.out(), err: io.err() }
}

/** A different training seed makes a new run but leaves every attempt unchanged. */
const evaluation = (seed: number, ...more: string[]) => [
  'eval',
  'desk',
  '--split',
  'val',
  '--set',
  `train.seed=${seed}`,
  '--set',
  'evaluation.testSize=5',
  ...more,
]

it('a run shares its evaluations with the next, and says so', async () => {
  expect((await run(['data', 'cache'])).out).toBe('runs/.cache holds 0 attempts (0 B).\n')
  const first = await run(evaluation(1, '--set', 'cache=true'))
  expect(first).toMatchObject({ code: exitCodes.ok })
  expect(first.out).not.toContain('from other evaluations')
  const second = await run(evaluation(2, '--set', 'cache=true'))
  expect(second.out).toContain('6 attempts reused from other evaluations at no cost')
  expect(second.out).toMatch(/total +0 /)
  const scores = (out: string) => /val +6 .*/.exec(out)?.[0]
  expect(scores(second.out)).toBe(scores(first.out))
  const variable = await run(evaluation(3), { SKILLOPT_CACHE: 'true' })
  expect(variable.out).toContain('6 attempts reused from other evaluations')
  expect((await run(evaluation(4))).out).not.toContain('from other evaluations')

  expect((await run(['data', 'cache'])).out).toMatch(/^runs\/\.cache holds 6 attempts \([\d.]+ kB\)\.\n$/)
  expect(JSON.parse((await run(['data', 'cache', '--json'])).out)).toMatchObject({ attempts: 6 })
})

it('does not count as a run when runs are listed or removed', async () => {
  const listed = await run(['runs'])
  expect(listed).toMatchObject({ code: exitCodes.ok, err: '' })
  const removed = await run(['runs', 'rm', '.cache', '--yes'])
  expect(removed.code).toBe(exitCodes.badInput)
  expect(removed.err).toContain('There is no run ".cache" here.')
  expect(removed.err).not.toMatch(/are:.*\.cache/)
})

it('a folder from the shell starts in the shell, and must not be somebody else’s', async () => {
  await run(evaluation(5, '--set', 'cache=shared'))
  expect((await run(['data', 'cache', 'shared'])).out).toContain('shared holds 6 attempts')
  const refused = await run(evaluation(6, '--set', 'cache=desk'))
  expect(refused.code).toBe(exitCodes.badInput)
  expect(refused.err).toMatch(/desk cannot be the cache: it holds other files/)
  expect((await readdir(join(cwd, 'desk'))).sort()).not.toContain('CACHEDIR.TAG')
})

it('is emptied only after confirmation, and only if the folder is a cache', async () => {
  const unasked = await run(['data', 'cache', 'clear'])
  expect(unasked.code).toBe(exitCodes.badInput)
  expect(unasked.err).toMatch(
    /removes the cached attempts and needs your consent, but there is no terminal to ask[\s\S]*--yes/,
  )
  expect((await run(['data', 'cache', 'clear', 'desk', '--yes'])).err).toContain('Not a cache folder: desk')
  expect((await run(['data', 'cache', 'nowhere'])).code).toBe(exitCodes.badInput)
  const cleared = await run(['data', 'cache', 'clear', '--yes'])
  expect(cleared.out).toMatch(/^removed 6 attempts \([\d.]+ kB\) from runs\/\.cache\n$/)
  expect((await run(['data', 'cache', 'clear'])).out).toBe('The cache is empty.\n')
  expect((await run(evaluation(7, '--set', 'cache=true'))).out).not.toContain('from other evaluations')
})

it('accepts a programmatic environment only with fingerprints', async () => {
  const parts = {
    id: 'inline',
    tasks: (split: string) => [{ id: split }],
    prompt: () => 'What is 6 times 7?',
    score: () => 1,
  }
  const options = {
    config: {
      models: { target: 'simulated/target', optimizer: 'simulated/optimizer' },
      environment: {},
      cache: true,
    },
    project: 'desk',
    cwd,
    env: {},
    split: 'val' as const,
  }
  const unknown = evaluate({ ...options, environment: defineEnvironment(parts) })
  await expect(unknown).rejects.toThrow(/the environment "inline" is a program/)
  const known = defineEnvironment({ ...parts, fingerprints: { version: '1' } })
  expect((await evaluate({ ...options, environment: known })).outcome).toBe('finished')
})
