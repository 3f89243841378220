import { describe, expect, it } from 'vitest'
import { trialsLog } from '../../../test/support/trials-run.js'
import { editEvidence, inEvidenceOrder, trialCountsText, wholePoints } from './edit-evidence.js'
import type { TrialEditView } from './run-view.js'

const { trialEdits } = trialsLog().view()
const sentenceOf = (id: string) => trialEdits.filter(edit => edit.id === `s1.f0.${id}`).map(editEvidence)[0]

describe('the sentence about an edit', () => {
  it('gives the effect of an accepted one, with its interval, trials and tasks', () => {
    const sentence =
      'helps, +62 points on the tasks it concerns (95% interval +35 to +89), 9 trials on 5 tasks'
    expect(sentenceOf('0')).toBe(sentence)
  })

  it('gives the reason for one that was dropped, pruned or taken back', () => {
    expect(sentenceOf('1')).toBe(
      'dropped: probably does not help, −3 points on the tasks it concerns (95% interval −40 to +34), 4 trials on 2 tasks',
    )
    expect(sentenceOf('2')).toBe(
      'pruned: cannot tell whether it helps, +8 points on the tasks it concerns (95% interval −12 to +28), 9 trials on 5 tasks',
    )
    expect(sentenceOf('3')).toBe(
      'taken back: later trials speak against it, −3 points on the tasks it concerns (95% interval −40 to +34); −12 points on other tasks (−20 to −4), 9 trials on 5 tasks',
    )
    expect(sentenceOf('5')).toBe(
      'dropped: another remedy for the same cause was accepted, no trials on tasks that it was not proposed from',
    )
  })

  it('says since when one is on trial, and what was known when training ended', () => {
    expect(sentenceOf('4')).toBe(
      'undecided when training ended: +8 points on the tasks it concerns (95% interval −12 to +28), 2 trials on 1 task',
    )
    const [pending] = trialEdits.filter(({ fate }) => fate === 'undecided') as [TrialEditView]
    expect(editEvidence({ ...pending, fate: 'on-trial' })).toBe('on trial since round 2')
  })

  it('mentions harm on other tasks, and no effect where there were no trials', () => {
    const evidence = { helps: 0.95, trials: 1, tasks: 1, effect: { mean: 0.5, low: 0.01, high: 0.99 } }
    const given = trialEdits[0] as TrialEditView
    const elsewhere = { mean: -0.12, low: -0.2, high: -0.04 }
    const of = (given_: Partial<NonNullable<TrialEditView['trial']['evidence']>>) =>
      editEvidence({
        ...given,
        trial: { ...given.trial, evidence: { ...evidence, elsewhere: undefined, ...given_ } },
      })
    expect(of({ elsewhere })).toBe(
      'helps, +50 points on the tasks it concerns (95% interval +1 to +99); −12 points on other tasks (−20 to −4), 1 trial on 1 task',
    )
    expect(of({ effect: undefined })).toBe('may help, no trials on tasks that it was not proposed from')
  })
})

it('counts edits by what became of them, and puts the accepted ones first', () => {
  expect(trialCountsText(trialEdits)).toBe('1 accepted, 2 dropped, 2 taken back, 1 undecided')
  expect(inEvidenceOrder(trialEdits).map(({ fate }) => fate)).toEqual([
    'kept',
    'pruned',
    'taken-back',
    'undecided',
    'dropped',
    'dropped',
  ])
})

it('writes points as whole numbers with a sign', () => {
  expect([0.616, -0.034, 0.001, -0.004, 1].map(wholePoints)).toEqual(['+62', '−3', '0', '0', '+100'])
})
