import { z } from 'zod'
import { splitWords } from './python-text.js'
import { defineScorer, expectation, goldFields, goldOption, goldProblem, goldsOf, verdict } from './scorer.js'

/** Passes if the answer equals an expected one. Differences in white space are ignored. */
export const scorer = defineScorer({
  id: 'exact',
  options: {
    ...goldOption,
    caseSensitive: z.boolean().default(false).describe('Whether "Paris" and "paris" are different answers.'),
  },
  fields: ({ field }) => goldFields(field),
  problem: (task, { field }) => goldProblem(task, field),
  score({ task, answer, options: { field, caseSensitive } }) {
    const canonical = (text: string) => {
      const words = splitWords(text).join(' ')
      return caseSensitive ? words : words.toLowerCase()
    }
    const golds = goldsOf(task, field)
    const correct = golds.some(gold => canonical(gold) === canonical(answer))
    return verdict(correct, expectation(golds, answer, correct))
  },
})
