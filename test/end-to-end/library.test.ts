import { join } from 'node:path'
import { evaluate, type RunEvent, train } from 'skillopt'
import { beforeAll, describe, expect, it } from 'vitest'
import type { LoopbackServer } from '../../src/testing/index.js'
import {
  filesOf,
  jsonOf,
  key,
  modelConfig,
  parcelServer,
  put,
  resultOf,
  skillopt,
  temporaryFolder,
  textOf,
  writeProject,
} from './support.js'

/** The package as used by a program, and the commands that inspect a run. */

let server: LoopbackServer
beforeAll(async () => {
  server = await parcelServer()
})

describe('import { train, evaluate, defineEnvironment }', () => {
  const environment = `import { defineEnvironment, type Task } from 'skillopt'
import { z } from 'zod'

interface Parcel extends Task { readonly edge: number; readonly kilos: number }

const parcels = (split: string, count: number, start: number): Parcel[] =>
  Array.from({ length: count }, (_, index) => ({
    id: split + index, type: index % 2 ? 'light' : 'heavy', edge: 20 + start + index, kilos: index % 2 ? 0.5 : 30,
  }))

export default defineEnvironment<Parcel, { count: number }>({
  id: 'cubes',
  options: z.object({ count: z.int().positive() }),
  tasks: (split, { options }) => parcels(split, options.count, { train: 0, val: 20, test: 40 }[split]),
  instructions: 'Put the final answer between <answer> and </answer>.',
  prompt: ({ edge, kilos }) => \`A parcel measures \${edge} x \${edge} x \${edge} cm and weighs \${kilos} kg. What is its chargeable weight?\`,
  score({ edge, kilos }, answer) {
    const expected = Math.ceil(Math.max(edge ** 3 / 4000, kilos) * 2) / 2
    const given = Number.parseFloat(/<answer>\\s*([\\d.]+)/.exec(answer)?.[1] ?? '')
    return { hard: given === expected ? 1 : 0, soft: given === expected ? 1 : 0.1, feedback: \`Expected "\${expected} kg".\` }
  },
})
`
  let cwd: string
  const events: RunEvent[] = []
  const options = () => ({ project: 'cubes', out: 'run', cwd, env: key, trust: true as const })

  beforeAll(async () => {
    cwd = await temporaryFolder()
    await put(cwd, 'cubes/cubes.ts', environment)
    await put(
      cwd,
      'cubes/SKILL.md',
      await textOf(join(import.meta.dirname, '../../examples/quickstart'), 'SKILL.md'),
    )
    const config = {
      environment: { use: './cubes.ts', count: 6 },
      models: {
        target: modelConfig('target', server.url),
        optimizer: modelConfig('optimizer', server.url),
      },
      train: { loop: 'steps', epochs: 2, batchSize: 3 },
      reflect: { minibatchSize: 2 },
      evaluation: { gate: 'guarded', metric: 'soft' },
    }
    await put(cwd, 'cubes/skillopt.json', JSON.stringify(config))
  })

  it('stops at a cap as an outcome, with the best skill so far', async () => {
    const stopped = await train({
      ...options(),
      flags: { 'limits.maxCalls': 20 },
      onEvent: event => events.push(event),
    })
    expect(stopped).toMatchObject({ outcome: 'cap', error: { code: 'cap-reached', exitCode: 4 } })
    expect(stopped.bestSkill).toBe(await textOf(join(cwd, 'run'), 'best_skill.md'))
  })

  it('stops on a signal', async () => {
    const controller = new AbortController()
    const stopped = await train({
      ...options(),
      signal: controller.signal,
      onEvent: event => {
        events.push(event)
        if (event.type === 'step.finished') controller.abort()
      },
    })
    expect(stopped).toMatchObject({ outcome: 'interrupted', error: { code: 'interrupted' } })
  })

  it('resumes to the end and returns the result', async () => {
    const finished = await train({ ...options(), onEvent: event => events.push(event) })
    expect(finished).toMatchObject({ outcome: 'finished', error: undefined, directory: join(cwd, 'run') })
    expect(finished.view).toMatchObject({ outcome: 'finished', epochs: 2, stepsPerEpoch: 2, sessions: 3 })
    expect(finished.view?.tests).toHaveLength(4)
    expect(finished.bestSkill).toBe((await resultOf(join(cwd, 'run'))).best)
    // The callback's events over three sessions equal the log.
    const log = (await textOf(join(cwd, 'run'), 'events.jsonl')).trimEnd().split('\n')
    expect(events.map(event => JSON.stringify(event))).toEqual(log)
  })

  it('scores a skill, once', async () => {
    const skill = 'run/best_skill.md'
    const first = await evaluate({ project: 'cubes', skill, split: 'test', cwd, env: key, trust: true })
    expect(first).toMatchObject({ outcome: 'finished', simulated: false })
    const view = await jsonOf(join(cwd, 'run'), 'summary.json')
    const tested = view.tests.find((test: { which: string }) => test.which === 'best')
    expect(first.splits).toMatchObject([
      { split: 'test', scored: 6, failed: 0, hard: tested.hard, soft: tested.soft },
    ])
    expect(first.splits[0]?.types.map(({ type }) => type)).toEqual(['heavy', 'light'])
    const before = server.counters.requests
    expect(
      (await evaluate({ project: 'cubes', skill, split: 'test', cwd, env: key, trust: true })).splits,
    ).toEqual(first.splits)
    expect(server.counters.requests).toBe(before)
  })

  it('throws bad input before anything is written', async () => {
    const before = await filesOf(cwd)
    const bad = train({ ...options(), out: 'other', flags: { 'environment.cuont': 3 } })
    await expect(bad).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringMatching(/environment\.cuont/),
    })
    expect(await filesOf(cwd)).toEqual(before)
  })
})

