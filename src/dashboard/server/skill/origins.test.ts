import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeRecordedRuns, type RecordedRuns } from '../../../../test/support/recorded-runs.js'
import {
  bestHash,
  LogBuilder,
  sampleLog,
  seedHash,
  seedText,
  worseHash,
} from '../../../../test/support/sample-run.js'
import { trialsLog } from '../../../../test/support/trials-run.js'
import type { RecordedEdit } from '../../../core/log/event.js'
import type { EditOrigin } from '../../contract/skill.js'
import { knownSkills } from './known-skills.js'
import { originDetail, originLabel } from './origins.js'

let runs: RecordedRuns
beforeAll(async () => {
  runs = await makeRecordedRuns()
})
afterAll(() => runs.end())

let number = 0
async function detail(log: LogBuilder, origin: string) {
  number += 1
  const run = await runs.add(`run-${number}`, log)
  const view = await run.view()
  return originDetail(run, view, await knownSkills(view, ref => run.text(ref)), origin)
}

async function editDetail(log: LogBuilder, origin: string): Promise<EditOrigin> {
  const found = await detail(log, origin)
  if (found.kind !== 'edit') throw new Error(`${origin} is ${found.kind}`)
  return found
}

const seqsOf = (log: LogBuilder, step: number, tasks: readonly string[]) =>
  log.events.flatMap(({ seq, type, body }) =>
    type === 'attempt.finished' && body.stage === 'rollout' && body.step === step && tasks.includes(body.task)
      ? [seq]
      : [],
  )

describe('the margin of a line', () => {
  it.each([
    ['seed', 'seed', 'seed'],
    ['1.0', 'edit', 'step 1 · append'],
    ['2.1', 'edit', 'step 2 · insert after'],
    ['slow-update:2', 'slow-update', 'epoch 2 · slow update'],
    ['consolidation:3', 'consolidation', 'step 3 · appendix'],
    ['step 3', 'step', 'step 3'],
    ['3.0', 'unknown', 'unknown'],
    ['step 3 or so', 'unknown', 'unknown'],
    ['__proto__', 'unknown', 'unknown'],
  ])('%s', (origin, kind, label) => {
    expect(originLabel(sampleLog().view(), origin)).toEqual({ kind, label })
  })

  it('of a reminder names the appendix', () => {
    const log = new LogBuilder().start()
    log.add('step.started', { epoch: 1, step: 1, tasks: [], skill: seedHash })
    const reminder: RecordedEdit = {
      op: 'remind',
      id: 'r',
      content: 'Heed it.',
      why: '',
      support: 1,
      from: 'failure',
      tasks: [],
    }
    log.add('aggregate.finished', { epoch: 1, step: 1, edits: [], reminders: [reminder], failed: 0 })
    expect(originLabel(log.view(), 'r').label).toBe('step 1 · appendix')
  })
})

