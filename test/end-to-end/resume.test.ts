import { appendFile, cp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { contentHash } from '../../src/core/text/hash.js'
import type { LoopbackServer } from '../../src/testing/index.js'
import { timeLimit } from '../support/time-limit.js'
import {
  eventsOf,
  filesOf,
  jsonOf,
  key,
  ofType,
  parcelServer,
  resultOf,
  skillopt,
  start,
  temporaryFolder,
  textOf,
  writeProject,
} from './support.js'

/** However a run is stopped, the same command resumes it and ends with the same result. */

let cwd: string
let server: LoopbackServer
let straight: Awaited<ReturnType<typeof resultOf>>
let straightCalls: number
/** Eight per role by default. */
const callsInFlight = 16

const args = (out: string) => ['train', 'project', '--out', out, '--yes']
const train = (out: string, ...more: string[]) => skillopt([...args(out), ...more], { cwd, env: key })
const run = (out: string) => join(cwd, out)

beforeAll(async () => {
  cwd = await temporaryFolder()
  server = await parcelServer({ keepLog: true })
  await writeProject(join(cwd, 'project'), { endpoint: server.url })
  expect(await train('straight')).toMatchObject({ code: 0, stderr: '' })
  straight = await resultOf(run('straight'))
  straightCalls = server.counters.requests
})

/** Stops the process when its output matches, with calls in flight. */
async function stopAt(out: string, moment: RegExp, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') {
  const process = start(args(out), { cwd, env: key })
  server.setLatency({ kind: 'fixed', milliseconds: 20 })
  await process.says(moment)
  process.child.kill(signal)
  const finished = await process.finished
  server.setLatency({ kind: 'none' })
  return finished
}

/** The prompts with their seeds, which determine a model's replies. */
const asked = (from: number) =>
  new Set(
    server.log
      .slice(from)
      // A process that is stopped while it sends leaves half a request.
      .filter(({ body }) => body !== undefined)
      .map(({ body }) => contentHash(JSON.stringify([body?.messages, body?.seed]))),
  )

it('stops cleanly on SIGINT and resumes with the same command', async () => {
  const signal = 'SIGINT'
  const [from, before] = [server.log.length, server.counters.requests]
  const stopped = await stopAt(signal, /step 2\/4/, signal)
  expect(stopped.code).toBe(130)
  expect(stopped.stderr).toMatch(/finished work is kept/)
  expect(stopped.stderr).toMatch(/Rerun the same command to resume/)
  expect(await jsonOf(run(signal), 'summary.json')).toMatchObject({ outcome: 'interrupted' })
  expect(Object.keys(await filesOf(run(signal)))).not.toContain('lock.json')

  const resumed = await train(signal)
  expect(resumed).toMatchObject({ code: 0, stderr: '' })
  expect(resumed.stdout).toMatch(/resuming in/)
  expect(await resultOf(run(signal))).toEqual(straight)
  expect(asked(from)).toEqual(asked(0))
  // Only calls that were in flight are repeated.
  const finished = ofType(await eventsOf(run(signal)), 'call.finished')
  expect(new Set(finished.map(event => event.key)).size).toBe(finished.length)
  expect(finished).toHaveLength(straightCalls)
  const { callsLost } = (await jsonOf(run(signal), 'summary.json')).trouble
  expect(server.counters.requests - before).toBeLessThanOrEqual(straightCalls + callsLost)
  expect(callsLost).toBeLessThanOrEqual(callsInFlight)
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

it('stops on SIGTERM as well, and heals a torn last line', async () => {
  expect(await stopAt('torn', /step 4\/4/, 'SIGTERM')).toMatchObject({ code: 130 })
  expect(Object.keys(await filesOf(run('torn')))).not.toContain('lock.json')
  const log = await textOf(run('torn'), 'events.jsonl')
  const last = log.trimEnd().split('\n').at(-1) ?? ''
  await appendFile(join(run('torn'), 'events.jsonl'), last.slice(0, last.length >> 1))
  await appendFile(join(run('torn'), 'blobs.jsonl'), '{"hash":"00')
  expect(await train('torn')).toMatchObject({ code: 0 })
  expect(await resultOf(run('torn'))).toEqual(straight)
  expect((await textOf(run('torn'), 'events.jsonl')).startsWith(log)).toBe(true)
  expect((await eventsOf(run('torn'))).map(event => event.seq)).toEqual([
    ...(await eventsOf(run('torn'))).keys(),
  ])
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

it('starts a new run from a version of another with --fork', async () => {
  const forked = await train('forked', '--fork', 'straight@v1', '--set', 'train.epochs=1')
  expect(forked).toMatchObject({ code: 0, stderr: '' })
  const v1 = await textOf(run('straight'), 'skills/skill_v0001.md')
  expect(v1).not.toBe(await readFile(join(cwd, 'project/SKILL.md'), 'utf8'))
  expect(await textOf(run('forked'), 'skills/skill_v0000.md')).toBe(v1)
  const [started] = ofType(await eventsOf(run('forked')), 'run.started')
  expect(started?.body.forkedFrom).toBe('straight@v1')
  expect((await skillopt(['show', 'forked'], { cwd })).stdout).toMatch(/forked from straight@v1/)
  // The original run is unchanged.
  expect(await resultOf(run('straight'))).toEqual(straight)
})

it('resumes a stopped fork even if its original run is gone', async () => {
  const fork = ['--fork', 'straight@v1', '--set', 'train.epochs=1']
  expect((await train('fork-straight', ...fork)).code).toBe(0)
  await cp(run('straight'), run('straight-kept'), { recursive: true })
  expect((await train('fork-stopped', ...fork, '--max-calls', '20')).code).toBe(4)
  await rm(run('straight'), { recursive: true })
  try {
    const resumed = await train('fork-stopped', '--set', 'train.epochs=1')
    expect(resumed).toMatchObject({ code: 0, stderr: '' })
    expect(await resultOf(run('fork-stopped'))).toEqual(await resultOf(run('fork-straight')))
  } finally {
    await rename(run('straight-kept'), run('straight'))
  }
})

it('resumes the newest unfinished run when no directory is named', async () => {
  const capped = await skillopt(['train', 'project', '--yes', '--max-calls', '30'], { cwd, env: key })
  expect(capped.code).toBe(4)
  expect(await skillopt(['train', 'project', '--yes'], { cwd, env: key })).toMatchObject({ code: 0 })
  expect(await resultOf(run('runs/parcels-001'))).toEqual(straight)
  expect(Object.keys(await filesOf(run('runs'))).filter(name => /^[^/]+\/$/.test(name))).toEqual([
    'parcels-001/',
  ])
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
