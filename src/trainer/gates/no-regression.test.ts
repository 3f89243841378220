import { describe, expect, it } from 'vitest'
import {
  attemptsOf,
  type GateWorld,
  hardScore,
  play,
  taskNames,
  usualSettings,
} from '../../../test/support/gate-play.js'
import type { GateFactory, Seen } from '../../core/ports/gate.js'
import { hashSeed } from '../../core/statistics/random.js'
import { createGate as always } from './always.js'
import { type Regression, withNoRegression } from './no-regression.js'
import { createGate as paired } from './paired.js'
import { createGate as strict } from './strict.js'

const indexOf = (task: string) => Number(task.split('-')[1])
const isFresh = ({ row }: Seen) => row.sample >= 1000
const repeated = (seen: readonly Seen[]) =>
  [...new Set(seen.filter(isFresh).map(({ row }) => row.task))].sort()

/**
 * On 20 tasks, the current skill always solves the first `broken` ones and the candidate always solves the
 * others.
 */
const swapping = (broken: number): GateWorld => ({
  current: task => (indexOf(task) < broken ? 1 : 0),
  candidate: task => (indexOf(task) < broken ? 0 : 1),
})

const byTask = withNoRegression(strict, 'task')
const byType = withNoRegression(always, 'type')

describe('no-regression by task', () => {
  it('vetoes a candidate that breaks a task, after three more runs of it under both skills', () => {
    const { seen, verdict } = play(byTask, taskNames(20), swapping(1))
    expect(seen.filter(isFresh).map(({ side, row }) => `${side} ${row.task}#${row.sample}`)).toEqual(
      [1000, 1001, 1002].flatMap(sample => [`current task-0#${sample}`, `candidate task-0#${sample}`]),
    )
    expect(verdict).toEqual({
      decision: 'reject',
      complete: true,
      reason:
        'Vetoed: the candidate fails 1 task that the current skill solves, in each of 3 more runs under both: task-0. Without the veto it would have been accepted: The score rose: 0.9500 with the candidate, 0.0500 with the current skill, over 20 tasks.',
    })
  })

  it('runs more repeats if more tasks look broken, and names five of them', () => {
    const { seen, verdict } = play(byTask, taskNames(20), swapping(8))
    expect(repeated(seen)).toHaveLength(8)
    expect(seen.filter(isFresh)).toHaveLength(8 * 4 * 2)
    expect(verdict.reason).toContain(
      'fails 8 tasks that the current skill solves, in each of 4 more runs under both: task-0, task-1, task-2, task-3, task-4 and 3 more.',
    )
  })

  it("passes a candidate that breaks nothing, with the gate's verdict and no more attempts", () => {
    const world: GateWorld = { current: task => indexOf(task) % 2, candidate: () => 1 }
    expect(play(byTask, taskNames(20), world)).toEqual(play(strict, taskNames(20), world))
  })

  it.each<[string, GateWorld]>([
    ['rejects', { current: () => 1, candidate: () => 0 }],
    ['abstains from', { current: () => undefined, candidate: () => 1 }],
  ])('adds nothing to what the gate itself %s', (_what, world) => {
    expect(play(byTask, taskNames(20), world)).toEqual(play(strict, taskNames(20), world))
  })

  it('clears a task at the first run that the candidate passes or the current skill fails', () => {
    const world: GateWorld = {
      current: (task, sample) => (task === 'task-1' && sample === 1001 ? 0 : swapping(3).current(task, 0)),
      candidate: (task, sample) =>
        task === 'task-0' && sample === 1000 ? 1 : swapping(3).candidate(task, 0),
    }
    const { seen, verdict } = play(byTask, taskNames(20), world)
    const runs = (task: string) => seen.filter(one => isFresh(one) && one.row.task === task).length / 2
    expect(['task-0', 'task-1', 'task-2'].map(runs)).toEqual([1, 2, 3])
    expect(verdict.decision).toBe('reject')
    expect(verdict.reason).toContain('fails 1 task that the current skill solves')
    expect(verdict.reason).toContain(': task-2.')
  })

  it('does not count an external failure as proof', () => {
    const world = (side: 'current' | 'candidate'): GateWorld => ({
      ...swapping(1),
      [side]: (task: string, sample: number) =>
        sample === 1001 ? undefined : swapping(1)[side](task, sample),
    })
    expect(play(byTask, taskNames(20), world('current')).verdict.decision).toBe('accept')
    expect(play(byTask, taskNames(20), world('candidate')).verdict.decision).toBe('accept')
  })

  it('judges a task only if the current skill solved it in every attempt of the gate', () => {
    // The repeated attempt of `paired` fails, so the task was never reliably solved.
    const world: GateWorld = {
      current: (task, sample) => (task === 'task-0' && sample === 1 ? 0 : swapping(1).current(task, 0)),
      candidate: swapping(1).candidate,
    }
    const { seen, verdict } = play(withNoRegression(paired, 'task'), taskNames(20), world)
    expect(seen.filter(isFresh)).toEqual([])
    expect(verdict.decision).toBe('accept')
  })

  it('runs every task before it passes a candidate that the gate accepted early', () => {
    const world: GateWorld = {
      current: task => (indexOf(task) < 50 ? 1 : 0),
      candidate: task => (indexOf(task) < 1 ? 0 : 1),
    }
    const alone = play(paired, taskNames(100), world)
    expect(alone.verdict).toMatchObject({ decision: 'accept', complete: false })
    const { seen, verdict } = play(withNoRegression(paired, 'task'), taskNames(100), world)
    expect(seen.slice(0, alone.seen.length)).toEqual(alone.seen)
    expect(verdict).toMatchObject({ decision: 'reject', complete: true })
    expect(repeated(seen)).toEqual(['task-0'])
  })

  it('shows the gate only what the gate asked for', () => {
    const shown: Seen[][] = []
    const watched: GateFactory = context => {
      const gate = paired(context)
      return {
        ...gate,
        next(seen) {
          shown.push([...seen])
          return gate.next(seen)
        },
      }
    }
    const { seen } = play(withNoRegression(watched, 'task'), taskNames(20), swapping(2))
    expect(seen.some(isFresh)).toBe(true)
    expect(shown.flat().filter(isFresh)).toEqual([])
  })

  it('passes on a gate’s request that cannot be met, instead of looping forever', () => {
    const stuck: GateFactory = ({ score }) => ({ id: 'stuck', score, next: () => ({ run: [] }) })
    const context = { tasks: taskNames(3), score: hardScore, settings: usualSettings }
    expect(withNoRegression(stuck, 'task')(context).next([])).toEqual({ run: [] })
  })
})

