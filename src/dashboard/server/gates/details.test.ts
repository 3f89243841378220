import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeRecordedRuns, type RecordedRuns } from '../../../../test/support/recorded-runs.js'
import { bestHash, LogBuilder, sampleLog, seedHash, worseHash } from '../../../../test/support/sample-run.js'
import { worldSetup } from '../../../../test/world.js'
import type { EventBody, RunEvent } from '../../../core/log/event.js'
import type { Row } from '../../../core/task/task.js'
import { NotFoundError } from '../not-found.js'
import type { LiveRun } from '../runs/types.js'
import { gateDetails } from './details.js'

let runs: RecordedRuns
beforeAll(async () => {
  runs = await makeRecordedRuns()
})
afterAll(() => runs.end())

const row = (task: string, hard?: number): Row => ({
  task,
  type: 'sum',
  sample: 0,
  ...(hard === undefined ? {} : { hard, soft: hard }),
})
const rowsText = (rows: readonly Row[]) => rows.map(each => JSON.stringify(each)).join('\n')
const at = { epoch: 1, step: 1 }

function attempt(log: LogBuilder, skill: string, task: string, hard: number, more: object = {}): void {
  log.add('attempt.finished', {
    stage: 'gate',
    ...at,
    skill,
    task,
    type: 'sum',
    sample: 0,
    messages: [],
    outcome: { status: 'scored', score: { hard, soft: hard, feedback: '' }, stop: 'answered' },
    ...more,
  } as EventBody<'attempt.finished'>)
}

/** An early decision: one task better, one worse, one repeated, one failed, one never attempted. */
function decisionLog(): LogBuilder {
  const log = new LogBuilder().start({ config: { evaluation: { gate: 'paired', metric: 'hard' } } })
  const [text, origins] = [log.put('# Sums\n'), log.put('[]')]
  log.add('skill.version', { version: 0, skill: seedHash, text, origins, because: 'seed' })
  for (const task of ['v1', 'v2', 'v3', 'v4', 'v5']) attempt(log, seedHash, task, 0, { stage: 'baseline' })
  const before = [row('v1', 1), row('v2', 0), row('v3', 0), row('v4'), row('v5', 1)]
  log.add('evaluation.finished', {
    stage: 'baseline',
    epoch: 0,
    step: 0,
    skill: seedHash,
    split: 'val',
    rows: log.put(rowsText(before)),
    hard: 0.5,
    soft: 0.5,
    scored: 4,
    failed: 1,
    score: 0.5,
  })
  log.add('step.started', { ...at, tasks: ['t1'], skill: seedHash })
  log.add('update.finished', { ...at, skill: bestHash, text: log.put('# Better\n'), reports: [] })
  // An attempt from before the gate stage still counts as evidence.
  attempt(log, bestHash, 'v4', 1)
  const key = `stage.started:step 1 ${bestHash}`
  log.add('stage.started', { stage: 'gate', ...at, total: 5 }, { key })
  attempt(log, bestHash, 'v2', 1)
  attempt(log, bestHash, 'v1', 0, { cached: true })
  attempt(log, bestHash, 'v3', 0)
  attempt(log, bestHash, 'v2', 1, { sample: 1 })
  attempt(log, bestHash, 'v2', 0, { sample: 2 })
  attempt(log, seedHash, 'v2', 0, { sample: 1 })
  log.add('attempt.failed', {
    stage: 'gate',
    ...at,
    skill: seedHash,
    task: 'v2',
    sample: 2,
    kind: 'timeout',
    message: 'late',
  })
  // Attempts under another skill or in another stage do not count.
  attempt(log, worseHash, 'v1', 1)
  attempt(log, seedHash, 't1', 1, { stage: 'rollout', sample: 1 })
  log.add(
    'gate.decided',
    {
      ...at,
      what: 'step',
      candidate: bestHash,
      current: 0.5,
      score: 0.8,
      best: 0.5,
      action: 'accept',
      verdict: { decision: 'accept', complete: false, reason: 'clear enough' },
      rows: log.put(rowsText([row('v1', 0), row('v2', 1), row('v3', 0), row('v4', 1)])),
    },
    { after: 1000 },
  )
  attempt(log, bestHash, 'v5', 1)
  return log
}

