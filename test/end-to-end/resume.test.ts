import { beforeAll, expect, it } from 'vitest'
import type { LoopbackServer } from '../../src/testing/index.js'
import { timeLimit } from '../support/time-limit.js'
import { type StraightTraining, trainStraight } from './straight-training.js'
import { filesOf, resultOf, skillopt } from './support.js'

/** However a run is stopped, the same command resumes it and ends with the same result. */

let cwd: string
let server: LoopbackServer
let straight: StraightTraining['straight']
let train: StraightTraining['train']
let run: StraightTraining['run']
let stopAt: StraightTraining['stopAt']

beforeAll(async () => {
  const training = await trainStraight()
  ;({ cwd, server, straight, train, run, stopAt } = training)
})

it('takes over the lock of a process that was killed, at once', async () => {
  expect(await stopAt('killed', /step 3\/4/, 'SIGKILL')).toMatchObject({ code: null })
  expect(Object.keys(await filesOf(run('killed')))).toContain('lock.json')
  const { stdout } = await skillopt(['runs', '--dir', '.'], { cwd })
  expect(stdout).toMatch(/killed\s+killed/)
  const before = Date.now()
  expect(await train('killed')).toMatchObject({ code: 0, stderr: '' })
  expect(Date.now() - before).toBeLessThan(timeLimit(10_000))
  expect(await resultOf(run('killed'))).toEqual(straight)
  expect(Object.keys(await filesOf(run('killed')))).not.toContain('lock.json')
})

it('pays nothing when a finished run is run again, and changes none of its results', async () => {
  const [before, calls] = [await filesOf(run('straight')), server.counters.requests]
  const again = await train('straight')
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(again.stdout).toMatch(/(Better|Cannot tell|No change|Worse): /)
  expect(server.counters.requests).toBe(calls)
  expect(await resultOf(run('straight'))).toEqual(straight)
  const after = await filesOf(run('straight'))
  const same = Object.keys(before).filter(
    name => !/^(events\.jsonl|summary\.json|runtime_state\.json)$/.test(name),
  )
  for (const name of same) expect(after[name], name).toBe(before[name])
  expect(Object.keys(after)).toEqual(Object.keys(before))
})

it('leaves the files that users of the Python package know', async () => {
  const files = await filesOf(run('straight'))
  const step = (number: number) =>
    [
      'rollouts.jsonl',
      'patches.json',
      'merged_patch.json',
      'ranked_edits.json',
      'edit_reports.json',
      'candidate_skill.md',
      'evaluation.json',
    ].map(name => `steps/step_000${number}/${name}`)
  expect(Object.keys(files)).toEqual(
    expect.arrayContaining([
      'config.json',
      'history.json',
      'best_skill.md',
      'summary.json',
      'runtime_state.json',
      ...[0, 1, 2, 3, 4].map(version => `skills/skill_v000${version}.md`),
      ...[1, 2, 3, 4].flatMap(step),
      'slow_update/epoch_02/slow_update.json',
      'meta_skill/epoch_02/meta_skill.md',
    ]),
  )
  const json = (name: string) => JSON.parse(files[name] ?? '')
  const config = json('config.json')
  expect(config).toMatchObject({ name: 'parcels', train: { epochs: 2, batchSize: 6, seed: 42 } })
  const history = json('history.json')
  expect(history.map((one: { step: number }) => one.step)).toEqual([1, 2, 3, 4])
  const outcomes = history.map((one: { outcome: string }) => one.outcome)
  expect(outcomes).toContain('accepted')
  expect(outcomes).toContain('rejected')
  const rollouts = (files['steps/step_0001/rollouts.jsonl'] ?? '')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(rollouts).toHaveLength(6)
  expect(rollouts[0]).toMatchObject({
    status: 'scored',
    score: { hard: expect.any(Number) },
    answer: expect.any(String),
  })
  const summary = json('summary.json')
  expect(summary.tests.map((test: { which: string }) => test.which).sort()).toEqual([
    'best',
    'initial',
    'last',
    'none',
  ])
  // The best skill is the version in the summary, and every accepted candidate became the version of its
  // step.
  const version = String(summary.best.version).padStart(4, '0')
  expect(files['best_skill.md']).toBe(files[`skills/skill_v${version}.md`])
  for (const [index, outcome] of outcomes.entries()) {
    const [candidate, next] = [
      `steps/step_000${index + 1}/candidate_skill.md`,
      `skills/skill_v000${index + 1}.md`,
    ]
    expect(files[candidate] === files[next], candidate).toBe(outcome === 'accepted')
  }
})
