import { describe, expect, it } from 'vitest'
import { bestHash, finish, LogBuilder, sampleLog, seedHash } from '../../../test/support/sample-run.js'
import { parseEvent } from '../log/event.js'
import { createView, foldEvent } from './fold.js'

const place = { stage: 'rollout', epoch: 1, step: 1 } as const

describe('fold of a whole run', () => {
  const whole = () => finish(sampleLog())

  it('is fed with events that the schema accepts', () => {
    for (const event of whole().events) expect(() => parseEvent(event)).not.toThrow()
  })

  it('knows the run, its outcome and its series', () => {
    const log = whole()
    const view = log.view()
    expect(view).toMatchObject({
      run: 'sample-run',
      simulated: true,
      outcome: 'finished',
      events: log.events.length,
    })
    expect(view.series.train).toEqual([1, 2].map(step => ({ step, value: 0.5 })))
    expect(view.series.validation.map(point => point.value)).toEqual([0.25, 0.75, 0])
    expect(view.series.best).toEqual([
      { step: 0, value: 0.25 },
      { step: 1, value: 0.75 },
    ])
    expect(view.best).toMatchObject({ version: 1, skill: bestHash })
    expect(view.versions.map(version => version.version)).toEqual([0, 1, 2])
    expect(view.tests.map(test => test.which)).toEqual(['none', 'initial', 'best', 'last'])
  })

  it('keeps what became of each edit', () => {
    const view = whole().view()
    expect(view.steps.map(step => step.outcome)).toEqual(['accepted', 'rejected'])
    expect(view.steps[0]?.edits.map(edit => [edit.id, edit.fate])).toEqual([
      ['1.0', 'applied'],
      ['1.1', 'unmatched'],
      ['1.2', 'dropped'],
    ])
    expect(view.steps[0]?.proposed).toEqual({ patches: 1, failure: 3, success: 0 })
    expect(view.steps[1]?.gate).toMatchObject({ action: 'reject', score: 0, current: 0.75 })
    expect(view.unmatchedEdits).toBe(2)
    expect(view.epochEnds).toMatchObject([{ epoch: 2, metaSkill: { content: 'Small edits help.' } }])
  })

  it('sums calls per role and stage', () => {
    const view = whole().view()
    expect(view.spending.total).toMatchObject({ calls: 24, input: 2400, output: 480, cachedInput: 960 })
    expect(view.spending.total.cost).toBeCloseTo(0.024)
    expect(view.spending.roles.optimizer?.calls).toBe(4)
    expect(view.spending.stages.gate?.calls).toBe(8)
    expect(view.attempts).toEqual({ scored: 20, failed: 0, cached: 0 })
  })

  it('does not change the view that it is given', () => {
    let view = createView()
    for (const event of whole().events) {
      const copy = JSON.stringify(view)
      const next = foldEvent(view, event)
      expect(JSON.stringify(view)).toBe(copy)
      view = next
    }
  })
})

describe('progress', () => {
  it('counts attempts of a rollout and calls of a reflection', () => {
    const log = new LogBuilder().start()
    log.add('step.started', { epoch: 1, step: 1, budget: 4, tasks: ['a', 'b'], skill: seedHash })
    log
      .add('stage.started', { ...place, total: 2 })
      .call('rollout', 1, 1)
      .attempt('rollout', 1, 1, 'a', 1)
    log.add('stage.started', { ...place, stage: 'reflect', total: 3 }).call('reflect', 1, 1)
    expect(log.view().stages.map(stage => [stage.stage, stage.done, stage.total])).toEqual([
      ['rollout', 1, 2],
      ['reflect', 1, 3],
    ])
  })

  it('keeps a baseline that runs beside a step, and the place stays that of the step', () => {
    const log = new LogBuilder().start()
    log.add('stage.started', { stage: 'baseline', epoch: 0, step: 0, total: 2 })
    log.add('step.started', { epoch: 1, step: 1, budget: 4, tasks: ['a'], skill: seedHash })
    log.add('stage.started', { ...place, total: 1 })
    log.add('stage.started', { stage: 'test', epoch: 0, step: 0, total: 7 })
    log.attempt('baseline', 0, 0, 'v1', 0)
    const view = log.view()
    expect(view).toMatchObject({ epoch: 1, step: 1, stage: 'rollout' })
    expect(view.stages.map(stage => [stage.stage, stage.done, stage.total])).toEqual([
      ['baseline', 1, 2],
      ['rollout', 0, 1],
      ['test', 0, 7],
    ])
  })

  it('fills the bar of a gate that stopped early', () => {
    const log = sampleLog()
    const gates = log.view().stages.filter(stage => stage.stage === 'gate')
    expect(gates).toMatchObject([{ finished: true, done: 4, total: 4 }])
  })

  it('shows the unannounced merge stage, and fills all bars before it', () => {
    const log = new LogBuilder().start()
    log.add('step.started', { epoch: 1, step: 1, budget: 4, tasks: ['a'], skill: seedHash })
    log.add('stage.started', { ...place, stage: 'reflect', total: 3 }).call('aggregate', 1, 1)
    expect(log.view()).toMatchObject({
      stage: 'aggregate',
      stages: [{ done: 0 }, { stage: 'aggregate', done: 1, total: 0 }],
    })
    log.add('aggregate.finished', { epoch: 1, step: 1, edits: [], failed: 0 })
    expect(log.view().stages).toMatchObject([{ done: 3, finished: true }, { finished: true }])
  })

  it('adds up the skills under test, and starts rates anew in a later session', () => {
    const log = new LogBuilder().start()
    const test = { stage: 'test', epoch: 0, step: 0, total: 10 } as const
    log.add('stage.started', test).add('stage.started', test).attempt('test', 0, 0, 'x', 1)
    log.add('session.started', { pid: 2, resumed: true, limits: {} })
    expect(log.view().stages).toMatchObject([{ done: 1, total: 20, doneBefore: 1, startedAt: log.at }])
  })

  it('joins the rounds of an accumulated rollout by their weight', () => {
    const log = new LogBuilder().start()
    log.add('step.started', { epoch: 1, step: 1, budget: 4, tasks: [], skill: seedHash })
    const round = { epoch: 1, step: 1, soft: 0, failed: 1 }
    log.add('rollout.finished', { ...round, round: 0, hard: 1, scored: 1 })
    log.add('rollout.finished', { ...round, round: 1, hard: 0, scored: 3 })
    expect(log.view().steps[0]?.rollout).toEqual({ hard: 0.25, soft: 0, scored: 4, failed: 2 })
    expect(log.view().series.train).toEqual([{ step: 1, value: 0.25 }])
  })
})