describe('commands', () => {
  let cwd: string
  const run = (...args: string[]) => skillopt(args, { cwd, env: key })
  const output = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }

  beforeAll(async () => {
    cwd = await temporaryFolder()
    await writeProject(join(cwd, 'parcels'), { endpoint: server.url })
    await output('train', 'parcels', '--yes', '--quiet')
  })

  it('eval scores each split, under both names, and pays once', async () => {
    const best = ['eval', 'parcels', '--skill', 'runs/parcels-001/best_skill.md', '--yes']
    const all = await output(...best)
    expect(all).toMatch(/train\s+12[\s\S]*val\s+8[\s\S]*test\s+6/)
    const before = server.counters.requests
    const json = async (split: string) => {
      const { code, stdout } = await run(...best, '--split', split, '--json')
      expect(code).toBe(0)
      return JSON.parse(stdout)
    }
    const test = await json('test')
    expect(test.splits).toMatchObject([{ split: 'test', scored: 6 }])
    expect((await json('valid_unseen')).splits).toEqual(test.splits)
    const val = await json('valid_seen')
    const { best: known } = await jsonOf(join(cwd, 'runs/parcels-001'), 'summary.json')
    expect(val.splits).toMatchObject([{ split: 'val', score: known.score }])
    expect(server.counters.requests).toBe(before)
  })

  it('try shows one attempt: prompt, reply and score', async () => {
    const before = server.counters.requests
    const text = await output('try', 'parcels', '--task', 'test-001')
    const [first] = (await textOf(cwd, 'parcels/tasks/test.jsonl')).split('\n')
    const { question, answer } = JSON.parse(first ?? '')
    expect(text).toContain(question)
    expect(text).toContain('# Parcel desk')
    expect(text).toContain(answer)
    expect(text).toMatch(/score hard \d+\.\d%, soft \d+\.\d%/)
    const trial = JSON.parse(await output('try', 'parcels', '--task', 'test-001', '--json'))
    expect(trial).toMatchObject({ task: 'test-001', split: 'test', outcome: { status: 'scored' } })
    // Each call makes a fresh attempt.
    expect(server.counters.requests).toBe(before + 2)
  })

  it('runs lists trainings with their state and gain', async () => {
    expect(await output('runs')).toMatch(
      /runs\/parcels-001\s+finished\s+4\/4\s+(Better|Cannot tell|No change|Worse)\b/,
    )
    const [only, ...others] = JSON.parse(await output('runs', '--json'))
    expect(others).toEqual([])
    expect(only).toMatchObject({
      run: 'parcels-001',
      state: 'finished',
      best: expect.any(Number),
      bestVersion: expect.any(Number),
      mostSteps: 4,
      verdict: { sentence: expect.stringMatching(/^(Better|Cannot tell|No change|Worse): /) },
    })
  })

  it('show tells what happened and why, for people and for programs', async () => {
    const text = await output('show', 'parcels-001')
    expect(text).toMatch(/step 1 \(epoch 1\) accepted/)
    expect(text).toMatch(/step 3 \(epoch 2\) rejected/)
    expect(text).toMatch(/gate: reject, validation .*\(was /)
    expect(text).toMatch(/support \d+, from failures · tasks train-/)
    expect(text).toMatch(/models\.target\.model\s+"openai-compatible\/target"\s+file skillopt\.yaml:\d+/)
    const view = JSON.parse(await output('show', 'runs/parcels-001', '--json'))
    expect(view).toMatchObject({ run: 'parcels-001', outcome: 'finished', best: { version: 4 } })
    expect(view.steps).toHaveLength(4)
    expect(await output('show', 'parcels-001', '--sources')).toMatch(/train\.seed\s+42\s+default/)
  })

  it('show --lines traces every line of the best skill to the seed or an edit', async () => {
    const text = await output('show', 'parcels-001', '--lines')
    const [, traced = ''] = /lines of v4, and where each came from\n([\s\S]*?)\n\n/.exec(text) ?? []
    const view = JSON.parse(await output('show', 'parcels-001', '--json'))
    const edits = view.steps.flatMap((step: { edits: { id: string }[] }) => step.edits.map(({ id }) => id))
    const known = new Set(['seed', 'slow-update:2', ...edits])
    const width = Math.max(...traced.split('\n').map(line => line.indexOf('  ')))
    const rows = traced.split('\n').map(line => ({
      origins: line.slice(0, width).trim().split(', '),
      text: line.slice(width + 2),
    }))
    for (const origin of rows.flatMap(row => row.origins)) expect(known).toContain(origin)
    expect(new Set(rows.flatMap(row => row.origins)).size).toBeGreaterThan(3)
    const best = await textOf(join(cwd, 'runs/parcels-001'), 'best_skill.md')
    expect(rows.map(row => row.text)).toEqual(best.replace(/\n$/, '').split('\n'))
  })

  it('show --diff compares versions by number and by name', async () => {
    const text = await output('show', 'parcels-001', '--diff', 'v0', 'best')
    expect(text).toMatch(/^--- v0\n\+\+\+ best\n/)
    expect(text).toMatch(/^\+- /m)
    expect(await output('show', 'parcels-001', '--diff', 'v0', 'v0')).toMatch(/are the same text/)
    expect(await output('show', 'parcels-001', '--diff', 'seed', 'v4')).toContain(
      text.split('\n').slice(2, 6).join('\n'),
    )
  })

  it('doctor says what is ready and what is missing, without spending', async () => {
    const before = server.counters.requests
    const text = await output('doctor', 'parcels')
    expect(text).toMatch(/ok\s+config parcels\/skillopt\.yaml is valid/)
    expect(text).toMatch(/ok\s+target openai-compatible\/target: key and endpoint are set/)
    expect(text).toMatch(/warn\s+target .*no price known/)
    expect(text).toMatch(/12 train, 8 validation, 6 test tasks/)
    expect(server.counters.requests).toBe(before)
    expect(await output('doctor', 'parcels', '--online')).toMatch(/optimizer .*: answered \(stop\)/)
    expect(server.counters.requests).toBe(before + 2)
    const missing = await skillopt(['doctor', 'parcels'], { cwd })
    expect(missing.code).toBe(2)
    expect(missing.stdout).toMatch(/fail\s+target openai-compatible\/target: .*E2E_KEY is not set/)
  })
})
