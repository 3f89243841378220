import { describe, expect, it } from 'vitest'
import { finish, sampleLog } from '../../../test/support/sample-run.js'
import { betterInFinal, trialsLog } from '../../../test/support/trials-run.js'
import { unseenSentence } from './unseen-result.js'

const effect = { mean: 0.07, low: -0.08, high: 0.22 }
const tasks = { better: 5, worse: 3, total: 30 }
const rejected = (decision: 'reject' | 'underpowered') => ({
  action: 'reject' as const,
  verdict: { decision, complete: true, reason: 'Not better.', effect, tasks },
})

describe('the sentence about unseen tasks', () => {
  it('rests on the final test where the test split was not run', () => {
    expect(unseenSentence(trialsLog().view())).toBe(
      'Better than the seed on unseen tasks: 12 better, 1 worse of 15 validation tasks (+73 points, 95% interval +45 to +100).',
    )
  })

  it('rests on the test split where it was run with both skills', () => {
    const tested = { tasks: 40, better: 20, worse: 1 }
    const of = (difference: { mean: number; low: number; high: number }) =>
      unseenSentence(trialsLog().view(), { ...tested, difference })
    expect(of({ mean: 0.475, low: 0.3, high: 0.62 })).toBe(
      'Better than the seed on unseen tasks: 20 better, 1 worse of 40 test tasks (+48 points, 95% interval +30 to +62).',
    )
    expect(of({ mean: -0.4, low: -0.5, high: -0.3 })).toMatch(/^Worse than the seed/)
    expect(of({ mean: 0.1, low: -0.1, high: 0.3 })).toMatch(/^Cannot tell whether the skill is better/)
  })

  it('says that the seed ships, and why', () => {
    expect(unseenSentence(trialsLog(rejected('underpowered')).view())).toBe(
      'Cannot tell whether the trained skill is better than the seed on unseen tasks: 5 better, 3 worse of 30 validation tasks (+7 points, 95% interval −8 to +22); the seed ships.',
    )
    expect(unseenSentence(trialsLog(rejected('reject')).view())).toMatch(/^Not better than the seed/)
    expect(unseenSentence(trialsLog('none').view())).toBe('Nothing was accepted; the seed ships.')
    const verdict = { decision: 'abstain' as const, complete: true, reason: 'Too many attempts failed.' }
    expect(unseenSentence(trialsLog({ action: 'abstain', verdict }).view())).toBe(
      'The final test could not compare: Too many attempts failed. The seed ships.',
    )
  })

  it('is careful where the final test accepts and the interval includes zero', () => {
    const unclear = { ...betterInFinal.verdict, effect: { mean: 0.2, low: -0.01, high: 0.41 } }
    expect(unseenSentence(trialsLog({ ...betterInFinal, verdict: unclear }).view())).toMatch(
      /^Probably better than the seed/,
    )
  })

  it('says nothing before the end', () => {
    expect(unseenSentence(trialsLog(betterInFinal).view(20))).toBeUndefined()
    expect(unseenSentence(sampleLog().view())).toBeUndefined()
  })

  it('says the same of a training by steps, from the test split', () => {
    const view = finish(sampleLog()).view()
    const tested = { tasks: 10, better: 6, worse: 1, difference: { mean: 0.5, low: 0.1, high: 0.8 } }
    expect(unseenSentence(view, tested)).toBe(
      'Better than the seed on unseen tasks: 6 better, 1 worse of 10 test tasks (+50 points, 95% interval +10 to +80).',
    )
    expect(unseenSentence(view)).toBe(
      'Cannot tell whether the skill is better than the seed on unseen tasks: +50 points on the test split, where scores of single tasks are not recorded.',
    )
    expect(unseenSentence({ ...view, tests: [] })).toBe(
      'Cannot tell whether the skill is better than the seed on unseen tasks: it was not tested on any. It scores 75.0% against 25.0% of the seed on validation, which chose it.',
    )
    const best = view.best === undefined ? undefined : { ...view.best, version: 0 }
    expect(unseenSentence({ ...view, best })).toBe('No candidate was better on validation; the seed ships.')
  })
})
