import { describe, expect, it } from 'vitest'
import type { Noise } from '../../../bench/gate-world.js'
import { attemptsOf, type GateWorld, play, taskNames } from '../../../test/support/gate-play.js'
import { atMostFive, shares } from '../../../test/support/gate-shares.js'
import { createGate as paired } from './paired.js'
import { createGate as strict } from './strict.js'

const noisy: readonly Noise[] = ['light', 'medium', 'heavy']

describe('paired in a noisy world', () => {
  it('falsely accepts at most 5% of neutral edits, while strict accepts a third', () => {
    expect(shares(paired, { gain: 0 }, noisy, 2001).accept).toBeLessThanOrEqual(atMostFive(2001))
    expect(shares(strict, { gain: 0 }, noisy, 300).accept).toBeGreaterThan(0.33)
  })

  it.each([
    ['costs five points', { gain: -0.05 }],
    ['costs ten points', { gain: -0.1 }],
    ['fixes some tasks and breaks more', { gain: -0.05, mixed: true }],
  ] as const)('accepts what %s in at most 5% of cases', (_what, edit) => {
    expect(shares(paired, edit, noisy, 450).accept).toBeLessThanOrEqual(atMostFive(450))
  })

  it('detects a large gain, and a smaller one if noise permits', () => {
    expect(shares(paired, { gain: 0.2 }, noisy, 150).accept).toBeGreaterThan(0.85)
    expect(shares(paired, { gain: 0.1 }, ['none'], 100).accept).toBeGreaterThan(0.95)
  })

  it('reports that it is underpowered, rather than that there is no gain', () => {
    expect(shares(paired, { gain: 0.1 }, ['heavy'], 200).underpowered).toBeGreaterThan(0.05)
    expect(shares(paired, { gain: 0.1 }, ['none'], 100).underpowered).toBe(0)
  })
})

/** Deterministic results: which tasks pass under the current skill and which under the candidate. */
const steady = (current: (index: number) => boolean, candidate: (index: number) => boolean): GateWorld => ({
  current: task => (current(indexOf(task)) ? 1 : 0),
  candidate: task => (candidate(indexOf(task)) ? 1 : 0),
})

/** The candidate gains one of ten tasks, which alone proves little. */
const doubtful = steady(
  index => index > 4,
  index => index > 3,
)

const indexOf = (task: string) => Number(task.split('-')[1])
const repeated = ({ asked }: { readonly asked: readonly string[] }) =>
  new Set(asked.filter(one => /#([2-9]|\d\d)/.test(one)).map(one => one.replace(/^\w+ |#\d+$/g, '')))

describe('paired', () => {
  it('rejects at once if there is nothing left to gain', () => {
    const trace = play(paired, taskNames(50), { current: () => 1, candidate: () => 1 })
    expect(trace.verdict).toMatchObject({ decision: 'reject', complete: false })
    expect(attemptsOf(trace, 'candidate')).toBe(0)
  })

  it('runs a part of the tasks twice under the current skill, before anything under the candidate', () => {
    const { asked } = play(
      paired,
      taskNames(200),
      steady(
        () => false,
        () => true,
      ),
    )
    expect(asked.slice(0, 200)).toEqual(taskNames(200).map(task => `current ${task}#0`))
    const candidate = asked.findIndex(one => one.startsWith('candidate'))
    const probes = asked.slice(200, candidate)
    expect(probes.length).toBeGreaterThanOrEqual(40)
    expect(probes.length).toBeLessThan(200)
    for (const probe of probes) expect(probe).toMatch(/^current task-\d+#1$/)
  })

  it('rejects a candidate early that gains nothing on failed tasks', () => {
    const trace = play(
      paired,
      taskNames(200),
      steady(
        index => index % 3 > 0,
        index => index % 3 > 0,
      ),
    )
    expect(trace.verdict).toMatchObject({ decision: 'reject', complete: false })
    expect(trace.verdict.reason).toMatch(/^A gain of [\d.]+ points is ruled out: it passed 0 of \d+ tasks/)
    expect(attemptsOf(trace, 'candidate')).toBeLessThanOrEqual(50)
    for (const { side, row } of trace.seen) if (side === 'candidate') expect(indexOf(row.task) % 3).toBe(0)
  })

  it('repeats the few tasks that changed, under both skills, and only those', () => {
    const trace = play(paired, taskNames(10), doubtful)
    expect([...repeated(trace)].sort()).toEqual(['task-4'])
    for (const side of ['current', 'candidate'] as const)
      expect(trace.seen.filter(one => one.side === side && one.row.sample > 1)).toHaveLength(4)
    expect(trace.verdict).toMatchObject({ decision: 'accept', complete: true })
    expect(trace.verdict.reason).toMatch(/^Confirmed: /)
  })

  it('rejects a gain that the repeats do not confirm', () => {
    const lucky: GateWorld = {
      ...doubtful,
      candidate: (task, sample) => (sample === 0 ? doubtful.candidate(task, 0) : doubtful.current(task, 0)),
    }
    const { verdict } = play(paired, taskNames(10), lucky)
    expect(verdict).toMatchObject({ decision: 'reject', complete: true })
    expect(verdict.reason).toMatch(/^Not confirmed/)
  })

  it('does not count external failures in repeats as failures of the current skill', () => {
    const lost: GateWorld = {
      ...doubtful,
      current: (task, sample) => (sample > 1 ? undefined : doubtful.current(task, sample)),
    }
    expect(play(paired, taskNames(10), lost).verdict.decision).toBe('reject')
  })

  it('repeats nothing if many tasks changed', () => {
    const trace = play(
      paired,
      taskNames(40),
      steady(
        index => index % 2 === 0,
        index => index % 2 === 1,
      ),
    )
    expect(repeated(trace).size).toBe(0)
    expect(trace.verdict.decision).toBe('reject')
  })

  it('reports the gain with its interval', () => {
    const { verdict } = play(
      paired,
      taskNames(40),
      steady(
        index => index >= 20,
        () => true,
      ),
    )
    expect(verdict.decision).toBe('accept')
    const { mean = 0, low = 0, high = 0 } = verdict.effect ?? {}
    expect(mean).toBeCloseTo(0.5, 1)
    expect(low).toBeGreaterThan(0.4)
    expect(high).toBeGreaterThan(mean)
    expect(verdict.reason).toContain(`a gain of ${(100 * mean).toFixed(1)} points`)
  })

  it('runs the candidate on tasks with external failures of the current skill before it accepts', () => {
    const won = steady(
      () => false,
      () => true,
    )
    const lost: GateWorld = {
      ...won,
      current: (task, sample) => (indexOf(task) === 7 ? undefined : won.current(task, sample)),
    }
    const { asked, verdict } = play(paired, taskNames(40), lost)
    expect(asked).toContain('candidate task-7#0')
    expect(verdict).toMatchObject({ decision: 'accept', complete: true })
  })

  it('accepts less when fewer false accepts are allowed', () => {
    const decided = (falseAccepts: number) =>
      play(paired, taskNames(10), doubtful, {
        settings: { earlyStop: true, falseAccepts, smallestGain: 0.05 },
      })
    expect(decided(0.05).verdict.decision).toBe('accept')
    expect(decided(0.0005).verdict.decision).toBe('reject')
  })
})
