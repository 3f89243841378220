import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { baseline, defineEnvironment } from '../../../app/index.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { generateSplits } from '../../../simulated/world/generate.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

/** End-to-end on simulated models: from a project folder to the printed output. */

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-baseline-'))
  await writeProject('desk', { train: 20, val: 10, test: 12 })
  expect((await run('train', 'desk', '--set', 'train.epochs=1', '--quiet')).code).toBe(exitCodes.ok)
})
afterAll(() => rm(cwd, { recursive: true }))

async function writeProject(
  name: string,
  sizes: Record<string, number>,
  models = 'target: simulated/target, optimizer: simulated/optimizer',
): Promise<void> {
  await mkdir(join(cwd, name), { recursive: true })
  const splits = generateSplits(sizes, 7)
  for (const split of ['train', 'val', 'test']) {
    const lines = (splits[split] ?? []).map(task => JSON.stringify(task))
    await writeFile(join(cwd, name, `${split}.jsonl`), `${lines.join('\n')}\n`)
  }
  const files = Object.keys(sizes).map(split => `  ${split}: ${split}.jsonl`)
  const config = ['environment:', '  use: tasks', ...files, '  scorer: exact', `models: {${models}}`]
  await writeFile(join(cwd, name, 'skillopt.yaml'), `${config.join('\n')}\n`)
  await writeFile(
    join(cwd, name, 'SKILL.md'),
    '# Desk\n\n- Put the final answer between <answer> and </answer>.\n',
  )
}

async function run(...argv: string[]) {
  const io = fakeIo<Library>({ cwd, env: { OPENAI_API_KEY: 'sk-not-used' } })
  return { code: await main(argv, { ...io, library: () => import('../../../app/index.js') }), io }
}

const set = ['--set', 'train.epochs=1']

describe('eval --baselines', () => {
  it('compares with the newest finished run, and pays for nothing twice', async () => {
    const { code, io } = await run('eval', 'desk', '--baselines', ...set)
    expect(code).toBe(exitCodes.ok)
    expect(io.out()).toMatch(/no skill +12 .*\n *one-shot +12 .*\n *initial +12 .*\n *trained +12 /)
    expect(io.out()).toMatch(/trained against one-shot +12 +\d+ +\d+ +[+−\d.]+ +[+−\d.]+ to [+−\d.]+/)
    expect(io.out()).toMatch(/(Better|Worse|No better) than the |Cannot tell whether/)
    expect(io.out()).toMatch(/Trained skill: +desk-001@v\d/)
    const [folder = ''] = (await readdir(join(cwd, 'runs'))).filter(name => name.startsWith('desk-baseline-'))
    const written = await readFile(join(cwd, 'runs', folder, 'one_shot_skill.md'), 'utf8')
    expect(written).toContain('# How to answer')

    const again = await run('eval', 'desk', '--baselines', ...set, '--json')
    const result = JSON.parse(again.io.out()) as {
      verdict: string
      pairs: object[]
      oneShot: string
      spending: { total: { calls: number } }
    }
    expect(result.pairs).toHaveLength(6)
    expect(result.oneShot).toBe(written)
    expect(io.out()).toContain(result.verdict)
    const [, calls = ''] = /^total +(\d+) /m.exec(io.out()) ?? []
    expect(result.spending.total.calls).toBe(Number(calls))
  })

  it('takes a file, and a version of a run', async () => {
    await writeFile(join(cwd, 'other.md'), '# Other\n')
    const file = await run('eval', 'desk', '--baselines', ...set, '--skill', 'other.md', '--quiet')
    expect(file.io.out()).toMatch(/Trained skill: +other\.md/)
    const version = await run('eval', 'desk', '--baselines', ...set, '--skill', 'desk-001@v0', '--quiet')
    expect(version.io.out()).toMatch(/Trained skill: +desk-001@v0/)
    expect(version.io.out()).toMatch(/trained against initial +12 +0 +0 +0\.0/)
  })

  it('works without a trained skill, and says what to do', async () => {
    await writeProject('fresh', { train: 6, val: 4, test: 6 })
    const { code, io } = await run('eval', 'fresh', '--baselines', '--quiet')
    expect(code).toBe(exitCodes.ok)
    expect(io.out()).toContain('There is no trained skill to compare with. Train')
    expect(io.out()).not.toMatch(/^trained/m)
  })

  it('warns when the run was trained with other tasks', async () => {
    const { io } = await run('eval', 'fresh', '--baselines', '--skill', 'desk-001', '--quiet')
    expect(io.err()).toContain('was trained with other train and val tasks')
  })

  it('spends nothing without consent', async () => {
    await writeProject(
      'paid',
      { train: 6, val: 4, test: 6 },
      'target: openai/gpt-5-mini, optimizer: openai/gpt-5-mini',
    )
    const { code, io } = await run('eval', 'paid', '--baselines')
    expect(code).toBe(exitCodes.badInput)
    expect(io.err()).toMatch(/--yes.*Expected: 25 to 26 calls/s)
    expect((await readdir(join(cwd, 'runs'))).some(name => name.startsWith('paid'))).toBe(false)
  })

  it.each([
    [['--skill', 'nobody'], /no skill file or run "nobody"/],
    [['--skill', 'desk-001@v99'], /no version v99/],
    [['--set', 'trian.epochs=1'], /trian/],
    [['--max-calls', 'many'], /whole number/],
  ] as const)('refuses %j', async (flags, message) => {
    const { code, io } = await run('eval', 'desk', '--baselines', ...flags)
    expect(code).toBe(exitCodes.badInput)
    expect(io.err()).toMatch(message)
  })

  it('refuses a project without test tasks', async () => {
    const environment = defineEnvironment({
      id: 'untested',
      tasks: split => (split === 'test' ? [] : [{ id: split }]),
      prompt: () => 'How much?',
      score: () => 0,
    })
    const config = {
      environment: {},
      models: { target: 'simulated/target', optimizer: 'simulated/optimizer' },
      evaluation: { test: [] },
    }
    const refused = baseline({ project: 'desk', config, environment, cwd, env: {} })
    await expect(refused).rejects.toThrow('The test split has no tasks to compare baselines on.')
  })

  it('stops at a cap and resumes from there', async () => {
    await writeProject('capped', { train: 6, val: 4, test: 6 })
    const first = await run('eval', 'capped', '--baselines', '--max-calls', '10', '--json')
    expect(first.code).toBe(exitCodes.capReached)
    expect(JSON.parse(first.io.out())).toMatchObject({ outcome: 'cap', tests: [] })
    const second = await run('eval', 'capped', '--baselines', '--quiet')
    expect(second.code).toBe(exitCodes.ok)
  })
})
