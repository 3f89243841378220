import { describe, expect, it } from 'vitest'
import { finish, sampleLog } from '../../../test/support/sample-run.js'
import { betterInFinal, testTrials, trialsLog } from '../../../test/support/trials-run.js'
import { comparePaired } from '../comparison/skill-comparison.js'
import { randomStream } from '../statistics/repeats.js'
import type { Row } from '../task/task.js'
import { type JudgedRun, verdictOf } from './run-verdict.js'

const ended = (log = trialsLog()) => ({ ...log.view(), outcome: 'finished' }) as const
const sentenceOf = (view: JudgedRun, tested?: Parameters<typeof verdictOf>[1]) =>
  verdictOf(view, tested)?.sentence

describe('the verdict of a run', () => {
  it('rests on the final test where the test split was not run', () => {
    const verdict = verdictOf(ended())
    expect(verdict).toMatchObject({ answer: 'better', evidence: 'final-test', ships: 'trained', fixed: 12 })
    expect(verdict?.sentence).toBe(
      'Better: +73 points on 15 validation tasks in the final test (95% interval +45 to +100), 12 fixed, 1 broken.',
    )
    expect(verdict?.next).toMatch(/^To use it: skillopt install /)
  })

  it('rests on the test split where the log compares both skills on it', () => {
    const log = testTrials(trialsLog())
    const difference = { mean: 0.8, low: 0.4, high: 1 }
    const pair = { tasks: 10, better: 8, worse: 0, difference }
    const pairs = [{ which: 'best', against: 'initial', ...pair }] as const
    const view = { ...log.view(), comparison: { pairs: [...pairs] } }
    expect(verdictOf(view)).toMatchObject({ answer: 'better', evidence: 'test', tasks: 10, gain: difference })
    expect(sentenceOf(log.view(), pair)).toBe(sentenceOf(view))
  })

  it('recommends the skill only if it is better', () => {
    const tested = { tasks: 40, better: 20, worse: 1 }
    const of = (mean: number, low: number, high: number) =>
      verdictOf(ended(), { ...tested, difference: { mean, low, high } })
    expect(of(0.475, 0.3, 0.62)?.next).toContain('skillopt install')
    for (const [answer, verdict] of [
      ['worse', of(-0.4, -0.5, -0.3)],
      ['cannot-tell', of(0.1, -0.1, 0.3)],
      ['no-change', of(0, -0.03, 0.03)],
    ] as const) {
      expect(verdict?.answer).toBe(answer)
      expect(verdict?.next).not.toContain('skillopt install')
    }
    expect(of(0.1, -0.1, 0.3)?.sentence).toMatch(/^Cannot tell: \+10 points .* About 410 tasks would tell/)
    expect(of(0, -0.03, 0.03)?.sentence).toContain('a gain of 5 points is ruled out')
  })

  it('shows no limit as zero that excludes zero', () => {
    const difference = { mean: 0.2, low: 0.003, high: 0.4 }
    expect(sentenceOf(ended(), { tasks: 40, better: 9, worse: 1, difference })).toContain('+0.3 to +40.0')
  })

  it('says that the seed ships, and why', () => {
    const effect = { mean: 0.07, low: -0.08, high: 0.22 }
    const tasks = { better: 5, worse: 3, total: 30 }
    const rejected = (decision: 'reject' | 'underpowered') =>
      trialsLog({ action: 'reject', verdict: { decision, complete: true, reason: 'No.', effect, tasks } })
    expect(sentenceOf(ended(rejected('underpowered')))).toMatch(
      /^Cannot tell: \+7 points on 30 validation tasks in the final test \(95% interval −8 to \+22\), 5 fixed, 3 broken; the seed skill ships\. About \d+ tasks/,
    )
    expect(sentenceOf(ended(rejected('reject')))).toMatch(
      /^No change: the trained skill did not beat the seed/,
    )
    const nothing = verdictOf(ended(trialsLog('none')))
    expect(nothing).toMatchObject({ answer: 'no-change', ships: 'seed', evidence: 'none' })
    expect(nothing?.sentence).toBe('No change: no edit was accepted; the seed skill ships.')
    const verdict = { decision: 'abstain' as const, complete: true, reason: 'Too many attempts failed.' }
    expect(sentenceOf(ended(trialsLog({ action: 'abstain', verdict })))).toMatch(
      /^Cannot tell: the final test could not compare\. Too many attempts failed\./,
    )
  })

  it('cannot tell where the final test accepts and its interval holds zero', () => {
    const unclear = { ...betterInFinal.verdict, effect: { mean: 0.2, low: 0, high: 0.41 } }
    const verdict = verdictOf(ended(trialsLog({ ...betterInFinal, verdict: unclear })))
    expect(verdict).toMatchObject({ answer: 'cannot-tell', ships: 'trained' })
    expect(verdict?.sentence).toContain('It passed that test, so it ships.')
  })

  it('sends a run that is stuck at zero to its scorer', () => {
    const view = finish(sampleLog()).view()
    const best = view.best && { ...view.best, version: 0, score: 0 }
    const baseline = view.baseline && { ...view.baseline, score: 0 }
    const verdict = verdictOf({ ...view, best, baseline })
    expect(verdict?.sentence).toBe('No change: no candidate was better on validation; the seed skill ships.')
    expect(verdict?.next).toContain('Check the scorer')
  })

  it('does not take a validation score for evidence', () => {
    const view = finish(sampleLog()).view()
    expect(verdictOf({ ...view, tests: [] })).toMatchObject({ answer: 'cannot-tell', evidence: 'none' })
    expect(sentenceOf({ ...view, tests: [] })).toMatch(
      /^Cannot tell: not tested on unseen tasks\. Validation, which chose the skill, rose from 25\.0% to 75\.0%\. About \d+ test tasks/,
    )
    expect(verdictOf(view)).toMatchObject({ answer: 'cannot-tell', evidence: 'none' })
  })

  it('is silent before the end', () => {
    expect(verdictOf(trialsLog().view())).toBeUndefined()
    expect(verdictOf(sampleLog().view())).toBeUndefined()
  })
})

