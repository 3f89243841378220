import { describe, expect, it } from 'vitest'
import { emptyPool, type Pool } from './pool.js'
import { reasonAgainst, reasonFor, reasonToTakeBack } from './reasons.js'
import type { TrialEdit } from './types.js'

const edit: TrialEdit = {
  edit: { op: 'append', content: '- a', id: 'a', why: '', support: 1, from: 'failure', tasks: [] },
  slot: 'a',
  concerned: new Set(['t']),
  status: 'pending',
  since: 1,
}

function poolWith(effect: { mean: number; sd: number }, belief = { helps: 0.5, harms: 0.1 }): Pool {
  const estimate = {
    edit: 'a',
    origin: { mean: 0, sd: 1 },
    effect,
    elsewhere: { mean: 0, sd: 1 },
    trials: 4,
    tasks: 2,
  }
  return {
    ...emptyPool,
    edits: [edit],
    estimates: new Map([['a', estimate]]),
    beliefs: new Map([['a', { ...belief, ratio: 1, harmsElsewhere: 0 }]]),
  }
}

describe('the reason of a verdict', () => {
  it('claims help or harm only if the interval excludes zero', () => {
    expect(reasonFor(poolWith({ mean: 0.5, sd: 0.1 }), edit)).toBe('Helps.')
    expect(reasonFor(poolWith({ mean: 0.5, sd: 0.4 }), edit)).toBe('Probably helps.')
    expect(reasonAgainst(poolWith({ mean: -0.5, sd: 0.1 }), edit)).toBe('Harmful.')
    expect(reasonAgainst(poolWith({ mean: -0.5, sd: 0.4 }), edit)).toBe('Probably harmful.')
  })

  it('follows from the interval even where the belief says otherwise', () => {
    expect(reasonAgainst(poolWith({ mean: 0.01, sd: 0.1 }, { helps: 0.05, harms: 0.7 }), edit)).toBe(
      'Cannot tell whether it helps.',
    )
    expect(reasonAgainst(poolWith({ mean: -0.01, sd: 0.1 }, { helps: 0.05, harms: 0.7 }), edit)).toBe(
      'Probably does not help.',
    )
    expect(reasonFor(poolWith({ mean: 0.02, sd: 0.2 }, { helps: 0.99, harms: 0 }), edit)).toBe('May help.')
  })

  it('says why an edit is taken back', () => {
    expect(reasonToTakeBack(poolWith({ mean: -0.1, sd: 0.2 }), edit)).toBe('Later trials speak against it.')
    expect(reasonToTakeBack(poolWith({ mean: 0.1, sd: 0.2 }), edit)).toBe('Later trials do not confirm it.')
  })

  it('claims nothing without trials', () => {
    expect(reasonFor(emptyPool, edit)).toBe('May help.')
    expect(reasonAgainst(emptyPool, edit)).toBe('No evidence that it helps.')
    expect(reasonToTakeBack(emptyPool, edit)).toBe('Later trials do not confirm it.')
  })
})
