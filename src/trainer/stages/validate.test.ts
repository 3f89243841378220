import { describe, expect, it } from 'vitest'
import { fakeRun } from '../../../test/fake-run.js'
import { hardScore, usualSettings } from '../../../test/support/gate-play.js'
import { PausedError } from '../../core/errors/errors.js'
import type { EventBody } from '../../core/log/event.js'
import type { Gate, GateFactory } from '../../core/ports/gate.js'
import type { Effect } from '../../core/ports/run.js'
import { skillHash } from '../../core/skill/skill.js'
import { hashSeed } from '../../core/statistics/random.js'
import { metricScore } from '../../core/task/metric.js'
import type { Attempt, Outcome } from '../../core/task/task.js'
import { createGate as always } from '../gates/always.js'
import { withNoRegression } from '../gates/no-regression.js'
import { createGate as paired } from '../gates/paired.js'
import { createGate as strict } from '../gates/strict.js'
import { choosePairs, countPairs, rolloutPairs } from './compare.js'
import { mapConcurrently } from './concurrency.js'
import { serializeRows, validate } from './validate.js'

const place = { stage: 'gate', epoch: 1, step: 1 } as const
const tasks = ['a', 'b', 'c', 'd'].map(id => ({ id }))

const failed: Outcome = { status: 'failed', failure: { kind: 'timeout', message: 'silence' } }
const scored = (hard: number): Outcome => ({
  status: 'scored',
  score: { hard, soft: hard, feedback: '' },
  stop: 'answered',
})

/** Attempts whose outcome is looked up by skill and task. */
function worldOf(outcomes: Record<string, Record<string, Outcome>>) {
  return fakeRun((effect: Effect): Attempt => {
    if (effect.kind !== 'attempt') throw new Error('no calls here')
    const outcome = outcomes[effect.skill]?.[effect.task.id] ?? scored(0)
    return { task: effect.task.id, type: '', sample: effect.sample, messages: [], outcome }
  })
}

const all = (hard: number) => Object.fromEntries(tasks.map(({ id }) => [id, scored(hard)]))

const optionsOf = (gate: GateFactory, settings = usualSettings) => ({
  gate,
  settings,
  score: hardScore,
  tasks,
  concurrency: 3,
})

const deciding = (run: ReturnType<typeof worldOf>, gate: GateFactory, best = 0, settings = usualSettings) =>
  validate(
    run,
    { current: 'old', candidate: 'new', bestScore: best, what: 'step', place },
    optionsOf(gate, settings),
  )

