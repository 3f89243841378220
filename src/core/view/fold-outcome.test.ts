import { describe, expect, it } from 'vitest'
import { bestHash, finish, LogBuilder, sampleLog, seedHash } from '../../../test/support/sample-run.js'
import { createView } from './fold.js'

describe('the outcome of a run', () => {
  const text = { text: 'blob', origins: 'blob' }
  const evaluated = {
    skill: seedHash,
    hard: 0.5,
    soft: 0.6,
    scored: 4,
    failed: 1,
    score: 0.5,
    rows: 'blob',
    split: 'val' as const,
  }
  const at = { epoch: 1, step: 1 }

  it('is nothing yet before the first event', () => {
    expect(createView()).toMatchObject({
      run: '',
      kind: 'train',
      product: '',
      simulated: false,
      seedSkill: '',
      outcome: 'running',
      tasks: { train: 0, val: 0, test: 0 },
      events: 0,
      stages: [],
      steps: [],
      versions: [],
      tests: [],
    })
  })

  it('knows where it came from and when it began', () => {
    const log = new LogBuilder().start({ kind: 'eval', forkedFrom: 'other' })
    const begun = log.events[0]
    expect(log.view()).toMatchObject({
      kind: 'eval',
      forkedFrom: 'other',
      product: '0.1.0',
      epochs: 2,
      stepsPerEpoch: 1,
      tasks: { train: 4, val: 4, test: 10 },
      sources: { name: 'file' },
      startedAt: begun?.at,
    })
  })

  it('gives a version its score when its skill is evaluated on validation, once', () => {
    const log = new LogBuilder().start()
    log.add('skill.version', { version: 0, skill: seedHash, ...text, because: 'seed' })
    log.add('skill.version', { version: 1, skill: bestHash, ...text, score: 0.9, because: 'accepted' })
    log.add('skill.version', { version: 2, skill: seedHash, ...text, score: 0.4, because: 'back' })
    const evaluate = (split: 'val' | 'test', skill: string) =>
      log.add('evaluation.finished', { ...evaluated, split, skill, stage: 'baseline', epoch: 0, step: 0 })
    const scores = () => log.view().versions.map(version => version.score)
    evaluate('test', seedHash)
    expect(scores()).toEqual([undefined, 0.9, 0.4])
    evaluate('val', seedHash)
    expect(scores()).toEqual([0.5, 0.9, 0.4])
    evaluate('val', bestHash)
    expect(scores()).toEqual([0.5, 0.9, 0.4])
  })

  it('has a version and a test once, the later one', () => {
    const log = finish(sampleLog())
    log.add('skill.version', { version: 1, skill: seedHash, ...text, score: 0.1, because: 'again' })
    const last = log.view().tests.find(test => test.which === 'last')
    if (last === undefined) throw new Error('the sample has a test of the last skill')
    log.add('test.finished', { ...last, score: 0.99 })
    const view = log.view()
    expect(view.versions.map(({ version, because }) => [version, because])).toEqual([
      [0, 'seed'],
      [2, 'rejected, kept'],
      [1, 'again'],
    ])
    expect(view.tests.map(({ which, score }) => [which, score])).toEqual([
      ['none', 0.1],
      ['initial', 0.2],
      ['best', 0.7],
      ['last', 0.99],
    ])
  })

  it('keeps the seed’s baseline, and a candidate’s evaluation with its step', () => {
    const log = new LogBuilder().start()
    const baseline = { stage: 'baseline', epoch: 0, step: 0 } as const
    log.add('stage.started', { ...baseline, total: 4 })
    log.add('step.started', { ...at, budget: 4, tasks: ['a'], skill: seedHash })
    log.add('evaluation.finished', { ...evaluated, ...baseline })
    log.add('evaluation.finished', { ...evaluated, ...baseline, score: 0.8, skill: bestHash })
    log.add('update.finished', { ...at, skill: seedHash, text: text.text, reports: [] })
    log.add('evaluation.finished', { ...evaluated, ...at, stage: 'gate', score: 0.7 })
    // The slow update of the epoch is evaluated at the same step.
    log.add('evaluation.finished', { ...evaluated, ...at, stage: 'gate', skill: bestHash, score: 0.9 })
    log.add('evaluation.finished', { ...evaluated, ...at, stage: 'test', score: 0.1 })
    const view = log.view()
    expect(view.baseline).toMatchObject({ score: 0.5, skill: seedHash })
    expect(view.stages).toMatchObject([{ stage: 'baseline', finished: true, done: 4 }])
    expect(view.series.validation).toEqual([{ step: 0, value: 0.5 }])
    expect(view.steps[0]?.evaluation).toEqual({ hard: 0.5, soft: 0.6, scored: 4, failed: 1, score: 0.7 })
    expect(view.evaluations).toEqual([])
  })

  it('of an evaluation keeps each of them', () => {
    const log = new LogBuilder().start({ kind: 'eval' })
    for (const score of [0.5, 0.6])
      log.add('evaluation.finished', { ...evaluated, stage: 'test', epoch: 0, step: 0, score })
    expect(log.view().evaluations.map(({ score }) => score)).toEqual([0.5, 0.6])
  })

  it('keeps curves in the order of steps, with the later value of a step', () => {
    const log = new LogBuilder().start()
    const best = { skill: bestHash, ...text }
    log.add('best.changed', { version: 3, ...best, score: 0.3 })
    log.add('best.changed', { version: 1, ...best, score: 0.1 })
    log.add('best.changed', { version: 2, ...best, score: 0.2 })
    log.add('best.changed', { version: 1, ...best, score: 0.15 })
    expect(log.view().series.best).toEqual([
      { step: 1, value: 0.15 },
      { step: 2, value: 0.2 },
      { step: 3, value: 0.3 },
    ])
  })

  it('has no training score if every attempt failed for external reasons', () => {
    const log = new LogBuilder().start()
    log.add('step.started', { ...at, budget: 4, tasks: ['a'], skill: seedHash })
    const nothing = { ...at, hard: 0, soft: 0, scored: 0, failed: 3 }
    log.add('rollout.finished', { ...nothing, round: 0 }).add('rollout.finished', { ...nothing, round: 1 })
    const view = log.view()
    expect(view.steps[0]?.rollout).toEqual({ hard: 0, soft: 0, scored: 0, failed: 6 })
    expect(view.series.train).toEqual([])
  })

  it('has the time that each step was at work, without the pause between', () => {
    const log = new LogBuilder().start()
    log.add('step.started', { ...at, budget: 4, tasks: ['a', 'b'], skill: seedHash }, { after: 1000 })
    log.add('session.started', { pid: 1, resumed: true, limits: {} }, { after: 3_600_000 })
    log.add('step.finished', { ...at, outcome: 'no-edits', skill: seedHash }, { after: 500 })
    const [step] = log.view().steps
    expect(step).toMatchObject({ outcome: 'no-edits', taskCount: 2, activeFrom: 1000, activeTo: 1500 })
  })

  it('of a mining counts tasks and not calls, and is finished with its result', () => {
    const place = { stage: 'mine', epoch: 0, step: 0 } as const
    const log = new LogBuilder().start({ kind: 'mine' })
    log.add('stage.started', { ...place, total: 3 })
    // The second call repairs the first one's reply.
    log.call('mine', 0, 0).call('mine', 0, 0)
    expect(log.view().stages).toMatchObject([{ stage: 'mine', done: 0, total: 3, finished: false }])
    const task = { intent: 'Do it.', rubric: ['Done.'], checks: [], dropped: [] }
    log.add('task.mined', { status: 'written', cluster: 'a', ...task })
    log.add('task.mined', { status: 'failed', cluster: 'b', problem: 'no JSON' })
    expect(log.view()).toMatchObject({ outcome: 'running', mining: undefined })
    expect(log.view().stages).toMatchObject([{ done: 2, failed: 1, finished: false }])
    log.add('run.stopped', { reason: 'cap', message: 'no more' })
    log.add('mining.finished', { written: 1, skipped: 0, failed: 1 })
    expect(log.view()).toMatchObject({
      outcome: 'finished',
      stopped: undefined,
      stages: [{ finished: true }],
    })
    expect(log.view().mining).toEqual({ written: 1, skipped: 0, failed: 1 })
  })

  it('of dreams counts the tasks that they are made of', () => {
    const place = { stage: 'dream', epoch: 0, step: 0 } as const
    const log = new LogBuilder().start({ kind: 'mine' })
    log.add('stage.started', { ...place, total: 3 })
    log.call('dream', 0, 0).call('dream', 0, 0)
    log.add('task.dreamed', { status: 'written', task: 'a', variants: ['One.', 'Two.'], dropped: [] })
    log.add('task.dreamed', { status: 'failed', task: 'b', problem: 'no JSON' })
    expect(log.view().stages).toMatchObject([
      { stage: 'dream', done: 2, total: 3, failed: 1, finished: false },
    ])
    log.add('mining.finished', { written: 2, skipped: 0, failed: 1 })
    expect(log.view()).toMatchObject({ outcome: 'finished', stages: [{ finished: true }] })
    expect(log.view().spending.stages.dream?.calls).toBe(2)
  })

  it('of a comparison is finished with its result, and stays so', () => {
    const log = new LogBuilder().start({ kind: 'baseline' })
    log.add('stage.started', { stage: 'one-shot', epoch: 0, step: 0, total: 1 })
    log.add('one-shot.finished', { summary: 'no skill' })
    log.add('stage.started', { stage: 'test', epoch: 0, step: 0, total: 9 })
    log.add('run.stopped', { reason: 'paused', message: 'waits', hint: 'go on' })
    expect(log.view()).toMatchObject({ outcome: 'paused', stopped: { message: 'waits', hint: 'go on' } })
    log.add('comparison.finished', { pairs: [] })
    log.add('run.stopped', { reason: 'failed', message: 'too late' })
    expect(log.view()).toMatchObject({
      outcome: 'finished',
      stopped: undefined,
      oneShot: { summary: 'no skill' },
      comparison: { pairs: [] },
      stages: [{ finished: true }, { stage: 'test', finished: true }],
    })
  })
})
