import { appendFile, cp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { contentHash } from '../../src/core/text/hash.js'
import type { LoopbackServer } from '../../src/testing/index.js'
import { type StraightTraining, trainStraight } from './straight-training.js'
import { eventsOf, filesOf, jsonOf, key, ofType, resultOf, skillopt, textOf } from './support.js'

/** However a run is stopped, the same command resumes it and ends with the same result. */

let cwd: string
let server: LoopbackServer
let straight: StraightTraining['straight']
let straightCalls: number
let train: StraightTraining['train']
let run: StraightTraining['run']
let stopAt: StraightTraining['stopAt']

beforeAll(async () => {
  const training = await trainStraight()
  ;({ cwd, server, straight, straightCalls, train, run, stopAt } = training)
})

/** Eight per role by default. */
const callsInFlight = 16

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
