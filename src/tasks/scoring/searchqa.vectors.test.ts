import { expect } from 'vitest'
import { z } from 'zod'
import { scoreContext } from '../../../test/score-context.js'
import { testVectors } from '../../../test/vectors.js'
import { extractAnswer } from './extract.js'
import { chooseScorer } from './index.js'

const vector = z.object({
  text: z.string(),
  gold: z.array(z.string()),
  answer: z.string(),
  exact: z.number(),
  f1: z.number(),
})

testVectors('searchqa', vector, async ({ text, gold, answer, exact, f1 }) => {
  expect(extractAnswer(text, 'tag-or-last-line')).toBe(answer)
  const trajectory = { messages: [], answer: text, stop: 'answered' } as const
  const score = await chooseScorer('searchqa').score({ answers: gold }, trajectory, scoreContext)
  expect(score.hard).toBe(exact)
  expect(score.soft).toBeCloseTo(f1, 8)
})
