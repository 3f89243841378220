import { expect } from 'vitest'
import { z } from 'zod'
import { testVectors } from '../../../test/vectors.js'
import { scoreFigure } from './officeqa.js'

const vector = z.object({ answer: z.string(), gold: z.string(), exact: z.number(), f1: z.number() })

testVectors('officeqa', vector, ({ answer, gold, exact, f1 }) => {
  const score = scoreFigure([gold], answer)
  expect(score.hard).toBe(exact)
  expect(score.soft).toBeCloseTo(f1, 8)
})
