import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { expectShown, linesBetween } from '../../../../test/support/shown-output.js'
import * as api from '../../../app/index.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { answerSimulated } from '../../../simulated/responder.js'
import { type LoopbackServer, startLoopbackServer } from '../../../simulated/server.js'
import { generateSplits } from '../../../simulated/world/generate.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

/** End-to-end, on simulated models and on a paid one. */

let cwd: string
let server: LoopbackServer
const example = new URL('../../../../examples/quickstart/SKILL.md', import.meta.url)

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-doctor-gate-'))
  server = await startLoopbackServer({
    // The seed depends on the endpoint, whose port changes on every run; a fixed seed keeps the test
    // deterministic.
    respond: ({ seed: _, ...request }) => answerSimulated({ ...request, seed: 1 }),
    apiKey: 'the-key',
  })
  await writeProject('desk', { train: 4, val: 40, test: 4 })
  await writeProject('few', { train: 4, val: 12, test: 4 })
  await writeProject(
    'paid',
    { train: 4, val: 6, test: 4 },
    {
      model: 'openai-compatible/target',
      endpoint: `${server.url}/v1`,
      apiKeyEnv: 'KEY',
      price: { input: 1, output: 1 },
    },
  )
})
afterAll(async () => {
  await server.close()
  await rm(cwd, { recursive: true })
})

async function writeProject(
  name: string,
  sizes: Record<string, number>,
  target: unknown = 'simulated/target',
) {
  await mkdir(join(cwd, name), { recursive: true })
  const splits = generateSplits({ train: 0, val: 0, test: 0, ...sizes }, 7)
  for (const split of Object.keys(sizes)) {
    const lines = (splits[split] ?? []).map(task => JSON.stringify(task))
    await writeFile(join(cwd, name, `${split}.jsonl`), `${lines.join('\n')}\n`)
  }
  const files = Object.fromEntries(Object.keys(sizes).map(split => [split, `${split}.jsonl`]))
  const config = {
    environment: { use: 'tasks', ...files, scorer: 'exact' },
    models: { target, optimizer: 'simulated/optimizer' },
    train: { loop: 'steps' },
    evaluation: { gate: 'guarded' },
  }
  await writeFile(join(cwd, name, 'skillopt.yaml'), stringify(config))
  await copyFile(example, join(cwd, name, 'SKILL.md'))
}

async function run(...argv: string[]) {
  const io = fakeIo<Library>({ cwd, env: { KEY: 'the-key' }, library: api })
  const code = await main(['doctor', '--gate', ...argv], io)
  return { code, out: io.out(), err: io.err() }
}

