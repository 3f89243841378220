import { z } from 'zod'
import { defineScorer, goldFields, goldOption, goldProblem, goldsOf } from './scorer.js'
import { scoreAgainst } from './searchqa.js'

/** Scores the words shared with the best expected answer, ignoring case, punctuation and articles. */
export const scorer = defineScorer({
  id: 'token-f1',
  options: {
    ...goldOption,
    threshold: z
      .number()
      .positive()
      .max(1)
      .default(1)
      .describe('The F1 from which the answer counts as right; 1 asks for the same words in the same order.'),
  },
  fields: ({ field }) => goldFields(field),
  problem: (task, { field }) => goldProblem(task, field),
  score: ({ task, answer, options: { field, threshold } }) =>
    scoreAgainst(goldsOf(task, field), answer, threshold),
})
