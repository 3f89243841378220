import { describe, expect, it } from 'vitest'
import type { GateView } from '../../../../src/core/view/run-view.js'
import type { EvidenceTask, GateDetails } from '../../../../src/dashboard/contract/details.js'
import { gateHref } from './addresses.js'
import {
  consequenceOf,
  decisionWord,
  hasCandidateText,
  stopSentences,
  subjectOf,
  thinned,
  wordsOfName,
} from './gate-words.js'

const gate = (given: Partial<GateView> = {}): GateView => ({
  candidate: 'c',
  current: 0.4,
  score: 0.5,
  best: 0.6,
  action: 'accept',
  verdict: { decision: 'accept', complete: true, reason: 'higher' },
  ...given,
})
const rejected = gate({ action: 'reject', verdict: { decision: 'reject', complete: true, reason: 'lower' } })
const underpowered = gate({
  action: 'reject',
  verdict: { decision: 'underpowered', complete: true, reason: 'too few' },
})
const abstained = gate({
  action: 'abstain',
  verdict: { decision: 'abstain', complete: true, reason: 'unfair' },
})
const bound = gate({ verdict: { decision: 'accept', complete: false, reason: 'seen enough' } })
const estimated = gate({
  current: 0.5,
  score: 0.502,
  verdict: {
    decision: 'reject',
    complete: false,
    reason: 'futile',
    effect: { mean: 0.002, low: -0.047, high: 0.051 },
  },
})

describe('the words of a decision', () => {
  it('name the decision, and distinguish abstaining from rejecting', () => {
    const texts = [gate(), gate({ action: 'accept_new_best' }), rejected, underpowered, abstained].map(
      each => decisionWord(each).text,
    )
    expect(texts).toEqual(['accepted', 'accepted, new best', 'rejected', 'underpowered', 'not decided'])
  })

  it('say what came of it', () => {
    const of = (what: GateDetails['what'], decided: GateView) => consequenceOf({ what, gate: decided })
    expect(of('step', gate({ action: 'accept_new_best' }))).toBe(
      'The candidate is the skill from here on, and the best so far.',
    )
    expect(of('step', gate())).toContain('stays the best, with 60.0%')
    expect(of('step', bound)).toContain('Whether it is also the best is open')
    expect(of('step', rejected)).toContain('the skill stays as it was')
    expect(of('slow-update', underpowered)).toMatch(/cannot tell.*guidance was left out/)
    expect(of('last', abstained)).toMatch(/decided nothing and the skill that it was compared with stays/)
  })

  it('name what it is about', () => {
    const at = { step: 3, epoch: 2 }
    expect(subjectOf({ ...at, what: 'step' })).toBe('Step 3')
    expect(subjectOf({ ...at, what: 'slow-update' })).toBe('Slow update of epoch 2')
    expect(['3', 'epoch-2', 'last'].map(wordsOfName)).toEqual([
      'step 3',
      'slow update of epoch 2',
      'the last skill',
    ])
  })

  it('report that rejected guidance has no text', () => {
    expect(hasCandidateText({ what: 'slow-update', gate: rejected })).toBe(false)
    expect(hasCandidateText({ what: 'slow-update', gate: gate() })).toBe(true)
    expect(hasCandidateText({ what: 'step', gate: rejected })).toBe(true)
  })
})

describe('when the gate stopped', () => {
  const task = (given: Partial<EvidenceTask>): EvidenceTask => ({
    task: 't',
    type: '',
    change: 'same',
    ...given,
  })
  const details = {
    gate: gate(),
    attempts: 0,
    cached: 0,
    tasks: [],
    counts: { better: 2, worse: 1, same: 7, failed: 0, untried: 0 },
  }

  it('is after all tasks, where none was left', () => {
    expect(stopSentences(details)).toEqual(['It tried all of 10 tasks with the candidate.'])
  })

  it('is earlier if some tasks were left; the score is then an estimate', () => {
    const counts = { ...details.counts, untried: 30 }
    const sentences = stopSentences({
      ...details,
      counts,
      gate: estimated,
      attempts: 20,
      cached: 4,
      ms: 90_000,
    })
    expect(sentences[0]).toBe('It stopped after 10 of 40 tasks: 30 were not tried with the candidate.')
    expect(sentences[1]).toContain('Its score is therefore an estimate: about 50.2% (45.3% to 55.1%).')
    expect(sentences.at(-1)).toBe('The decision took 20 attempts, 4 of them from other runs, in 1 min 30 s.')
  })

  it('counts what was tried again and what says nothing', () => {
    const counts = { ...details.counts, failed: 1 }
    const again = { candidate: { mean: 0.5, attempts: 2 } }
    const sentences = stopSentences({ ...details, counts, tasks: [task({ again }), task({})] })
    expect(sentences).toContain('1 task was tried again, in doubt.')
    expect(sentences).toContain('1 task says nothing: the world failed an attempt.')
  })
})

describe('a long course', () => {
  it('keeps its ends and its places', () => {
    const points = thinned(
      Array.from({ length: 1001 }, (_, index) => index),
      100,
    )
    expect(points.length).toBeLessThanOrEqual(101)
    expect(points[0]).toEqual({ x: 1, y: 0 })
    expect(points[1]).toEqual({ x: 12, y: 11 })
    expect(points.at(-1)).toEqual({ x: 1001, y: 1000 })
  })

  it('is left alone when it is short, with its last point once', () => {
    expect(thinned([1, 2])).toEqual([
      { x: 1, y: 1 },
      { x: 2, y: 2 },
    ])
    expect(thinned([])).toEqual([])
  })
})

describe('the address of a decision', () => {
  it('is by its name', () => {
    expect(gateHref('a/b', 'epoch-2')).toBe('~/runs/a%2Fb/gate/epoch-2')
  })
})