describe('doctor --gate', () => {
  it('says what noise does to the score and to each gate, and what a gain would need', async () => {
    const { code, out, err } = await run('desk', '--gain', '10')
    expect(code).toBe(exitCodes.ok)
    expect(out).toMatch(/Two attempts at the same task differ in \d+\.\d% of cases/)
    expect(out).toMatch(/strict(?: \(yours\))? +(3\d|4[0-8])\.\d%/)
    expect(out).toMatch(/paired(?: \(yours\))? +[0-5]\.\d%/)
    expect(out).toMatch(/a gain of 10\.0 points +accepted now +tasks for 8 of 10\n/)
    expect(out).toMatch(/total +160 /)
    expect(err).toContain('All attempts are done')
    const shown = linesBetween(out, /^gate {2}/, /^Details/)
    expectShown('docs/how-many-tasks.md', 'gate-check', shown.join('\n').trimEnd())

    const again = await run('desk', '--json')
    expect(again.err).toBe('')
    const record = JSON.parse(again.out) as {
      noise: { disagreement: { mean: number } }
      gates: { gate: string; decisions: number; accepted: number }[]
      spending: { total: { calls: number } }
      gain?: object
    }
    expect(record.gates.map(({ gate }) => gate)).toEqual(['reference', 'strict', 'guarded', 'paired'])
    expect(record.gates.every(({ decisions }) => decisions >= 2000)).toBe(true)
    expect(record.spending.total.calls).toBe(160)
    expect(record.gain).toBeUndefined()

    const [folder = ''] = (await readdir(join(cwd, 'runs'))).filter(name =>
      name.startsWith('desk-gate-check'),
    )
    const io = fakeIo<Library>({ cwd, library: api })
    expect(await main(['report', folder], io)).toBe(exitCodes.ok)
    const page = await readFile(join(cwd, 'runs', folder, 'report.md'), 'utf8')
    expect(page).toMatch(/\*\*finished\*\*.*Gate check/)
    expect(page).toContain('evaluated against itself in 160 scored attempts')
  })

  it('includes the configured gate and marks it', async () => {
    const { out } = await run('few', '--samples', '2', '--quiet', '--set', 'evaluation.gate=always')
    expect(out).toMatch(/always \(yours\) +100\.0%/)
    expect(out).toContain('Only 12 tasks: one task is worth 8.3 points')
    const reference = ['--set', 'evaluation.gate=strict', '--set', 'evaluation.earlyStop=false']
    const whole = await run('few', '--samples', '2', '--quiet', ...reference)
    expect(whole.out).toMatch(/reference \(yours\)/)
  })

  it('asks before paying, stops before a cap, and resumes without paying twice', async () => {
    const refused = await run('paid')
    expect(refused.code).toBe(exitCodes.badInput)
    expect(refused.err).toContain('at least 24 target calls')
    expect(server.counters.requests).toBe(0)

    const capped = await run('paid', '--yes', '--max-calls', '10', '--quiet')
    expect(capped.code).toBe(exitCodes.capReached)
    expect(capped.out).not.toContain('gate')
    expect(server.counters.completions).toBe(10)
    const whole = await run('paid', '--yes', '--quiet')
    expect(whole.code).toBe(exitCodes.ok)
    expect(server.counters.completions).toBe(24)
    // With a single seed, every reply is the same.
    expect(whole.out).toContain('No noise in 24 attempts')
    expect(whole.out).toContain('No gate would accept an edit that changes nothing.')
    expect((await run('paid', '--yes', '--quiet')).out).toContain('No noise in 24 attempts')
    expect(server.counters.completions).toBe(24)
    await run('paid', '--yes', '--quiet', '--samples', '5')
    expect(server.counters.completions).toBe(30)
    expect(
      (await readdir(join(cwd, 'runs'))).filter(name => name.startsWith('paid-gate-check')),
    ).toHaveLength(1)
  })

  it.each([
    ['one sample', ['desk', '--samples', '1'], '1 attempts per task cannot show noise'],
    ['half a sample', ['desk', '--samples', '2.5'], 'Expected a whole number above 0'],
    ['no gain', ['desk', '--gain', '0'], 'Expected a number above 0'],
    ['more than everything', ['desk', '--gain', '120'], 'No edit can gain 120 points'],
    ['a skill that is not there', ['desk', '--skill', 'nowhere.md'], 'nowhere.md cannot be read'],
  ])('refuses %s', async (_, argv, message) => {
    const { code, err } = await run(...argv)
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain(message)
  })

  it('refuses a project without validation tasks', async () => {
    const environment = api.defineEnvironment({
      id: 'blind',
      tasks: split => (split === 'val' ? [] : [{ id: split }]),
      prompt: () => 'How much?',
      score: () => 0,
    })
    const config = {
      environment: {},
      models: { target: 'simulated/target', optimizer: 'simulated/optimizer' },
    }
    const refused = api.gateCheck({ project: 'desk', config, environment, cwd, env: {} })
    await expect(refused).rejects.toThrow('The val split has no tasks')
  })

  it('reports a gain that exceeds the possible maximum', async () => {
    const { code, out } = await run('few', '--samples', '2', '--quiet', '--gain', '100')
    expect(code).toBe(exitCodes.ok)
    expect(out).toMatch(
      /A gain of 100\.0 points is impossible: solving every task would gain \d+\.\d points\./,
    )
  })
})