describe('an edit', () => {
  it('reports its base skill, its candidate and the gate’s decision', async () => {
    const log = sampleLog()
    expect(await editDetail(log, '1.0')).toMatchObject({
      epoch: 1,
      step: 1,
      outcome: 'accepted',
      before: 'v0',
      candidate: 'v1',
      edit: { id: '1.0', fate: 'applied', support: 3 },
      gate: { action: 'accept_new_best', score: 0.75, current: 0.25 },
      tasks: ['t1', 't2'],
      suggestions: [],
    })
    expect(await editDetail(log, '2.0')).toMatchObject({
      outcome: 'rejected',
      before: 'v1',
      candidate: 'c2',
    })
  })

  it('lists its step’s attempts at its tasks, under the skill that the step began with', async () => {
    const log = sampleLog()
    const { attempts, attemptCount } = await editDetail(log, '1.0')
    const seqs = seqsOf(log, 1, ['t1', 't2'])
    expect(attempts).toEqual([
      { seq: seqs[0], task: 't1', sample: 0, hard: 0.5 },
      { seq: seqs[1], task: 't2', sample: 0, hard: 0.5 },
    ])
    expect(attemptCount).toBe(2)
  })

  it('lists the earlier attempt with the same skill if the step did not attempt the task again', async () => {
    const log = sampleLog()
    const [own = 0] = seqsOf(log, 2, ['t1'])
    // The second step does not attempt t2 again: it reuses the attempt with the same skill and ignores one
    // with another skill.
    const [second = 0] = seqsOf(log, 2, ['t2'])
    const [first = 0] = seqsOf(log, 1, ['t2'])
    const events = log.events.map(event => {
      if (event.type !== 'attempt.finished') return event
      if (event.seq === second) return { ...event, body: { ...event.body, task: 'other' } }
      return event.seq === first ? { ...event, body: { ...event.body, skill: bestHash } } : event
    })
    log.events.splice(0, log.events.length, ...events)
    const { attempts } = await editDetail(log, '2.0')
    expect(attempts.map(({ seq, task }) => ({ seq, task }))).toEqual([
      { seq: first, task: 't2' },
      { seq: own, task: 't1' },
    ])
  })

  it('shows an attempt that failed for external reasons without a score', async () => {
    const log = sampleLog()
    const [first = 0] = seqsOf(log, 1, ['t1'])
    const events = log.events.map(event => {
      if (event.seq !== first || event.type !== 'attempt.finished') return event
      const outcome = { status: 'failed', failure: { kind: 'timeout', message: 'late' } } as const
      return { ...event, body: { ...event.body, outcome } }
    })
    log.events.splice(0, log.events.length, ...events)
    expect((await editDetail(log, '1.0')).attempts[0]).toEqual({ seq: first, task: 't1', sample: 0 })
  })

  it('names the tasks that were also attempted with the candidate', async () => {
    const log = sampleLog()
    // The second step begins with the candidate that contains the first step's edit.
    expect((await editDetail(log, '1.0')).triedAfter).toEqual(['t1', 't2'])
    expect((await editDetail(log, '2.0')).triedAfter).toEqual([])
    log.attempt('rollout', 3, 3, 't2', 1, worseHash).attempt('rollout', 3, 3, 't3', 1, worseHash)
    expect((await editDetail(log, '2.0')).triedAfter).toEqual(['t2'])
  })

  it('in no candidate has no attempts after it', async () => {
    const dropped = await editDetail(sampleLog(), '1.2')
    expect(dropped).toMatchObject({ edit: { fate: 'dropped' }, triedAfter: [] })
    expect(dropped).not.toHaveProperty('candidate')
    expect(dropped).not.toHaveProperty('gate')
  })

  it('limits tasks and attempts, and reports the totals', async () => {
    const log = new LogBuilder().start()
    const at = { epoch: 1, step: 1 }
    const tasks = Array.from({ length: 250 }, (_, index) => `t${index}`)
    const [text, origins] = [log.put(seedText), log.put('[]')]
    log.add('skill.version', { version: 0, skill: seedHash, text, origins, because: 'seed' })
    log.add('step.started', { ...at, tasks, skill: seedHash })
    for (const task of tasks) log.attempt('rollout', 1, 1, task, 0)
    const edit: RecordedEdit = {
      op: 'append',
      id: 'many',
      content: 'x',
      why: '',
      support: 9,
      from: 'failure',
      tasks,
    }
    log.add('aggregate.finished', { ...at, edits: [edit], failed: 0 })
    const found = await editDetail(log, 'many')
    expect(found.edit.taskCount).toBe(250)
    expect(found.tasks).toEqual(tasks.slice(0, 200))
    expect(found.attempts).toHaveLength(60)
    expect(found.attemptCount).toBe(250)
  })

  it('that rewrote the skill lists the suggestions it incorporated', async () => {
    const log = new LogBuilder().start()
    const at = { epoch: 1, step: 1 }
    const about = { why: '', support: 1, from: 'failure' as const, tasks: ['t1'] }
    const suggested = (id: string): RecordedEdit => ({
      op: 'suggest',
      id,
      title: id,
      content: `Do ${id}.`,
      ...about,
    })
    const rewrite: RecordedEdit = { op: 'rewrite', id: 'w', content: 'New.', summary: 'all', ...about }
    log.add('step.started', { ...at, tasks: ['t1'], skill: seedHash })
    log.add('aggregate.finished', { ...at, edits: [suggested('a'), suggested('b')], failed: 0 })
    log.add('select.finished', { ...at, budget: 1, edits: [suggested('b')], dropped: ['a'], failed: 0 })
    log.add('rewrite.finished', { ...at, edit: rewrite, failed: 0 })
    expect((await editDetail(log, 'w')).suggestions.map(({ id }) => id)).toEqual(['b'])
    expect((await editDetail(log, 'b')).suggestions).toEqual([])
  })
})