describe('validate', () => {
  it('accepts a better candidate, and calls it best only above the best so far', async () => {
    const outcomes = { old: { ...all(0), a: scored(1) }, new: { ...all(1), d: scored(0) } }
    expect(await deciding(worldOf(outcomes), strict, 0.25)).toMatchObject({
      action: 'accept_new_best',
      current: 0.25,
      score: 0.75,
      candidate: skillHash('new'),
    })
    expect(await deciding(worldOf(outcomes), strict, 0.9)).toMatchObject({ action: 'accept' })
  })

  it('rejects a tie', async () => {
    const half = { a: scored(1), b: scored(1) }
    expect(await deciding(worldOf({ old: half, new: half }), strict)).toMatchObject({ action: 'reject' })
  })

  it('rejects without an attempt if nothing is left to gain, and reports the score as a bound', async () => {
    const run = worldOf({ old: all(1), new: all(0) })
    expect(await deciding(run, strict, 1)).toMatchObject({
      action: 'reject',
      current: 1,
      score: 1,
      verdict: { complete: false },
    })
    expect(run.effects).toMatchObject(tasks.map(task => ({ skill: 'old', task })))
    expect(run.emitted.map(({ type }) => type)).not.toContain('evaluation.finished')
  })

  it('counts unseen tasks as solved in the bound of a stopped evaluation', async () => {
    const hasty: GateFactory = ({ score, tasks: ids }) => ({
      id: 'hasty',
      score,
      next: seen =>
        seen.length === 0
          ? {
              run: [
                ...ids.map(task => ({ side: 'current', task, sample: 0 }) as const),
                ...ids.slice(0, 3).map(task => ({ side: 'candidate', task, sample: 0 }) as const),
                { side: 'candidate', task: 'd', sample: 1 },
              ],
            }
          : { decision: 'reject', complete: false, reason: 'that is enough' },
    })
    const outcomes = { old: all(0), new: { a: scored(0), b: scored(0.5), c: failed, d: scored(0) } }
    // a and b average 0.5, c has no score, and of d only the repeat was seen, which does not count.
    expect(await deciding(worldOf(outcomes), hasty)).toMatchObject({ score: 0.5 })
  })

  it('assumes the best reward for unseen tasks in the bound of a stopped evaluation', async () => {
    const stopping =
      (asked: number): GateFactory =>
      ({ score, tasks: ids }) => ({
        id: 'stopping',
        score,
        next: seen =>
          seen.length < ids.length + asked
            ? {
                run: [
                  ...ids.map(task => ({ side: 'current', task, sample: 0 }) as const),
                  ...ids.slice(0, asked).map(task => ({ side: 'candidate', task, sample: 0 }) as const),
                ],
              }
            : { decision: 'reject', complete: false, reason: 'that is enough' },
      })
    const bound = async (asked: number) => {
      const run = fakeRun((effect: Effect): Attempt => {
        if (effect.kind !== 'attempt') throw new Error('no calls here')
        const attempt = { task: effect.task.id, type: '', sample: 0, messages: [], outcome: scored(1) }
        return { ...attempt, reward: 0.2 }
      })
      const score: Gate['score'] = scores => metricScore(scores, 'reward', 0)
      const options = { ...optionsOf(stopping(asked)), score }
      return (
        await validate(run, { current: 'old', candidate: 'new', bestScore: 0, what: 'step', place }, options)
      ).score
    }
    expect(await bound(2)).toBeCloseTo((2 * 0.2 + 2) / 4, 12)
    expect(await bound(0)).toBe(1)
  })

  it.each([
    ['strict', strict],
    ['paired', paired],
    ['always', always],
    ['no-regression over paired', withNoRegression(paired, 'task')],
  ])('decides the same with %s, however many attempts run at once', async (_name, gate) => {
    const many = Array.from({ length: 30 }, (_, index) => ({ id: `t${index}` }))
    const decided = async (concurrency: number) => {
      const run = fakeRun((effect: Effect): Attempt => {
        if (effect.kind !== 'attempt') throw new Error('no calls here')
        const { skill, sample, task } = effect
        const outcome = scored(
          hashSeed(`${skill} ${task.id} ${sample}`) % 10 < (skill === 'new' ? 8 : 4) ? 1 : 0,
        )
        return { task: task.id, type: '', sample, messages: [], outcome }
      })
      const body = await validate(
        run,
        { current: 'old', candidate: 'new', bestScore: 0, what: 'step', place },
        { ...optionsOf(gate), tasks: many, concurrency },
      )
      return { body, effects: run.effects.length, emitted: run.emitted }
    }
    const one = await decided(1)
    expect(await decided(7)).toEqual(one)
    expect(await decided(1000)).toEqual(one)
  })

  it('abstains when external failures hit one side more than the other', async () => {
    const run = worldOf({ old: all(0), new: { ...all(1), b: failed } })
    const decided = await deciding(run, strict)
    expect(decided).toMatchObject({ action: 'abstain', score: 1 })
  })

  it('pauses when a side has no score at all, instead of counting it as 0', async () => {
    const run = worldOf({ old: all(0), new: Object.fromEntries(tasks.map(({ id }) => [id, failed])) })
    await expect(deciding(run, strict)).rejects.toBeInstanceOf(PausedError)
  })

  it.each(['abstain', 'reject'] as const)(
    'records %s of a stopped evaluation whose attempts all failed for external reasons',
    async decision => {
      const stopping: GateFactory = ({ score, tasks: ids }) => ({
        id: 'stopping',
        score,
        next: seen =>
          seen.length === 0
            ? {
                run: [
                  ...ids.map(task => ({ side: 'current', task, sample: 0 }) as const),
                  ...ids.slice(0, 2).map(task => ({ side: 'candidate', task, sample: 0 }) as const),
                ],
              }
            : { decision, complete: false, reason: 'two attempts failed' },
      })
      const run = worldOf({ old: all(0), new: { a: failed, b: failed } })
      // Nothing was scored, so nothing bounds the score of the candidate.
      expect(await deciding(run, stopping)).toMatchObject({ action: decision, score: 1, current: 0 })
    },
  )

  it('records an evaluation only when the candidate was run on everything', async () => {
    const hasty: GateFactory = ({ score, tasks: ids }) => ({
      id: 'hasty',
      score,
      next: seen =>
        seen.length === 0
          ? {
              run: (['current', 'candidate'] as const).map(side => ({ side, task: ids[0] ?? '', sample: 0 })),
            }
          : { decision: 'accept', complete: false, reason: 'that is enough' },
    })
    const run = worldOf({ old: all(0), new: all(1) })
    expect(await deciding(run, hasty)).toMatchObject({ action: 'accept', verdict: { complete: false } })
    expect(run.emitted.map(({ type }) => type)).not.toContain('evaluation.finished')
    const whole = worldOf({ old: all(0), new: all(1) })
    await deciding(whole, strict)
    const hash = skillHash('new')
    expect(whole.emitted).toEqual([
      { type: 'stage.started', key: `step 1 ${hash}`, body: { ...place, total: 4 } },
      {
        type: 'evaluation.finished',
        key: `val ${hash}`,
        body: {
          ...place,
          skill: hash,
          split: 'val',
          hard: 1,
          soft: 1,
          scored: 4,
          failed: 0,
          score: 1,
          rows: expect.any(String),
        },
      },
    ])
    const body = whole.emitted[1]?.body as EventBody<'evaluation.finished'> | undefined
    expect((await whole.get(body?.rows ?? '')).split('\n').map(line => JSON.parse(line))).toEqual(
      tasks.map(({ id }) => ({ task: id, type: '', sample: 0, hard: 1, soft: 1 })),
    )
    expect(whole.effects).toMatchObject(
      ['old', 'new'].flatMap(skill => tasks.map(task => ({ skill, task, sample: 0, scope: '' }))),
    )
  })

  it('decides once per candidate, step and question', async () => {
    const run = worldOf({ old: all(0), new: all(1) })
    const options = optionsOf(strict, { ...usualSettings, earlyStop: false })
    const again = (candidate: string, what: 'step' | 'last', step: number) =>
      validate(run, { current: 'old', candidate, bestScore: 0, what, place: { ...place, step } }, options)
    const first = await again('new', 'step', 1)
    expect(run.effects).toHaveLength(8)
    expect(await again('new', 'step', 1)).toEqual(first)
    expect(run.effects).toHaveLength(8)
    await again('old', 'step', 1)
    await again('new', 'last', 1)
    await again('new', 'step', 2)
    expect(run.effects).toHaveLength(32)
  })

  it('does not call a tie with the best so far a new best', async () => {
    expect(await deciding(worldOf({ old: all(0), new: all(1) }), strict, 1)).toMatchObject({
      action: 'accept',
    })
  })

  it('refuses a gate that asks for a task it was not given', async () => {
    const lost: GateFactory = ({ score }) => ({
      id: 'lost',
      score,
      next: () => ({ run: [{ side: 'current', task: 'z', sample: 0 }] }),
    })
    await expect(deciding(worldOf({}), lost)).rejects.toThrow('lost')
  })
})