/**
 * Twenty tasks of four types, five each; the current skill solves all of type a and every second of the
 * others.
 */
const typed = (candidate: (task: string) => number): GateWorld => ({
  current: task => (indexOf(task) < 5 || indexOf(task) % 2 === 0 ? 1 : 0),
  candidate,
  type: task => ['a', 'b', 'c', 'd'][Math.floor(indexOf(task) / 5)] ?? '',
})

describe('no-regression by type', () => {
  it('vetoes a candidate that makes a type worse, even if the others make up for it', () => {
    const { seen, verdict } = play(
      byType,
      taskNames(20),
      typed(task => (indexOf(task) < 3 ? 0 : 1)),
    )
    expect(repeated(seen)).toEqual(['task-0', 'task-1', 'task-2'])
    expect(seen.filter(isFresh)).toHaveLength(3 * 3 * 2)
    expect(verdict).toMatchObject({ decision: 'reject', complete: true })
    expect(verdict.reason).toMatch(
      /^Vetoed: the candidate loses tasks of 1 type, also in 3 more runs under both skills: a \(of 5 tasks 3 lost, 0 won\)\. Without the veto it would have been accepted: Accepted without a gate: /,
    )
  })

  it('allows a single lost task, and losses offset by wins of the same type', () => {
    const lost = play(
      byType,
      taskNames(20),
      typed(task => (indexOf(task) === 0 ? 0 : 1)),
    )
    expect(lost.seen.some(isFresh)).toBe(false)
    // Type b: tasks 6 and 8 are lost, 5, 7 and 9 won.
    const even = play(
      byType,
      taskNames(20),
      typed(task => (indexOf(task) % 2 === 0 && indexOf(task) > 5 ? 0 : 1)),
    )
    expect(even.verdict.decision).toBe('accept')
  })

  it('allows losses that the repeats do not confirm', () => {
    const world: GateWorld = {
      ...typed(() => 1),
      candidate: (task, sample) => (indexOf(task) < 3 && sample === 0 ? 0 : 1),
    }
    const { seen, verdict } = play(byType, taskNames(20), world)
    expect(repeated(seen)).toHaveLength(3)
    expect(verdict.decision).toBe('accept')
  })

  it('leaves out tasks whose repeats failed for external reasons', () => {
    const world: GateWorld = {
      ...typed(() => 1),
      candidate: (task, sample) => (indexOf(task) > 2 ? 1 : sample === 1002 ? undefined : 0),
    }
    expect(play(byType, taskNames(20), world).verdict.decision).toBe('accept')
  })

  it('judges no type of fewer than five tasks, and no tasks without a type', () => {
    const world = typed(task => (indexOf(task) < 4 ? 0 : 1))
    const decided = (type: (task: string) => string) =>
      play(byType, taskNames(20), { ...world, type }).verdict.decision
    expect(decided(task => (indexOf(task) < 5 ? 'a' : 'b'))).toBe('reject')
    expect(decided(task => (indexOf(task) < 4 ? 'a' : 'b'))).toBe('accept')
    expect(decided(() => '')).toBe('accept')
  })
})

