import { expect } from 'vitest'
import { z } from 'zod'
import { testVectors } from '../../../test/vectors.js'
import { budgetAt } from './edit-budget.js'

const vector = z.object({
  mode: z.enum(['constant', 'linear', 'cosine']),
  max: z.number(),
  min: z.number(),
  steps: z.number(),
  budgets: z.array(z.number()),
})

testVectors('schedule', vector, ({ budgets, ...schedule }) => {
  expect(budgets.map((_, index) => budgetAt(schedule, index + 1))).toEqual(budgets)
})
