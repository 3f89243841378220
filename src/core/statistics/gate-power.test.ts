import { describe, expect, it } from 'vitest'
import { createGate as paired } from '../../trainer/gates/paired.js'
import { createGate as strict } from '../../trainer/gates/strict.js'
import type { GateFactory, Seen } from '../ports/gate.js'
import {
  acceptRate,
  type CheckedGate,
  maximumGain,
  minimumDetectableGain,
  repeatsNeeded,
  simulateNullEdits,
  tasksNeeded,
} from './gate-power.js'
import { acceptProbability } from './power.js'
import { type RepeatedTask, randomStream } from './repeats.js'

const settings = { earlyStop: true, falseAccepts: 0.05, smallestGain: 0.05 }
const gates = {
  reference: { name: 'reference', create: strict, settings: { ...settings, earlyStop: false } },
  strict: { name: 'strict', create: strict, settings },
  paired: { name: 'paired', create: paired, settings },
}

/** Tasks that pass with this probability, tried four times each. */
function coins(count: number, chance: number): RepeatedTask[] {
  return Array.from({ length: count }, (_, task) => {
    const random = randomStream(11, task)
    return { type: '', scores: Array.from({ length: 4 }, () => (random() < chance ? 1 : 0)) }
  })
}

/** Tasks that are always or never solved. */
function steady(solved: number, failed: number): RepeatedTask[] {
  return [
    ...Array.from({ length: solved }, () => ({ type: '', scores: [1, 1, 1, 1] })),
    ...Array.from({ length: failed }, () => ({ type: '', scores: [0, 0, 0, 0] })),
  ]
}

function played<T>(simulation: Generator<void, T>): T {
  for (;;) {
    const step = simulation.next()
    if (step.done === true) return step.value
  }
}
const nothing = (gate: CheckedGate, tasks: RepeatedTask[]) => played(simulateNullEdits(gate, tasks))

describe('simulateNullEdits', () => {
  it('finds that a coin gets past the strict rule nearly half of the time, and seldom past the paired one', () => {
    const tasks = coins(40, 0.5)
    const reference = nothing(gates.reference, tasks)
    expect(reference.decisions).toBeGreaterThanOrEqual(2000)
    expect(reference.accepted).toBeGreaterThan(0.4)
    expect(reference.accepted).toBeLessThan(0.48)
    // The exact value for independent draws, computed instead of simulated.
    expect(reference.accepted).toBeCloseTo(acceptProbability(40, 0.5, 0.5), 1)
    // Alpha is 5%; the rest allows for sampling error over 2,000 decisions.
    expect(nothing(gates.paired, tasks).accepted).toBeLessThan(0.06)
  })

  it('gives the strict gate the same decisions with early stop, for fewer attempts', () => {
    const tasks = coins(20, 0.5)
    const [whole, early] = [nothing(gates.reference, tasks), nothing(gates.strict, tasks)]
    expect(early.accepted).toBe(whole.accepted)
    expect(whole.attempts).toBe(20)
    expect(early.attempts).toBeLessThan(20)
    expect(nothing(gates.strict, tasks)).toEqual(early)
  })

  it('accepts nothing where nothing varies', () => {
    for (const gate of Object.values(gates)) expect(nothing(gate, steady(12, 8)).accepted).toBe(0)
  })

  it('counts underpowered verdicts', () => {
    const create: GateFactory = ({ score }) => ({
      id: 'lazy',
      score,
      next: () => ({ decision: 'underpowered', complete: false, reason: 'Too few.' }),
    })
    expect(nothing({ name: 'lazy', create, settings }, coins(3, 0.5))).toMatchObject({
      accepted: 0,
      underpowered: 1,
      attempts: 0,
    })
  })

  it('shows gates the types of the tasks, and refuses to make up a task', () => {
    const types = new Set<string>()
    const asking = (task: string): CheckedGate => ({
      name: 'curious',
      settings,
      create: ({ score }) => ({
        id: 'curious',
        score,
        next: (seen: readonly Seen[]) => {
          for (const { row } of seen) types.add(row.type)
          if (seen.length === 0) return { run: [{ side: 'current', task, sample: 0 }] }
          return { decision: 'reject', complete: false, reason: 'Seen.' }
        },
      }),
    })
    nothing(asking('0'), [{ type: 'letters', scores: [1, 0] }])
    expect([...types]).toEqual(['letters'])
    expect(() => nothing(asking('9'), coins(2, 0.5))).toThrow('unknown task "9"')
  })
})

describe('gains', () => {
  it('are accepted more often the larger they are', () => {
    const tasks = coins(40, 0.5)
    const at = (gain: number) => played(acceptRate(gates.paired, tasks, gain))
    expect(at(0.1)).toBeLessThan(at(0.25))
    expect(at(0.45)).toBeGreaterThan(0.95)
  })

  it('of one task are seen where nothing varies, and half a task is half a chance', () => {
    const tasks = steady(12, 8)
    expect(maximumGain(tasks)).toBeCloseTo(0.4, 12)
    expect(played(acceptRate(gates.strict, tasks, 0.05))).toBe(1)
    expect(played(acceptRate(gates.strict, tasks, 0.025))).toBeCloseTo(0.5, 1)
    expect(played(minimumDetectableGain(gates.strict, tasks))).toBeCloseTo(0.04, 2)
  })

  it('must be larger for the paired gate than for the strict one', () => {
    const tasks = coins(40, 0.5)
    const strictly = played(minimumDetectableGain(gates.strict, tasks)) ?? 1
    const inPairs = played(minimumDetectableGain(gates.paired, tasks)) ?? 1
    expect(strictly).toBeGreaterThan(0.05)
    expect(inPairs).toBeGreaterThan(strictly)
    expect(played(acceptRate(gates.paired, tasks, inPairs))).toBeCloseTo(0.8, 1)
  })

  it('are not seen at all where nothing is left to gain', () => {
    expect(played(minimumDetectableGain(gates.strict, steady(10, 0)))).toBeUndefined()
  })

  it('need more tasks the smaller they are, up to what is looked for', () => {
    const tasks = coins(30, 0.5)
    const needed = (gain: number) => played(tasksNeeded(gates.strict, tasks, gain))
    expect(needed(0.1)).toBeGreaterThan(needed(0.3) ?? Number.POSITIVE_INFINITY)
    const then = played(acceptRate(gates.strict, coins(needed(0.1) ?? 0, 0.5), 0.1))
    expect(then).toBeGreaterThan(0.75)
    expect(then).toBeLessThan(0.9)
    expect(needed(0.01)).toBeUndefined()
  })
})

describe('repeatsNeeded', () => {
  it('falls with the square of the gain, and is one where there is no noise', () => {
    expect(repeatsNeeded(0, 0.01)).toBe(1)
    // The difference of two evaluations with a deviation of 5 points has one of 7.1; 2.49 of these must fit
    // into the gain.
    expect(repeatsNeeded(0.05, 0.1)).toBe(Math.ceil((2.4865 * 0.0707107) ** 2 / 0.1 ** 2))
    expect(repeatsNeeded(0.05, 0.01)).toBe(310)
  })
})
