import { describe, expect, it } from 'vitest'
import { fakeRun, scoredAttempt } from '../../test/fake-run.js'
import type { AttemptEffect, Run } from '../core/ports.js'
import { skillHash } from '../core/skill.js'
import type { Attempt, Row, Task } from '../core/task.js'
import { screen } from './screen.js'

const place = { stage: 'screen', epoch: 1, step: 4 } as const
const named = (prefix: string, count: number): Task[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}${index}` }))
const tasks = { train: [...named('f', 20), ...named('s', 20)], val: named('v', 30) }
const options = { most: 24, tasks, score: ({ hard }: { hard: number }) => hard, lanes: 3 }
const rows = (hard: (index: number) => number): Row[] =>
  tasks.val.map(({ id }, index) => ({ task: id, type: '', sample: 0, hard: hard(index), soft: hard(index) }))

/** The current skill fails the f tasks and solves the s tasks; half of the validation tasks set two skills apart. */
function screening(answer: (task: string) => number | undefined, more: Partial<typeof options> = {}) {
  const run = fakeRun(effect => {
    const { task } = effect as AttemptEffect
    const hard = answer(task.id)
    return hard === undefined ? failed(task.id) : scoredAttempt(run, task.id, hard)
  })
  const current = rows(index => Number(index < 20))
  const evidence = {
    parent: tasks.train.map(({ id }) => scoredAttempt(run, id, Number(id.startsWith('s')))),
    edits: [{ tasks: ['f7', 'f3'] }],
    evaluations: [rows(index => Number(index < 5)), current],
    current,
  }
  return { run, found: screen(run as Run, 'the candidate', evidence, { ...options, ...more }, place) }
}

function failed(task: string): Attempt {
  const outcome = { status: 'failed', failure: { kind: 'timeout', message: 'too slow' } } as const
  return { task, type: '', sample: 0, messages: [], outcome }
}

const attempts = (run: ReturnType<typeof fakeRun>) =>
  run.effects.map(effect => {
    const { task, scope, sample, skill } = effect as AttemptEffect
    return { task: task.id, scope, sample, skill }
  })

describe('the screen', () => {
  it('asks on validation for what the gate will ask for, and on train tasks for attempts of its own', async () => {
    const { run, found } = screening(() => 1)
    await found
    const made = attempts(run)
    expect(made.map(({ task }) => task).join(' ')).toBe('f3 v5 s0 v6 f7 v7 s1 v8')
    for (const { task, scope, sample, skill } of made) {
      expect(scope).toBe(task.startsWith('v') ? '' : 'screen step 4')
      expect({ sample, skill }).toEqual({ sample: 0, skill: 'the candidate' })
    }
  })

  it('lets go of a candidate that does well after one round, and never says more than that', async () => {
    const { run, found } = screening(() => 1)
    expect(await found).toMatchObject({
      ...{ epoch: 1, step: 4, candidate: skillHash('the candidate'), verdict: 'passed', gained: 2, lost: 0 },
    })
    expect((await found).tried).toHaveLength(8)
    expect((await found).tried[0]).toEqual({ split: 'train', task: 'f3', before: 0, restsOn: true, after: 1 })
    expect(run.emitted).toMatchObject([{ type: 'stage.started', body: { stage: 'screen', total: 24 } }])
  })

  it('kills a candidate that breaks everything, without spending all that it may', async () => {
    const { run, found } = screening(() => 0)
    expect(await found).toMatchObject({ verdict: 'killed', gained: 0 })
    expect((await found).reason).toContain('It does harm')
    expect(run.effects.length).toBeLessThan(24)
  })

  it('says the same however many lanes there are', async () => {
    const answer = (task: string) => Number(task.length % 2 === 0)
    const results = await Promise.all([1, 2, 50].map(lanes => screening(answer, { lanes }).found))
    expect(new Set(results.map(result => JSON.stringify(result))).size).toBe(1)
  })

  it('does not kill where the world failed most of it', async () => {
    const { run, found } = screening(task => (task === 'v5' ? 0 : undefined))
    expect(await found).toMatchObject({ verdict: 'passed', gained: 0, lost: 0 })
    expect((await found).reason).toBe('Too little to tell: 1 of 24 attempts were scored.')
    expect((await found).tried[3]).toEqual({ ...{ split: 'val', task: 'v6', restsOn: false, before: 0.75 } })
    expect(run.effects).toHaveLength(24)
  })

  it('keeps to what it may spend', async () => {
    const { run, found } = screening(() => 0, { most: 5 })
    expect(await found).toMatchObject({ verdict: 'passed' })
    expect(run.effects).toHaveLength(5)
  })
})
