import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Library } from '../src/cli/library.js'
import { main } from '../src/cli/main.js'
import { environmentChecks, projectEnvironment } from '../src/testing/index.js'
import { failures } from './conformance/check.js'
import { fakeIo } from './support/fake-io.js'
import { expectShown } from './support/shown-output.js'

/**
 * Follows docs/extending.md: the scaffold is written, tested, trained, and broken in the ways that users do.
 */

const root = fileURLToPath(new URL('..', import.meta.url))
let cwd = ''

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-own-environment-'))
  await mkdir(join(cwd, 'node_modules'))
  await symlink(root, join(cwd, 'node_modules', 'skillopt'), 'junction')
  const { code, out } = await run('init', 'parcels', '--environment', 'parcels')
  expect(code).toBe(0)
  expectShown('docs/extending.md', 'init', out.trimEnd())
})
afterAll(() => rm(cwd, { recursive: true, force: true, maxRetries: 5 }))

async function run(...argv: string[]) {
  const io = fakeIo<Library>({ cwd, library: await import('../src/app/index.js') })
  const code = await main(argv, io)
  return { code, out: io.out(), err: io.err() }
}

/** Runs the work with changed text in a file, then restores the file. */
async function spoiled<T>(name: string, from: string, to: string, work: () => Promise<T>): Promise<T> {
  const file = join(cwd, 'parcels', name)
  const before = await readFile(file, 'utf8')
  if (!before.includes(from)) throw new Error(`${name} lacks ${from}`)
  await writeFile(file, before.replace(from, to))
  try {
    return await work()
  } finally {
    await writeFile(file, before)
  }
}

interface Parcel {
  readonly id: string
  readonly expected: number
}

const subject = async () => ({
  ...(await projectEnvironment<Parcel>(join(cwd, 'parcels'))),
  solve: ({ expected }: Parcel) => `<answer>${expected} kg</answer>`,
})

describe('the scaffold', () => {
  it('passes its own test, which notices when a promise is broken', async () => {
    if (!existsSync(join(root, 'dist', 'testing', 'project.js')))
      throw new Error('The test imports the built package, and dist/ is not there or old: npm run build')
    const test = () =>
      promisify(execFile)(process.execPath, ['--test', 'parcels/environment.test.mjs'], { cwd }).then(
        ({ stdout }) => stdout,
        (error: { stdout: string }) => error.stdout,
      )
    const passed = await test()
    expect(passed).toMatch(/^(# |ℹ )fail 0$/m)
    expect(passed).toMatch(/^(# |ℹ )pass 1[0-9]$/m)
    const failed = await spoiled('environment.ts', 'hard: right && withUnit ? 1 : 0', 'hard: 1', test)
    expect(failed).toMatch(/^(# |ℹ )fail [1-9]$/m)
    expect(failed).toContain('does not give it for silence or for nonsense')
  })

  it('trains on the simulated models and gains', async () => {
    expect((await run('train', 'parcels', '--quiet')).code).toBe(0)
    const summary = await readFile(join(cwd, 'runs', 'parcels-001', 'summary.json'), 'utf8')
    const { tests } = JSON.parse(summary) as { tests: { which: string; score: number }[] }
    const score = (which: string) => tests.find(test => test.which === which)?.score ?? Number.NaN
    expect(score('best') - score('initial')).toBeGreaterThanOrEqual(0.3)
  })

  it.each([
    ['a line that is no JSON', '{"id":"val-3"', '{"id":', /tasks\.jsonl, line 33: SyntaxError/],
    ['a value of the wrong kind', '"kilograms":12.7', '"kilograms":"12.7"', /line 2: .*expected number/],
    ['a key that nobody knows', '"id":"train-3"', '"id":"train-3","weight":1', /line 3: .*"weight"/],
    ['an id that is there twice', '"id":"val-2"', '"id":"val-1"', /several tasks with the same id: val-1/],
  ])('refuses %s before anything is paid', async (_, from, to, says) => {
    const { code, out, err } = await spoiled('tasks.jsonl', from, to, () => run('doctor', 'parcels'))
    expect(code).toBe(2)
    expect(out + err).toMatch(says)
  })
})

describe('projectEnvironment', () => {
  it('loads what the config names, for checks that hold', async () => {
    expect([...(await failures(environmentChecks(await subject())))]).toEqual([])
  })

  it('refuses a project that is not there, and an option that the file does not have', async () => {
    await expect(projectEnvironment(join(cwd, 'nowhere'))).rejects.toThrow('nowhere')
    await spoiled('skillopt.yaml', 'file: tasks.jsonl', 'fiel: tasks.jsonl', async () => {
      const { create } = await subject()
      await expect(create()).rejects.toThrow(/environment\.fiel/)
    })
  })
})
