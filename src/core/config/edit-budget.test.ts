import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { budgetAt } from './edit-budget.js'

describe('budgetAt', () => {
  it('never rises, stays within its bounds and ends at the minimum', () => {
    const modes = fc.constantFrom('linear' as const, 'cosine' as const)
    fc.assert(
      fc.property(
        modes,
        fc.integer({ min: 1, max: 20 }),
        fc.nat(19),
        fc.integer({ min: 1, max: 60 }),
        (mode, max, gap, steps) => {
          const min = Math.max(1, max - gap)
          const budgets = Array.from({ length: steps }, (_, index) =>
            budgetAt({ mode, max, min, steps }, index + 1),
          )
          for (const [index, budget] of budgets.entries()) {
            expect(budget).toBeLessThanOrEqual(budgets[index - 1] ?? max)
            expect(budget).toBeGreaterThanOrEqual(min)
          }
          expect(budgets.at(-1)).toBe(min)
        },
      ),
    )
  })

  it('holds beyond the planned steps', () => {
    expect(budgetAt({ mode: 'linear', max: 8, min: 2, steps: 4 }, 9)).toBe(2)
    expect(budgetAt({ mode: 'constant', max: 8, min: 2, steps: 4 }, 9)).toBe(8)
    expect(budgetAt({ mode: 'cosine', max: 8, min: 2, steps: 0 }, 1)).toBe(2)
  })
})
