import { z } from 'zod'
import { containsWords, splitWords } from './python-text.js'
import { defineScorer, goldFields, goldOption, goldProblem, goldsOf, quote } from './scorer.js'

/** Passes if the answer has the expected text; by default as whole words, so "142" is not "42". */
export const scorer = defineScorer({
  id: 'contains',
  options: {
    ...goldOption,
    all: z
      .boolean()
      .default(false)
      .describe('Whether every expected text must appear, not just one of them.'),
    caseSensitive: z.boolean().default(false).describe('Whether upper and lower case are told apart.'),
    wholeWords: z.boolean().default(true).describe('Whether a match may not begin or end inside a word.'),
  },
  fields: ({ field }) => goldFields(field),
  problem: (task, { field }) => goldProblem(task, field),
  score({ task, answer, options: { field, all, caseSensitive, wholeWords } }) {
    const canonical = (text: string) => {
      const words = splitWords(text).join(' ')
      return caseSensitive ? words : words.toLowerCase()
    }
    const text = canonical(answer)
    const golds = goldsOf(task, field)
    const missing = golds.filter(gold => {
      const needle = canonical(gold)
      return !(wholeWords ? containsWords(text, needle) : text.includes(needle))
    })
    const found = golds.length - missing.length
    const correct = all ? missing.length === 0 : found > 0
    if (correct) return { hard: 1, soft: 1, feedback: `Correct: ${quote(answer)}.` }
    return {
      hard: 0,
      soft: all ? found / golds.length : 0,
      feedback: `Expected to find ${missing.map(quote).join(all ? ' and ' : ' or ')} in the answer; got ${answer === '' ? 'no answer' : quote(answer)}.`,
    }
  },
})
