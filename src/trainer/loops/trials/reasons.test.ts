import { describe, expect, it } from 'vitest'
import { emptyPool, type Pool } from './pool.js'
import { reasonAgainst, reasonFor } from './reasons.js'
import type { TrialEdit } from './types.js'

const edit: TrialEdit = {
  edit: { op: 'append', content: '- a', id: 'a', why: '', support: 1, from: 'failure', tasks: [] },
  slot: 'a',
  concerned: new Set(['t']),
  status: 'pending',
  since: 1,
}

function poolWith(effect: { mean: number; sd: number }, belief: { helps: number; harms: number }): Pool {
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
    const clear = { sd: 0.1 }
    const unsure = { sd: 0.4 }
    expect(reasonFor(poolWith({ mean: 0.5, ...clear }, { helps: 0.99, harms: 0 }), edit)).toBe('Helps.')
    expect(reasonFor(poolWith({ mean: 0.5, ...unsure }, { helps: 0.9, harms: 0.02 }), edit)).toBe(
      'Probably helps.',
    )
    expect(reasonAgainst(poolWith({ mean: -0.5, ...clear }, { helps: 0, harms: 0.99 }), edit)).toBe(
      'Harmful.',
    )
    expect(reasonAgainst(poolWith({ mean: -0.5, ...unsure }, { helps: 0.05, harms: 0.7 }), edit)).toBe(
      'Probably harmful.',
    )
  })

  it('distinguishes probably unhelpful from inconclusive', () => {
    const effect = { mean: 0.05, sd: 0.2 }
    expect(reasonAgainst(poolWith(effect, { helps: 0.1, harms: 0.3 }), edit)).toBe('Probably does not help.')
    expect(reasonAgainst(poolWith(effect, { helps: 0.5, harms: 0.1 }), edit)).toBe(
      'Cannot tell whether it helps.',
    )
    expect(reasonFor(emptyPool, edit)).toBe('Probably helps.')
    expect(reasonAgainst(emptyPool, edit)).toBe('Probably does not help.')
  })
})
