import { expect, it } from 'vitest'
import { gateText } from './gate-text.js'

it('states the number of edits judged together, the scores and the confidence interval', () => {
  const difference = { mean: 0.2, low: 0.05, high: 0.35 }
  expect(gateText({ before: 0.4, after: 0.6, difference, edits: 3 })).toBe(
    'At the gate, with 2 other edits: 40.0% → 60.0%, +20.0 points (+5.0 to +35.0).',
  )
  expect(gateText({ before: 0.4, difference, edits: 2 })).toBe(
    'At the gate, with one other edit: from 40.0%, +20.0 points (+5.0 to +35.0).',
  )
  expect(gateText({ before: 0.4, after: 0.6, edits: 1 })).toBe('At the gate, by itself: 40.0% → 60.0%.')
})