describe('trouble', () => {
  it('counts what is unknown instead of guessing it', () => {
    const log = new LogBuilder().start()
    log.call('rollout', 1, 1, { usage: {}, cost: undefined })
    expect(log.view().spending.total).toMatchObject({
      calls: 1,
      input: 0,
      unknownUsage: 1,
      cost: 0,
      unknownCost: 1,
    })
  })

  it('counts failed tries and attempts by kind, and what they may have cost', () => {
    const log = new LogBuilder().start()
    const failed = {
      ...place,
      role: 'target',
      try: 1,
      kind: 'timeout',
      message: 'no reply in 120 s',
    } as const
    log.add('call.started', { ...place, role: 'target', try: 1, reserved: { input: 5, output: 7 } })
    log.add('call.failed', { ...failed, charged: { input: 5, output: 7, cost: 0.5 } })
    log.add('attempt.failed', {
      ...place,
      skill: seedHash,
      task: 'a',
      sample: 0,
      kind: 'timeout',
      message: 'gone',
    })
    log.add('optimizer.failed', { ...place, stage: 'reflect', message: 'not JSON' })
    const view = log.view()
    expect(view.failedTries).toEqual({ timeout: 1 })
    expect(view.failedAttempts).toEqual({ timeout: 1 })
    expect(view.spending.roles.target).toMatchObject({ calls: 0, tries: 1, failedTries: 1 })
    expect(view.spending.total.perhaps).toEqual({ input: 5, output: 7, cost: 0.5 })
    expect(view).toMatchObject({ optimizerFailures: 1, callsInFlight: 0, lastFailure: { kind: 'optimizer' } })
  })

  it('counts calls in flight at death, and leaves the pause out of the active time', () => {
    const log = new LogBuilder().start()
    log.add('call.started', { ...place, role: 'target', try: 1, reserved: { input: 5, output: 7 } })
    log.add('call.started', { ...place, role: 'target', try: 1, reserved: { input: 5, output: 7 } })
    const before = log.view()
    expect(before).toMatchObject({ callsInFlight: 2, callsLost: 0 })
    log.add('session.started', { pid: 4343, resumed: true, limits: { maxCalls: 5 } }, { after: 3_600_000 })
    const after = log.view()
    expect(after).toMatchObject({
      callsInFlight: 0,
      callsLost: 2,
      sessions: 2,
      pid: 4343,
      limits: { maxCalls: 5 },
    })
    expect(after.activeMs).toBe(before.activeMs)
  })

  it('is stopped until a session resumes, and a finished run stays finished', () => {
    const log = sampleLog().add('run.stopped', {
      reason: 'cap',
      message: 'The next call could pass 5 calls.',
    })
    expect(log.view()).toMatchObject({
      outcome: 'cap',
      stopped: { message: 'The next call could pass 5 calls.' },
    })
    log.add('session.started', { pid: 1, resumed: true, limits: {} })
    expect(log.view()).toMatchObject({ outcome: 'running', stopped: undefined })
    finish(log).add('session.started', { pid: 1, resumed: true, limits: {} })
    expect(log.view().outcome).toBe('finished')
  })

  it('does not grow with calls and attempts', () => {
    const sizeAfter = (count: number) => {
      const log = new LogBuilder().start()
      log.add('stage.started', { ...place, total: count })
      for (let index = 0; index < count; index++)
        log.call('rollout', 1, 1).attempt('rollout', 1, 1, `task-${index}`, 1)
      return JSON.stringify(log.view()).length
    }
    expect(sizeAfter(2000)).toBeLessThan(sizeAfter(20) + 100)
  })
})
