import { describe, expect, it } from 'vitest'
import { LogBuilder, seedHash } from '../../../test/support/sample-run.js'
import type { StageName } from '../log/event.js'

const place = { stage: 'rollout', epoch: 1, step: 1 } as const
const stepped = () =>
  new LogBuilder()
    .start()
    .add('step.started', { epoch: 1, step: 1, budget: 4, tasks: ['a', 'b'], skill: seedHash })
const bars = (log: LogBuilder) =>
  log.view().stages.map(({ stage, done, total, failed, finished }) => [stage, done, total, failed, finished])

describe('stages', () => {
  it('begin empty, at the time of their event', () => {
    const log = stepped().add('stage.started', { ...place, total: 2 })
    expect(log.view().stages).toEqual([
      {
        ...place,
        total: 2,
        done: 0,
        failed: 0,
        finished: false,
        startedAt: log.at,
        lastAt: log.at,
        doneBefore: 0,
      },
    ])
    expect(log.view()).toMatchObject(place)
  })

  it('fill with attempts, failed ones counted beside, and never beyond what was announced', () => {
    const log = stepped().add('stage.started', { ...place, total: 2 })
    log.add('attempt.failed', {
      ...place,
      skill: seedHash,
      task: 'a',
      sample: 0,
      kind: 'server',
      message: 'overloaded',
    })
    expect(bars(log)).toEqual([['rollout', 1, 2, 1, false]])
    const begun = log.view().stages[0]?.startedAt
    log.attempt('rollout', 1, 1, 'b', 1)
    expect(bars(log)).toEqual([['rollout', 2, 2, 1, true]])
    expect(log.view().stages[0]).toMatchObject({ startedAt: begun, lastAt: log.at })
    log.attempt('rollout', 1, 1, 'b', 1)
    expect(bars(log)).toEqual([['rollout', 2, 2, 1, true]])
  })

  it('do not fill with work of another stage, step or epoch', () => {
    const log = stepped().add('stage.started', { ...place, total: 2 })
    log.attempt('rollout', 1, 2, 'a', 1).attempt('rollout', 2, 1, 'a', 1).attempt('gate', 1, 1, 'a', 1)
    expect(bars(log)).toEqual([['rollout', 0, 2, 0, false]])
  })

  it.each<[StageName, number]>([
    ['rollout', 0],
    ['gate', 0],
    ['baseline', 0],
    ['slow-update', 0],
    ['test', 0],
    ['reflect', 1],
    ['update', 1],
  ])('%s: a call is so much of the work: %d', (stage, done) => {
    const log = stepped().add('stage.started', { ...place, stage, total: 3 })
    log.call(stage, 1, 1)
    expect(bars(log)).toEqual([[stage, done, 3, 0, false]])
  })

  it.each<[StageName, boolean]>([
    ['aggregate', true],
    ['select', true],
    ['meta-skill', true],
    ['one-shot', true],
    ['reflect', false],
    ['rollout', false],
  ])('%s appears with its first call although nobody announced it: %s', (stage, appears) => {
    const log = stepped().call(stage, 1, 1).call(stage, 1, 1)
    expect(bars(log)).toEqual(appears ? [[stage, 2, 0, 0, false]] : [])
    expect(log.view().stage).toBe(appears ? stage : undefined)
  })

  it('that continue add to their total', () => {
    const log = stepped()
      .add('stage.started', { ...place, total: 1 })
      .attempt('rollout', 1, 1, 'a', 1)
    log.add('stage.started', { ...place, total: 2 })
    expect(bars(log)).toEqual([['rollout', 1, 3, 0, false]])
  })

  it('of a step go with it; a baseline that is not done stays, and one that is done goes', () => {
    const baseline = { stage: 'baseline', epoch: 0, step: 0, total: 1 } as const
    const next = { epoch: 1, step: 2, budget: 4, tasks: ['a'], skill: seedHash }
    const log = stepped()
      .add('stage.started', baseline)
      .add('stage.started', { ...place, total: 2 })
    expect(bars(log.add('step.started', next))).toEqual([['baseline', 0, 1, 0, false]])
    log.attempt('baseline', 0, 0, 'v', 1)
    expect(bars(log)).toEqual([['baseline', 1, 1, 0, true]])
    expect(bars(log.add('step.started', { ...next, step: 3 }))).toEqual([])
  })

  it('that run beside a step take its place only when no step is open', () => {
    const test = { stage: 'test', epoch: 0, step: 0, total: 1 } as const
    const log = stepped()
      .add('stage.started', { ...place, total: 1 })
      .add('stage.started', test)
    expect(log.view()).toMatchObject({ step: 1, stage: 'rollout' })
    log.add('step.finished', { epoch: 1, step: 1, outcome: 'no-edits', skill: seedHash })
    log.add('stage.started', test)
    expect(log.view()).toMatchObject({ epoch: 0, step: 0, stage: 'test' })
    const before = new LogBuilder().start().add('stage.started', test)
    expect(before.view()).toMatchObject({ stage: 'test' })
  })

  it.each([
    ['select', 'select.finished', { budget: 1, edits: [], dropped: [], failed: 0 }],
    ['update', 'update.finished', { skill: seedHash, text: 'text', reports: [] }],
  ] as const)('%s is full when it is finished, however much of it was done', (stage, type, body) => {
    const log = stepped().add('stage.started', { ...place, stage, total: 5 })
    log.add('stage.started', { ...place, stage: 'rollout', total: 5 })
    log.add(type, { epoch: 1, step: 1, ...body } as never)
    expect(bars(log)).toEqual([
      [stage, 5, 5, 0, true],
      ['rollout', 0, 5, 0, false],
    ])
    expect(log.view().stages[0]?.lastAt).toBe(log.at)
  })

  it('at the end of an epoch are full once their result is recorded', () => {
    const log = stepped()
      .add('stage.started', { ...place, stage: 'slow-update', total: 5 })
      .add('stage.started', { ...place, stage: 'meta-skill', total: 1 })
    const pairs = { improved: 0, regressed: 0, persistent: 0, stable: 0 }
    log.add('slow-update.finished', { epoch: 1, pairs, reasoning: '', outcome: 'failed' })
    expect(bars(log).map(bar => bar[4])).toEqual([true, false])
    log.add('meta-skill.finished', { epoch: 1, reasoning: '' })
    expect(bars(log).map(bar => bar[4])).toEqual([true, true])
    expect(log.view().epochEnds).toMatchObject([
      { epoch: 1, slowUpdate: { outcome: 'failed' }, slowUpdateGate: undefined, metaSkill: { epoch: 1 } },
    ])
  })
})
