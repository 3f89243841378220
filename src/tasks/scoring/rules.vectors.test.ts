import { expect } from 'vitest'
import { z } from 'zod'
import { scoreContext } from '../../../test/score-context.js'
import { testVectors } from '../../../test/vectors.js'
import type { Trajectory } from '../../core/task/task.js'
import { chooseScorer } from './index.js'

const vector = z.object({
  checks: z.array(z.object({ op: z.string(), arg: z.unknown() })),
  response: z.string(),
  tools: z.array(z.string()),
  hard: z.number(),
  soft: z.number(),
})

testVectors('judges', vector, async ({ checks, response, tools, hard, soft }) => {
  const toolCalls = tools.map((name, index) => ({ id: `call-${index}`, name, arguments: '{}' }))
  const trajectory: Trajectory = {
    messages: [{ role: 'assistant', text: '', toolCalls }],
    answer: response,
    stop: 'answered',
  }
  const score = await chooseScorer('rules').score({ checks }, trajectory, scoreContext)
  expect(score.hard).toBe(hard)
  expect(score.soft).toBeCloseTo(soft, 8)
})
