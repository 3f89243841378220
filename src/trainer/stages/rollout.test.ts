import { describe, expect, it } from 'vitest'
import { fakeRun, scoredAttempt } from '../../../test/fake-run.js'
import { PausedError } from '../../core/errors/errors.js'
import { skillHash } from '../../core/skill/skill.js'
import type { Attempt, Row } from '../../core/task/task.js'
import { evaluate, rollout, rolloutScope, rowOf, summarize } from './rollout.js'

const place = { stage: 'rollout', epoch: 1, step: 2 } as const
const tasks = ['a', 'b', 'c'].map(id => ({ id }))
const failed: Attempt['outcome'] = { status: 'failed', failure: { kind: 'server', message: 'overloaded' } }

const row = (hard?: number, soft?: number): Row => ({
  task: 'a',
  type: '',
  sample: 0,
  ...(hard === undefined ? {} : { hard }),
  ...(soft === undefined ? {} : { soft }),
})

describe('rollout', () => {
  it('starts every attempt at once, in the order of the batch', async () => {
    const run = fakeRun(effect => scoredAttempt(run, effect.kind === 'attempt' ? effect.task.id : '', 1))
    const attempts = rollout(run, { skill: 'skill', tasks, scope: 'step 2', place })
    expect(run.effects).toEqual(
      tasks.map(task => ({ kind: 'attempt', skill: 'skill', task, sample: 0, scope: 'step 2' })),
    )
    expect((await Promise.all(attempts)).map(attempt => attempt.task)).toEqual(['a', 'b', 'c'])
  })

  it('runs each task the configured number of times, with its attempts in sequence', () => {
    const run = fakeRun(effect => scoredAttempt(run, effect.kind === 'attempt' ? effect.task.id : '', 1))
    expect(
      rollout(run, { skill: 'skill', tasks: tasks.slice(0, 2), scope: '', place, samples: 3 }),
    ).toHaveLength(6)
    const asked = run.effects.map(effect => effect.kind === 'attempt' && `${effect.task.id}${effect.sample}`)
    expect(asked).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2'])
  })
})

describe('the scope of a rollout', () => {
  it('is its step and round, or none if attempts are reused', () => {
    expect(rolloutScope('resample', 2, 1)).not.toBe(rolloutScope('resample', 3, 1))
    expect(rolloutScope('resample', 2, 1)).not.toBe(rolloutScope('resample', 2, 0))
    expect(rolloutScope('reuse', 2, 1)).toBe('')
  })
})

describe('a row', () => {
  it("holds the attempt's scores and usage, unless it failed for external reasons", () => {
    const counted = { reward: 0.5, tokens: 20, ms: 300 }
    const attempt = {
      ...scoredAttempt(
        fakeRun(() => ({})),
        'a',
        1,
      ),
      ...counted,
    }
    expect(rowOf(attempt)).toEqual({ task: 'a', type: 'kind', sample: 0, hard: 1, soft: 1, ...counted })
    expect(rowOf({ ...attempt, outcome: failed })).toEqual({ task: 'a', type: 'kind', sample: 0 })
  })
})

describe('evaluate', () => {
  it('has a row for every task, without scores for external failures, and no scope, so it is paid for once', async () => {
    const run = fakeRun(effect => {
      const task = effect.kind === 'attempt' ? effect.task.id : ''
      const attempt = scoredAttempt(run, task, task === 'a' ? 1 : 0)
      return task === 'c' ? { ...attempt, outcome: failed } : attempt
    })
    expect(await evaluate(run, { skill: 'skill', split: 'test', tasks, concurrency: 2, place })).toEqual({
      skill: skillHash('skill'),
      split: 'test',
      rows: [
        { task: 'a', type: 'kind', sample: 0, hard: 1, soft: 1 },
        { task: 'b', type: 'kind', sample: 0, hard: 0, soft: 0 },
        { task: 'c', type: 'kind', sample: 0 },
      ],
      hard: 0.5,
      soft: 0.5,
      scored: 2,
      failed: 1,
    })
    expect(run.effects).toMatchObject(tasks.map(task => ({ task, sample: 0, scope: '' })))
  })
})

describe('summarize', () => {
  it('averages over scored attempts, using the hard score if there is no soft one', () => {
    expect(summarize([row(1, 0.25), row(0), row()])).toEqual({ hard: 0.5, soft: 0.125, scored: 2, failed: 1 })
    expect(summarize([row(1), row(1, 0)])).toEqual({ hard: 1, soft: 0.5, scored: 2, failed: 0 })
  })

  it('averages only measures that all attempts have', () => {
    const counted = (reward: number, tokens?: number): Row => ({
      ...row(1, 1),
      reward,
      ...(tokens === undefined ? {} : { tokens }),
    })
    const means = { hard: 1, soft: 1, scored: 2, failed: 1, reward: 0.75 }
    expect(summarize([counted(0.5, 10), counted(1, 30), row()])).toEqual({ ...means, tokens: 20 })
    expect(summarize([counted(0.5, 10), counted(1), row()])).toEqual(means)
  })

  it('pauses with a hint when nothing was scored', () => {
    const summing = () => summarize([row(), row()])
    expect(summing).toThrow(PausedError)
    expect(summing).toThrow('0 of 2 attempts were scored')
    expect(summing).toThrow(expect.objectContaining({ hint: expect.stringContaining('skillopt show') }))
  })
})