/** Chances of solving a task with the seed and with the trained skill. */
type Draw = (random: () => number) => readonly [seed: number, trained: number]

const nothingGained: Readonly<Record<string, Draw>> = {
  'all noise': () => [0.5, 0.5],
  'rarely solved': () => [0.1, 0.1],
  'tasks of every difficulty': random => {
    const chance = random()
    return [chance, chance]
  },
  'as many tasks fixed as broken for good': random => {
    const place = random()
    return place < 0.15 ? [1, 0] : place < 0.3 ? [0, 1] : place < 0.65 ? [1, 1] : [0, 0]
  },
  'a few tasks lost for good, many a little better': random => {
    const place = random()
    return place < 0.1 ? [1, 0] : place < 0.5 ? [0.5, 0.75] : [0.5, 0.5]
  },
}

function answersOf(draw: Draw, runs: number): Record<string, number> {
  const view = ended()
  const answers: Record<string, number> = {}
  for (let run = 0; run < runs; run += 1) {
    const random = randomStream(run, 7)
    const tasks = [10, 15, 20, 30, 50, 80, 120, 200][run % 8] ?? 10
    const samples = run % 16 < 8 ? 1 : 3
    const rows = { seed: [] as Row[], trained: [] as Row[] }
    for (let task = 0; task < tasks; task += 1) {
      const [seed, trained] = draw(random)
      for (let sample = 0; sample < samples; sample += 1) {
        const row = (chance: number): Row => {
          const hard = random() < chance ? 1 : 0
          return { task: String(task), type: '', sample, hard, soft: hard }
        }
        rows.seed.push(row(seed))
        rows.trained.push(row(trained))
      }
    }
    const tested = comparePaired(rows.trained, rows.seed, { score: ({ hard }) => hard })
    const { answer = 'none' } = verdictOf(view, tested) ?? {}
    answers[answer] = (answers[answer] ?? 0) + 1
  }
  return answers
}

describe('the verdict on 1,000 simulated runs', () => {
  const runs = 1000

  it('says better, or worse, in at most 2.5% of those that gained nothing', () => {
    const each = Object.values(nothingGained).map(draw => answersOf(draw, runs / 5))
    const total = (answer: string) => each.reduce((sum, answers) => sum + (answers[answer] ?? 0), 0)
    expect(total('better')).toBeLessThanOrEqual(0.025 * runs)
    expect(total('worse')).toBeLessThanOrEqual(0.025 * runs)
  })

  it('says better of most large gains, and never worse of them', () => {
    const answers = answersOf(() => [0.2, 0.7], runs)
    expect(answers.better).toBeGreaterThan(0.85 * runs)
    expect(answers.worse).toBeUndefined()
  })

  it('says worse of most large losses, and never better of them', () => {
    const answers = answersOf(() => [0.7, 0.2], runs)
    expect(answers.worse).toBeGreaterThan(0.85 * runs)
    expect(answers.better).toBeUndefined()
  })
})
