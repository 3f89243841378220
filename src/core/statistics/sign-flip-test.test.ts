import { describe, expect, it } from 'vitest'
import { type Random, randomStream } from './repeats.js'
import {
  createSignFlipTest,
  finalPasses,
  type SignFlipResult,
  type SignFlipTest,
  type TaskDifference,
} from './sign-flip-test.js'

/** Pass probabilities under the current skill and the candidate. */
type Chances = readonly [current: number, candidate: number]

/** Runs the test on tasks with these probabilities until it decides. */
function decide(chances: readonly Chances[], random: Random): { result: SignFlipResult; pairs: number } {
  const tasks = chances.length
  const passes = finalPasses(tasks)
  const test = createSignFlipTest({ tasks, passes, alpha: 0.05 })
  const answer = (chance: number) => (random() < chance ? 1 : 0)
  for (let pairs = 1; ; pairs++) {
    const task = (pairs - 1) % tasks
    const [current, candidate] = chances[task] as Chances
    const pair = { task: `task-${task}`, difference: answer(candidate) - answer(current) }
    const isLast = pairs === tasks * passes
    const result = isLast ? finish(test, pair) : test.add(pair)
    if (result !== 'continue') return { result, pairs }
  }
}

function finish(test: SignFlipTest, pair: TaskDifference): SignFlipResult {
  test.add(pair)
  return test.finish()
}

const repeat = (count: number, chances: Chances): Chances[] => Array.from({ length: count }, () => chances)

/** Share of runs that find the candidate better, and pairs per run. */
function rate(runs: number, tasks: number, draw: (random: Random) => Chances) {
  const random = randomStream(tasks)
  const outcomes = Array.from({ length: runs }, () =>
    decide(
      Array.from({ length: tasks }, () => draw(random)),
      random,
    ),
  )
  return {
    better: outcomes.filter(({ result }) => result === 'better').length / runs,
    pairs: outcomes.reduce((sum, { pairs }) => sum + pairs, 0) / runs,
  }
}

const coin = (random: Random) => (random() < 0.5 ? 1 : 0)
const noisyNull = (): Chances => [0.5, 0.5]
/** Three of ten tasks get a new answer, right or wrong by chance, that then never varies. */
const steadyNull = (random: Random): Chances => {
  const before = coin(random)
  return [before, random() < 0.3 ? coin(random) : before]
}

describe('the sign-flip test', () => {
  it.each([
    { target: 'all noise', draw: noisyNull },
    { target: 'the same answers every time', draw: steadyNull },
    { target: 'a mixture', draw: (random: Random) => (random() < 0.5 ? noisyNull() : steadyNull(random)) },
    { target: 'other chances for every task', draw: (random: Random): Chances => [random(), random()] },
  ])('finds at most one in twenty candidates better that change nothing, with $target', ({ draw }) => {
    // The limit allows for sampling error: two standard errors of 300 runs.
    expect(rate(300, 20, draw).better).toBeLessThanOrEqual(0.075)
  })

  it('finds a clear gain in nearly all runs, with and without noise, from few pairs', () => {
    const noisy = rate(60, 20, () => [0.3, 0.8])
    expect(noisy.better).toBeGreaterThan(0.95)
    expect(noisy.pairs).toBeLessThan(30)
    const steady = rate(60, 30, random => (random() < 0.5 ? [0, 1] : [1, 1]))
    expect(steady.better).toBeGreaterThan(0.95)
    expect(steady.pairs).toBeLessThan(30)
  })

  it('accepts six tasks that always improve, but not four', () => {
    const random = randomStream(1)
    // One-sided p-values of 1/64 and 1/16.
    expect(decide([...repeat(6, [0, 1]), ...repeat(14, [1, 1])], random).result).toBe('better')
    expect(decide([...repeat(4, [0, 1]), ...repeat(16, [1, 1])], random).result).toBe('undecided')
  })

  it('soon stops repeating tasks that never vary', () => {
    const steady = decide([...repeat(4, [0, 1]), ...repeat(16, [1, 1])], randomStream(1))
    expect(steady.pairs).toBeLessThanOrEqual(40)
    const unchanged = decide(repeat(20, [1, 1]), randomStream(1))
    expect(unchanged).toEqual({ result: 'undecided', pairs: 25 })
  })

  it('gives up a loss early', () => {
    const { result, pairs } = decide([...repeat(8, [1, 0]), ...repeat(32, [1, 1])], randomStream(1))
    expect(result).toBe('hopeless')
    expect(pairs).toBeLessThanOrEqual(40)
  })

  it('weighs sizes: many small gains do not pay for as much loss on few tasks', () => {
    const test = createSignFlipTest({ tasks: 20, passes: 1, alpha: 0.05 })
    for (let task = 0; task < 20; task++)
      test.add({ task: `task-${task}`, difference: task % 5 === 0 ? -1 : 0.25 })
    expect(test.finish()).not.toBe('better')
  })

  it('keeps its result, whatever comes later', () => {
    const test = createSignFlipTest({ tasks: 40, passes: 3, alpha: 0.05 })
    const results = Array.from({ length: 40 }, (_, task) =>
      test.add({ task: `task-${task}`, difference: task < 15 ? 1 : -1 }),
    )
    expect(results.slice(0, 9).every(result => result === 'continue')).toBe(true)
    expect(results[14]).toBe('better')
    expect(results.at(-1)).toBe('better')
  })
})
