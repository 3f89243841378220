import { expect } from 'vitest'
import { z } from 'zod'
import { scoreContext } from '../../../test/score-context.js'
import { testVectors } from '../../../test/vectors.js'
import { chooseScorer } from './index.js'

const vector = z.object({ text: z.string(), gold: z.array(z.string()), anls: z.number() })

testVectors('docvqa', vector, async ({ text, gold, anls }) => {
  const trajectory = { messages: [], answer: text, stop: 'answered' } as const
  const score = await chooseScorer('anls').score({ answers: gold }, trajectory, scoreContext)
  expect(score.soft).toBeCloseTo(anls, 8)
  expect(score.hard).toBe(anls >= 0.999 ? 1 : 0)
})