describe('other origins', () => {
  it('the seed says where it came from', async () => {
    expect(await detail(new LogBuilder().start(), 'seed')).toEqual({ kind: 'seed' })
    const forked = new LogBuilder().start({ forkedFrom: 'runs/a', importedFrom: 'elsewhere' })
    expect(await detail(forked, 'seed')).toEqual({
      kind: 'seed',
      forkedFrom: 'runs/a',
      importedFrom: 'elsewhere',
    })
  })

  it('a slow update has its epoch-end record and the gate’s decision', async () => {
    const log = sampleLog()
    log.add('gate.decided', {
      epoch: 2,
      step: 2,
      what: 'slow-update',
      candidate: 'd'.repeat(16),
      current: 0.75,
      score: 0.8,
      best: 0.75,
      action: 'accept_new_best',
      verdict: { decision: 'accept', complete: true, reason: 'higher' },
    })
    expect(await detail(log, 'slow-update:2')).toMatchObject({
      kind: 'slow-update',
      epoch: 2,
      step: 2,
      update: { reasoning: 'steady', outcome: 'unchanged' },
      gate: { action: 'accept_new_best', score: 0.8 },
    })
    expect(await detail(log, 'slow-update:1')).toEqual({ kind: 'slow-update', epoch: 1, step: 1 })
  })

  it('a consolidated appendix has the notes of its step', async () => {
    const log = sampleLog()
    const noted = { epoch: 1, step: 1, before: 14, failed: 0 }
    log.add('appendix.consolidated', { ...noted, notes: ['one', 'two'], reasoning: 'fewer' })
    expect(await detail(log, 'consolidation:1')).toEqual({
      kind: 'consolidation',
      step: 1,
      before: 14,
      notes: ['one', 'two'],
      reasoning: 'fewer',
    })
  })

  it('a step has its applied edits', async () => {
    const found = await detail(sampleLog(), 'step 1')
    expect(found).toMatchObject({ kind: 'step', epoch: 1, step: 1, gate: { action: 'accept_new_best' } })
    expect(found.kind === 'step' && found.edits.map(({ id }) => id)).toEqual(['1.0'])
  })

  it.each(['slow-update:9', 'consolidation:1', 'consolidation:9', 'step 9', '9.9', '', '../1'])(
    '%j is in no log',
    async origin => {
      expect(await detail(sampleLog(), origin)).toEqual({ kind: 'unknown' })
    },
  )
})

describe('an edit of a training by trials', () => {
  it('is found in the pool, with its evidence and the attempts before it joined', async () => {
    const found = await editDetail(trialsLog(), 's1.f0.0')
    expect(found).toMatchObject({ step: 2, epoch: 2, tasks: ['t1', 't2'], edit: { fate: 'kept' } })
    expect(found.edit.trial?.evidence).toMatchObject({ trials: 9, tasks: 5 })
    expect(found.attempts.map(({ task }) => task)).toEqual(['t1', 't2'])
    expect(originLabel(trialsLog().view(), 's1.f0.0')).toEqual({ kind: 'edit', label: 'round 2 · append' })
  })
})
