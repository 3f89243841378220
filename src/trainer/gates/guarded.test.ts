import { describe, expect, it } from 'vitest'
import type { Noise } from '../../../bench/gate-world.js'
import { attemptsOf, type GateWorld, play, taskNames } from '../../../test/support/gate-play.js'
import { atMostFive, shares } from '../../../test/support/gate-shares.js'
import { createGate as guarded } from './guarded.js'
import { createGate as strict } from './strict.js'

const noisy: readonly Noise[] = ['light', 'medium', 'heavy']

describe('guarded in a noisy world', () => {
  it.each([
    ['costs five points', { gain: -0.05 }],
    ['costs ten points', { gain: -0.1 }],
    ['fixes some tasks and breaks more', { gain: -0.05, mixed: true }],
  ] as const)('accepts what %s in at most 5%% of cases, where strict does so oftener', (_what, edit) => {
    expect(shares(guarded, edit, noisy, 600).accept).toBeLessThanOrEqual(atMostFive(600))
    expect(shares(strict, edit, noisy, 600).accept).toBeGreaterThan(shares(guarded, edit, noisy, 600).accept)
  })

  it('accepts some lucky candidates, but less than half as many as strict', () => {
    const lucky = shares(guarded, { gain: 0 }, noisy, 450).accept
    expect(lucky).toBeGreaterThan(0.05)
    expect(lucky).toBeLessThan(shares(strict, { gain: 0 }, noisy, 450).accept / 2)
  })

  it('detects a large gain, and a small one if the target is steady', () => {
    expect(shares(guarded, { gain: 0.2 }, noisy, 150).accept).toBeGreaterThan(0.9)
    expect(shares(guarded, { gain: 0.05 }, ['none'], 100).accept).toBeGreaterThan(0.95)
  })
})

const indexOf = (task: string) => Number(task.split('-')[1])
/** Deterministic results: which tasks pass under the current skill and which under the candidate. */
const steady = (current: (index: number) => boolean, candidate: (index: number) => boolean): GateWorld => ({
  current: task => (current(indexOf(task)) ? 1 : 0),
  candidate: task => (candidate(indexOf(task)) ? 1 : 0),
})
const candidateTasks = ({ asked }: { readonly asked: readonly string[] }) =>
  asked.flatMap(one => /^candidate task-(\d+)#0$/.exec(one)?.[1] ?? []).map(Number)

describe('guarded', () => {
  const halfSolved = (index: number) => index < 100

  it('tries failed tasks first, and stops after a few if nothing is gained', () => {
    const trace = play(guarded, taskNames(200), steady(halfSolved, halfSolved))
    expect(trace.verdict).toMatchObject({ decision: 'reject', complete: false })
    expect(trace.verdict.reason).toMatch(/gain of 5 points has become unlikely/)
    expect(candidateTasks(trace).every(index => index >= 100)).toBe(true)
    expect(attemptsOf(trace, 'candidate')).toBeLessThanOrEqual(24)
  })

  it('accepts a clear gain after a part of the tasks, of both kinds', () => {
    const trace = play(
      guarded,
      taskNames(200),
      steady(halfSolved, index => index < 180),
    )
    expect(trace.verdict).toMatchObject({ decision: 'accept', complete: false })
    expect(attemptsOf(trace, 'candidate')).toBeLessThanOrEqual(50)
    expect(candidateTasks(trace).some(index => index < 100)).toBe(true)
    expect(trace.verdict.effect?.low).toBeGreaterThan(0)
  })

  it('notices losses that offset a gain', () => {
    const trace = play(
      guarded,
      taskNames(200),
      steady(halfSolved, index => index >= 60 && index < 120),
    )
    expect(trace.verdict.decision).toBe('reject')
    expect(trace.verdict.reason).toMatch(/\d+ better and \d+ worse of \d+ tasks tried, 200 in all/)
  })

  it('stops when no remaining task can raise the score', () => {
    const trace = play(
      guarded,
      taskNames(12),
      steady(
        index => index < 8,
        index => index < 8,
      ),
    )
    expect(trace.verdict.reason).toMatch(/cannot rise further/)
    expect(attemptsOf(trace, 'candidate')).toBe(4)
  })

  it('rejects at once if there is nothing left to gain', () => {
    const solved: GateWorld = { current: () => 1, candidate: () => 1 }
    const trace = play(guarded, taskNames(12), solved)
    expect(trace.verdict).toMatchObject({ decision: 'reject', complete: false })
    expect(attemptsOf(trace, 'candidate')).toBe(0)
  })

  it('reruns the one changed task under both skills, and accepts a repeated gain', () => {
    const gained = steady(
      index => index < 8,
      index => index < 9,
    )
    const trace = play(guarded, taskNames(12), gained)
    expect(trace.verdict).toMatchObject({ decision: 'accept', complete: true })
    expect(trace.verdict.reason).toMatch(/^Confirmed: the 1 changed task ran 3 more times/)
    const again = trace.asked.filter(one => !one.endsWith('#0'))
    expect(new Set(again.map(one => one.replace(/^\w+ |#\d+$/g, '')))).toEqual(new Set(['task-8']))
  })

  it('rejects a gain that does not repeat', () => {
    const once: GateWorld = {
      current: task => (indexOf(task) < 8 ? 1 : 0),
      candidate: (task, sample) => (indexOf(task) < 8 || (indexOf(task) === 8 && sample === 0) ? 1 : 0),
    }
    const { verdict } = play(guarded, taskNames(12), once)
    expect(verdict.decision).toBe('reject')
    expect(verdict.reason).toMatch(/^Not confirmed/)
  })

  it('needs stronger evidence if few tasks leave room for harm', () => {
    const twoOnce: GateWorld = {
      current: task => (indexOf(task) < 6 ? 1 : 0),
      candidate: (task, sample) => (indexOf(task) < 6 || (indexOf(task) < 8 && sample === 0) ? 1 : 0),
    }
    const trace = play(guarded, taskNames(10), twoOnce)
    expect(trace.verdict.decision).toBe('reject')
    expect(trace.verdict.reason).toMatch(/^Not confirmed: the 2 changed tasks/)
  })

  it('is underpowered if too many tasks changed to rerun them', () => {
    const mixed = steady(
      index => index < 40,
      index => index > 2 && index < 45,
    )
    const { verdict } = play(guarded, taskNames(60), mixed)
    expect(verdict).toMatchObject({ decision: 'underpowered', complete: true })
    expect(verdict.reason).toMatch(/Too few tasks to tell: 5 better and 3 worse of 60 tasks tried/)
  })

  it('compares fractional scores by rises and falls', () => {
    const graded: GateWorld = { current: () => 0.4, candidate: () => 0.6 }
    expect(play(guarded, taskNames(40), graded).verdict.decision).toBe('accept')
    expect(play(guarded, taskNames(40), { current: () => 0.6, candidate: () => 0.4 }).verdict.decision).toBe(
      'reject',
    )
  })

  it('runs tasks with external failures under the current skill before it accepts', () => {
    const patchy: GateWorld = {
      current: task => (indexOf(task) < 20 ? undefined : indexOf(task) < 60 ? 1 : 0),
      candidate: () => 1,
    }
    const trace = play(guarded, taskNames(100), patchy)
    expect(trace.verdict.decision).toBe('abstain')
    expect(candidateTasks(trace).filter(index => index < 20)).toHaveLength(20)
  })
})