/** Both skills pass each task with the same probability. */
const unchanged = (seed: number, chance: (task: string) => number): GateWorld => {
  const attempt = (side: string) => (task: string, sample: number) =>
    hashSeed(`${seed} ${side} ${task} ${sample}`) / 2 ** 31 < chance(task) ? 1 : 0
  return {
    current: attempt('current'),
    candidate: attempt('candidate'),
    type: task => `type ${indexOf(task) % 4}`,
  }
}

/** Rate of vetoes of a candidate that changed nothing, with a gate that accepts everything. */
function falseVetoes(
  by: Regression,
  tasks: number,
  decisions: number,
  chance: (task: string) => number,
): number {
  let vetoes = 0
  for (let seed = 0; seed < decisions; seed += 1) {
    const { verdict } = play(withNoRegression(always, by), taskNames(tasks), unchanged(seed, chance))
    if (verdict.decision === 'reject') vetoes += 1
  }
  return vetoes / decisions
}

describe('noise', () => {
  it.each([
    ['80%', 40, () => 0.8],
    ['50%', 40, () => 0.5],
    ['50%', 200, () => 0.5],
    ['any', 40, (task: string) => (indexOf(task) % 11) / 10],
  ] as const)(
    'of tasks that pass in %s of cases, %d of them, is seldom taken for a regression',
    (_, tasks, chance) => {
      const decisions = tasks > 100 ? 200 : 500
      expect(falseVetoes('task', tasks, decisions, chance)).toBeLessThanOrEqual(0.05)
      expect(falseVetoes('type', tasks, decisions, chance)).toBeLessThanOrEqual(0.05)
    },
  )

  it('does not hide a regression from 95% to 5%', () => {
    let vetoes = 0
    for (let seed = 0; seed < 200; seed += 1) {
      const steady = unchanged(seed, () => 0.95)
      const broken = unchanged(seed, () => 0.05)
      const world = {
        ...steady,
        candidate: (task: string, sample: number) =>
          (indexOf(task) < 4 ? broken : steady).candidate(task, sample),
      }
      const { verdict, seen } = play(withNoRegression(always, 'task'), taskNames(40), world)
      expect(attemptsOf({ seen }, 'candidate')).toBeLessThan(80)
      if (verdict.decision === 'reject') vetoes += 1
    }
    expect(vetoes / 200).toBeGreaterThan(0.95)
  })
})
