import { describe, expect, it } from 'vitest'
import { LogBuilder, sampleLog } from '../../../../test/support/sample-run.js'
import { curveOf, differencesOf } from './comparison.js'

describe('the curve of a run', () => {
  it('begins with the seed, when the first step began, and has a point for each step', () => {
    const view = sampleLog().view()
    const points = curveOf(view)
    expect(points.map(({ step, validation, best }) => ({ step, validation, best }))).toEqual([
      { step: 0, validation: 0.25, best: 0.25 },
      { step: 1, validation: 0.75, best: 0.75 },
      { step: 2, validation: 0, best: 0.75 },
    ])
    // The baseline makes four calls. Each step makes four rollout calls, two optimizer calls and four gate
    // calls.
    expect(points.map(({ tokens }) => tokens)).toEqual([480, 480 + 1200, 480 + 2400])
    expect(points.map(({ cost }) => cost)).toEqual([0.004, 0.014, 0.024].map(cost => expect.closeTo(cost)))
    expect(points[0]?.activeMs).toBe(view.steps[0]?.activeFrom)
    expect(points[2]?.activeMs).toBe(view.steps[1]?.activeTo)
  })

  it('leaves out a step that has not ended', () => {
    const log = sampleLog()
    const end = log.events.findLastIndex(({ type }) => type === 'step.finished')
    expect(curveOf(log.view(end)).map(({ step }) => step)).toEqual([0, 1])
  })

  it('has the best so far even if a step measured nothing', () => {
    const log = sampleLog()
    log.add('step.started', { epoch: 3, step: 3, tasks: [], skill: 'b'.repeat(16) })
    log.add('step.finished', { epoch: 3, step: 3, outcome: 'no-edits', skill: 'b'.repeat(16) })
    const last = curveOf(log.view()).at(-1)
    expect(last).toMatchObject({ step: 3, best: 0.75 })
    expect(last).not.toHaveProperty('validation')
  })

  it('of a run that only measured the seed is one point, at its cost', () => {
    const log = sampleLog()
    const first = log.events.findIndex(({ type }) => type === 'step.started')
    const view = log.view(first)
    expect(curveOf(view)).toEqual([
      {
        step: 0,
        activeMs: view.activeMs,
        tokens: 480,
        cost: expect.closeTo(0.004),
        validation: 0.25,
        best: 0.25,
      },
    ])
  })

  it('has no point where nothing was measured', () => {
    expect(curveOf(new LogBuilder().start().view())).toEqual([])
  })
})

describe('the settings in which runs differ', () => {
  const settings = (...configs: readonly object[]) =>
    differencesOf(configs.map(config => ({ config, sources: {} })))

  it('are given as JSON, in the order of the runs', () => {
    const [one, other] = [
      { train: { epochs: 2, seed: 1 }, models: { target: 'a/b' } },
      { train: { epochs: 4, seed: 1 }, models: { target: 'c/d' } },
    ]
    expect(settings(one, other)).toEqual([
      { path: 'train.epochs', values: ['2', '4'] },
      { path: 'models.target', values: ['"a/b"', '"c/d"'] },
    ])
  })

  it('are empty for a run without the setting', () => {
    expect(settings({ a: 1 }, { a: 1, b: null }, { a: 1, b: false })).toEqual([
      { path: 'b', values: [null, 'null', 'false'] },
    ])
  })

  it('compare lists as wholes', () => {
    expect(settings({ list: [1, 2] }, { list: [1, 2] })).toEqual([])
    expect(settings({ list: [1, 2] }, { list: [2, 1] })).toEqual([
      { path: 'list', values: ['[1,2]', '[2,1]'] },
    ])
  })

  it('are empty for a single run', () => {
    expect(settings({ a: 1 })).toEqual([])
  })
})
