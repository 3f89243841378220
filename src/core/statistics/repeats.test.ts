import { describe, expect, it } from 'vitest'
import { AttemptSimulator, mean, noiseFloor, type RepeatedTask, randomStream } from './repeats.js'

const tasksOf = (...scores: readonly (readonly number[])[]): RepeatedTask[] =>
  scores.map(own => ({ type: '', scores: own }))

describe('noiseFloor', () => {
  it('says how often attempts differ, on how many tasks, and what that does to the score', () => {
    // 0 of 6, 3 of 6 and 4 of 6 pairs differ; variances 0, 1/4 and 1/3.
    const floor = noiseFloor(tasksOf([1, 1, 1, 1], [0, 1, 1, 1], [0, 1, 0, 1]))
    expect(floor.score).toBeCloseTo((1 + 0.75 + 0.5) / 3, 12)
    expect(floor.disagreement.mean).toBeCloseTo((0 + 3 / 6 + 4 / 6) / 3, 12)
    expect(floor.deviation).toBeCloseTo(Math.sqrt(0 + 1 / 4 + 1 / 3) / 3, 12)
    expect(floor).toMatchObject({ unsteady: 2, repeated: 3 })
  })

  it('measures no noise if nothing varies, without claiming certainty', () => {
    const floor = noiseFloor(tasksOf([0.3, 0.3], [1, 1], [0, 0]))
    expect(floor).toMatchObject({ unsteady: 0, deviation: 0 })
    expect(floor.disagreement).toMatchObject({ mean: 0, low: 0 })
    expect(floor.disagreement.high).toBeGreaterThan(0.3)
  })

  it('scores a task that was tried once, and learns nothing about noise from it', () => {
    expect(noiseFloor(tasksOf([1], [0, 0], []))).toMatchObject({ score: 0.5, repeated: 1, unsteady: 0 })
  })

  it('ignores rounding differences', () => {
    expect(noiseFloor(tasksOf([0.1 + 0.2, 0.3])).unsteady).toBe(0)
  })
})

describe('Predictor', () => {
  const draws = (tasks: RepeatedTask[], task: number, each: number) => {
    const world = new AttemptSimulator(tasks)
    return Array.from({ length: 4000 }, (_, number) => {
      const next = world.attemptsAt(tasks[task] as RepeatedTask, randomStream(number))
      return Array.from({ length: each }, next)
    })
  }

  it('repeats what was measured where nothing varied', () => {
    const tasks = tasksOf([1, 1], [0, 0], [0.4, 0.4])
    expect(new Set(draws(tasks, 2, 3).flat())).toEqual(new Set([0.4]))
  })

  it('disagrees with itself as often as the tasks did', () => {
    const tasks = tasksOf([1, 1, 1, 1], [0, 1, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0], [0, 0, 1, 0], [1, 1, 1, 0])
    const shares = tasks.map((_, task) => mean(draws(tasks, task, 2).map(([a, b]) => (a === b ? 0 : 1))))
    expect(mean(shares)).toBeCloseTo(noiseFloor(tasks).disagreement.mean, 1)
    // A task that never varied may still vary, but less than one that did.
    expect(shares[0]).toBeGreaterThan(0)
    expect(shares[0]).toBeLessThan((shares[2] ?? 0) * 0.75)
  })

  it('keeps the chance of a task while it makes attempts at it', () => {
    const tasks = tasksOf([0, 1], [1, 1], [0, 0], [1, 1], [0, 0], [1, 1], [0, 0])
    const three = draws(tasks, 0, 3)
    const after = (first: number) => mean(three.filter(([a]) => a === first).map(([, , c]) => c ?? 0))
    expect(after(1)).toBeGreaterThan(after(0) + 0.05)
  })
})

describe('randomStream', () => {
  it('is even, the same for the same seeds, and another for others', () => {
    const stream = randomStream(3, 4)
    const many = Array.from({ length: 20_000 }, stream)
    expect(mean(many)).toBeCloseTo(0.5, 2)
    expect(mean(many.map(value => (value < 0.1 ? 1 : 0)))).toBeCloseTo(0.1, 2)
    expect(many.every(value => value >= 0 && value < 1)).toBe(true)
    expect(randomStream(3, 4)()).toBe(many[0])
    expect(randomStream(4, 3)()).not.toBe(many[0])
    const firsts = Array.from({ length: 20_000 }, (_, seed) => randomStream(7, seed)())
    expect(mean(firsts)).toBeCloseTo(0.5, 2)
    expect(new Set(firsts).size).toBeGreaterThan(19_900)
  })
})
