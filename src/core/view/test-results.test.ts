import { describe, expect, it } from 'vitest'
import type { RunView } from './run-view.js'
import {
  type ComparedPair,
  inTestOrder,
  pairsInQuestion,
  type Tested,
  testGain,
  worthSentence,
} from './test-results.js'

const pair = (
  which: Tested,
  against: Tested,
  mean = 0,
  low = -0.1,
  high = 0.1,
  tasks = 40,
): ComparedPair => ({
  which,
  against,
  tasks,
  better: 0,
  worse: 0,
  difference: { mean, low, high },
})

const named = (pairs: readonly ComparedPair[]) => pairs.map(({ which, against }) => `${which}/${against}`)

describe('tests', () => {
  it('are shown from no skill to the trained one', () => {
    const tests = (['trained', 'last', 'best', 'one-shot', 'none', 'initial'] as const).map(which => ({
      which,
    }))
    expect(inTestOrder(tests).map(({ which }) => which)).toEqual([
      'none',
      'one-shot',
      'initial',
      'best',
      'last',
      'trained',
    ])
  })

  it('tell what training gained, where both skills have a score', () => {
    const test = (which: Tested, score: number, scored = 4) =>
      ({ which, score, scored }) as RunView['tests'][number]
    expect(testGain({ tests: [test('best', 0.75), test('initial', 0.25)] })).toBe(0.5)
    expect(testGain({ tests: [test('best', 0.75), test('none', 0.25)] })).toBeUndefined()
    expect(testGain({ tests: [test('initial', 0.75), test('last', 0.25)] })).toBeUndefined()
    expect(testGain({ tests: [test('best', 0), test('initial', 0.25)] })).toBe(-0.25)
    expect(testGain({ tests: [test('best', 0, 0), test('initial', 0.25)] })).toBeUndefined()
  })
})

describe('pairs', () => {
  const trained = [pair('trained', 'none'), pair('trained', 'initial'), pair('trained', 'one-shot')]
  const others = [pair('initial', 'none'), pair('one-shot', 'none'), pair('initial', 'one-shot')]

  it('are those of the trained skill, against the one-shot skill first', () => {
    expect(named(pairsInQuestion([...others, ...trained]))).toEqual([
      'trained/one-shot',
      'trained/initial',
      'trained/none',
    ])
  })

  it('are those of the one-shot skill where nothing was trained', () => {
    expect(named(pairsInQuestion(others))).toEqual(['one-shot/none', 'initial/one-shot'])
    expect(pairsInQuestion([])).toEqual([])
  })
})

describe('whether training was worth it', () => {
  it('is a gain or a loss only when the whole interval says so', () => {
    expect(worthSentence([pair('trained', 'one-shot', 0.1, 0.02, 0.18)])).toBe(
      'Better than the one-shot skill: +10 points on 40 unseen test tasks (95% interval +2 to +18), 0 fixed, 0 broken.',
    )
    expect(worthSentence([pair('trained', 'one-shot', -0.1, -0.18, -0.02)])).toBe(
      'Worse than the one-shot skill: −10 points on 40 unseen test tasks (95% interval −18 to −2), 0 fixed, 0 broken.',
    )
    expect(worthSentence([pair('trained', 'one-shot', 0.05, -0.02, 0.12)])).toMatch(
      /^Cannot tell whether the trained skill is better than the one-shot skill: \+5 points on 40 unseen test tasks \(95% interval −2 to \+12\), .* About \d+ tasks/,
    )
    for (const [low, high] of [
      [0, 0.1],
      [-0.1, 0],
    ] as const)
      expect(worthSentence([pair('trained', 'one-shot', 0, low, high)])).toMatch(/^(Cannot tell|No better)/)
  })

  it('is said of the one-shot skill before the initial one, and what is missing is said too', () => {
    const initial = pair('trained', 'initial', 0.1, 0.02, 0.18)
    expect(worthSentence([initial, pair('trained', 'one-shot')])).toContain('better than the one-shot skill')
    expect(worthSentence([initial])).toBe(
      'Better than the initial skill: +10 points on 40 unseen test tasks (95% interval +2 to +18), 0 fixed, 0 broken. There is no one-shot skill to compare with.',
    )
    expect(worthSentence([pair('initial', 'one-shot'), pair('one-shot', 'initial')])).toContain(
      'There is no trained skill to compare with.',
    )
  })

  it('is not said of tasks that were never scored for both', () => {
    expect(worthSentence([pair('trained', 'one-shot', 0, -1, 1, 0)])).toBe(
      'No task was scored for both the trained skill and the one-shot skill.',
    )
  })
})
