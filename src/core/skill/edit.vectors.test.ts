import { expect } from 'vitest'
import { z } from 'zod'
import { testVectors } from '../../../test/vectors.js'
import { lineOrigins, seedDocument } from './document.js'
import { applyEdits, type Edit } from './edit.js'

const change = z.discriminatedUnion('op', [
  z.object({ op: z.literal('append'), content: z.string() }),
  z.object({ op: z.enum(['insert_after', 'replace']), target: z.string(), content: z.string() }),
  z.object({ op: z.literal('delete'), target: z.string() }),
])
const vector = z.object({
  skill: z.string(),
  edits: z.array(change),
  result: z.string(),
  applied: z.array(z.boolean()),
})

testVectors('edits', vector, ({ skill, edits, result, applied }) => {
  const numbered: Edit[] = edits.map((edit, index) => ({
    id: `edit-${index}`,
    support: 1,
    from: 'failure',
    tasks: [],
    ...edit,
  }))
  const outcome = applyEdits(seedDocument(skill), numbered)
  expect(outcome.document.text).toBe(result)
  expect(outcome.reports.map(report => report.status === 'applied')).toEqual(applied)
  for (const line of lineOrigins(outcome.document)) expect(line.origins).not.toEqual([])
})
