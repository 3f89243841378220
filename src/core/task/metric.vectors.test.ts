import { expect } from 'vitest'
import { z } from 'zod'
import { testVectors } from '../../../test/vectors.js'
import { compare, metricScore } from './metric.js'

const vector = z.object({
  hard: z.number(),
  soft: z.number(),
  metric: z.enum(['hard', 'soft', 'mixed']),
  weight: z.number(),
  current: z.number(),
  best: z.number(),
  score: z.number(),
  action: z.enum(['accept_new_best', 'accept', 'reject']),
})

testVectors('gate', vector, ({ hard, soft, metric, weight, current, best, score, action }) => {
  const computed = metricScore({ hard, soft }, metric, weight)
  expect(computed).toBeCloseTo(score, 8)
  expect(compare(computed, current, best)).toBe(action)
})