describe('a decision', () => {
  let run: LiveRun
  beforeAll(async () => {
    run = await runs.add('decision', decisionLog())
  })

  it('reports its subject', async () => {
    expect(await gateDetails(run, '1')).toMatchObject({
      name: '1',
      what: 'step',
      ...at,
      rule: 'paired',
      gate: { action: 'accept', score: undefined, verdict: { complete: false, reason: 'clear enough' } },
      skills: { current: seedHash, candidate: bestHash, version: 0 },
    })
  })

  it('counts the attempts between its start and end under either skill', async () => {
    const details = await gateDetails(run, '1')
    expect(details).toMatchObject({ attempts: 7, cached: 1, ms: 1900 })
  })

  it('compares first attempts and lists repeats separately', async () => {
    const { tasks, counts, course } = await gateDetails(run, '1')
    expect(counts).toEqual({ better: 1, worse: 1, same: 1, failed: 1, untried: 1 })
    expect(tasks.find(({ task }) => task === 'v2')).toEqual({
      task: 'v2',
      type: 'sum',
      change: 'better',
      current: 0,
      candidate: 1,
      again: { current: { mean: 0, attempts: 1 }, candidate: { mean: 0.5, attempts: 2 } },
    })
    // In the order v2, v1, v3.
    expect(course).toEqual([1, 0, 0])
  })

  it('of a run scored by reward uses rewards, for repeats too', async () => {
    const log = new LogBuilder().start({ config: { evaluation: { gate: 'paired', metric: 'reward' } } })
    const rows = (reward: number) => log.put(rowsText([{ ...row('v1', 1), reward }]))
    const sums = { hard: 1, soft: 1, scored: 1, failed: 0 }
    log.add('step.started', { ...at, tasks: [], skill: seedHash })
    log.add('evaluation.finished', {
      stage: 'baseline',
      ...at,
      skill: seedHash,
      split: 'val',
      ...sums,
      score: 0.5,
      rows: rows(0.5),
    })
    const key = `stage.started:step 1 ${bestHash}`
    log.add('stage.started', { stage: 'gate', ...at, total: 1 }, { key })
    attempt(log, bestHash, 'v1', 1, { sample: 1, reward: 0.75 })
    attempt(log, bestHash, 'v1', 1, { sample: 2, reward: 0.25 })
    const verdict = { decision: 'accept', complete: true, reason: '' } as const
    log.add('gate.decided', {
      ...at,
      what: 'step',
      candidate: bestHash,
      current: 0.5,
      score: 0.75,
      best: 0.5,
      action: 'accept',
      verdict,
      rows: rows(0.75),
    })
    const { tasks } = await gateDetails(await runs.add('rewarded', log), '1')
    expect(tasks).toEqual([
      {
        task: 'v1',
        type: 'sum',
        change: 'better',
        current: 0.5,
        candidate: 0.75,
        again: { candidate: { mean: 0.5, attempts: 2 } },
      },
    ])
  })
})

describe('decisions by name', () => {
  it('have neighbours in the order in which they were made', async () => {
    const log = sampleLog()
    const about = { epoch: 2, current: 0.75, best: 0.75, score: 0.5, action: 'reject' } as const
    const verdict = { decision: 'reject', complete: true, reason: 'lower' } as const
    const [slow, last] = ['d'.repeat(16), 'e'.repeat(16)]
    log.add('gate.decided', { ...about, step: 2, what: 'slow-update', candidate: slow, verdict })
    log.add('gate.decided', { ...about, epoch: 0, step: 2, what: 'last', candidate: last, verdict })
    const run = await runs.add('named', log)
    const neighbours = async (name: string) => {
      const { name: own, previous, next, what, skills } = await gateDetails(run, name)
      return { own, previous, next, what, current: skills.current }
    }
    expect(await Promise.all(['1', '2', 'epoch-2', 'last'].map(neighbours))).toEqual([
      { own: '1', previous: undefined, next: '2', what: 'step', current: seedHash },
      { own: '2', previous: '1', next: 'epoch-2', what: 'step', current: bestHash },
      { own: 'epoch-2', previous: '2', next: 'last', what: 'slow-update', current: bestHash },
      { own: 'last', previous: 'epoch-2', next: undefined, what: 'last', current: bestHash },
    ])
  })

  it('are not found by another name, and the hint fits what there is', async () => {
    const run = await runs.add('some', sampleLog())
    for (const name of ['', '3', '1.2', '01', ' 1', 'epoch-1', 'last', '__proto__'])
      await expect(gateDetails(run, name)).rejects.toMatchObject({
        constructor: NotFoundError,
        hint: expect.stringContaining('such as 3'),
      })
    const young = await runs.add('young', new LogBuilder().start())
    await expect(gateDetails(young, '1')).rejects.toMatchObject({
      hint: 'It has not decided anything yet.',
    })
  })

  it('of a log without starts or rows are reported as far as possible', async () => {
    const log = new LogBuilder().start({ config: {} })
    log.add('gate.decided', {
      ...at,
      what: 'step',
      candidate: bestHash,
      current: 0.5,
      score: 1,
      best: 0.5,
      action: 'accept',
      verdict: { decision: 'accept', complete: true, reason: '' },
    })
    const details = await gateDetails(await runs.add('imported', log), '1')
    expect(details).toMatchObject({
      rule: '',
      attempts: 0,
      tasks: [],
      course: [],
      skills: { current: '', candidate: bestHash },
    })
    expect(details).not.toHaveProperty('ms')
  })
})

describe('decisions of a real training', () => {
  it('have the time and the attempts that the log has of them', async () => {
    const setup = await worldSetup({
      sizes: { train: 8, val: 6, test: 1 },
      config: { train: { epochs: 2, batchSize: 8 }, reflect: { minibatchSize: 4 } },
    })
    const { run, events } = await runs.train('real', setup)
    const decisions = events.flatMap(event => (event.type === 'gate.decided' ? [event] : []))
    expect(decisions.map(({ body }) => body.what)).toContain('slow-update')
    for (const { seq, at: decidedAt, body } of decisions) {
      const name = body.what === 'step' ? String(body.step) : `epoch-${body.epoch}`
      const details = await gateDetails(run, name)
      const start = events.find(
        event => event.type === 'stage.started' && event.key?.endsWith(`${body.step} ${body.candidate}`),
      )
      const isTried = (event: RunEvent) =>
        event.type === 'attempt.finished' && event.body.skill === body.candidate && event.seq < seq
      expect(details.ms).toBe(decidedAt - (start?.at ?? 0))
      expect(details.attempts).toBe(events.filter(isTried).length)
      expect(details.attempts).toBe(6)
      expect(details.course).toHaveLength(6)
      const change = details.course.at(-1) ?? 0
      expect(change / 6).toBeCloseTo(body.score - body.current)
      expect(details.skills.current).not.toBe(body.candidate)
    }
  })
})
