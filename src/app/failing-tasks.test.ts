import { describe, expect, it } from 'vitest'
import { bestHash, finish, sampleLog, seedHash } from '../../test/support/sample-run.js'
import { failingTasks } from './failing-tasks.js'

const at = { stage: 'test', epoch: 0, step: 0 } as const

async function* stream<T>(items: readonly T[]) {
  yield* items
}

describe('the tasks that still fail', () => {
  it('are those of the test split, by type, with what was expected, and those that broke', async () => {
    const log = finish(sampleLog())
    log.add('skill.version', {
      version: 0,
      skill: seedHash,
      text: log.put('seed'),
      origins: log.put('[]'),
      because: 'the seed skill',
    })
    const attempt = (skill: string, task: string, type: string, hard: number) =>
      log.add('attempt.finished', {
        ...at,
        skill,
        task,
        type,
        sample: 0,
        messages: [],
        outcome: {
          status: 'scored',
          score: { hard, soft: hard, feedback: `Expected 5, got ${hard}.` },
          stop: 'answered',
        },
      })
    for (const [task, type, before, after] of [
      ['p1', 'price', 0, 0],
      ['p2', 'price', 1, 0],
      ['p3', 'price', 0, 1],
      ['d1', 'date', 1, 1],
    ] as const) {
      attempt(seedHash, task, type, before)
      attempt(bestHash, task, type, after)
    }
    const found = await failingTasks(log.view(), stream(log.events))
    expect(found?.split).toBe('test')
    const price = found?.types.find(({ type }) => type === 'price')
    expect(price?.failing.map(({ task, feedback }) => [task, feedback])).toEqual([
      ['p1', 'Expected 5, got 0.'],
      ['p2', 'Expected 5, got 0.'],
    ])
    expect(price?.before).toBeCloseTo(1 / 3)
    expect(found?.broken.map(({ task }) => task)).toContain('p2')
    expect(found?.types.some(({ type }) => type === 'date')).toBe(false)
  })

  it('are unknown before a skill was scored', async () => {
    const log = sampleLog()
    expect(await failingTasks({ ...log.view(), best: undefined }, stream(log.events))).toBeUndefined()
  })
})