describe('serializeRows', () => {
  it('writes every row once, one per line, for any number of rows', () => {
    for (const count of [0, 1, 999, 1000, 1001, 2500]) {
      const rows = Array.from({ length: count }, (_, index) => ({ task: `t${index}`, type: '', sample: 0 }))
      const lines = serializeRows(rows)
        .split('\n')
        .filter(line => line !== '')
      expect(lines.map(line => JSON.parse(line) as unknown)).toEqual(rows)
      expect(lines.join('\n')).toBe(serializeRows(rows))
    }
  })
})

describe('comparisons', () => {
  it('distinguishes the four outcomes, leaves out external failures, and filters by policy', async () => {
    const run = worldOf({
      old: { a: scored(0), b: scored(1), c: scored(0), d: scored(1), e: failed },
      new: { a: scored(1), b: scored(0), c: scored(0), d: scored(1), e: scored(1) },
    })
    const pairs = await rolloutPairs(run, {
      before: 'old',
      after: 'new',
      tasks: [...tasks, { id: 'e' }],
      scope: 'epoch 2',
      place,
    })
    expect(countPairs(pairs)).toEqual({ improved: 1, regressed: 1, persistent: 1, stable: 1 })
    const shown = (policy: Parameters<typeof choosePairs>[1]) =>
      choosePairs(pairs, policy)
        .map(({ after }) => after.task)
        .join('')
    expect([shown('mixed'), shown('changed'), shown('unchanged')]).toEqual(['abcd', 'ab', 'cd'])
  })
})

describe('mapConcurrently', () => {
  it('keeps the order, never runs more than the concurrency, and stops at the first failure', async () => {
    let underWay = 0
    let most = 0
    const work = async (item: number) => {
      underWay += 1
      most = Math.max(most, underWay)
      await new Promise(resolve => setTimeout(resolve, (item * 5) % 7))
      underWay -= 1
      return item * 10
    }
    const items = Array.from({ length: 20 }, (_, index) => index)
    expect(await mapConcurrently(items, 3, work)).toEqual(items.map(item => item * 10))
    expect(most).toBe(3)
    const begun: number[] = []
    const failing = mapConcurrently(items, 1, async item => {
      begun.push(item)
      if (item === 2) throw new Error('two')
    })
    await expect(failing).rejects.toThrow('two')
    expect(begun).toEqual([0, 1, 2])
  })
})
