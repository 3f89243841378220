import type { Score } from '../../core/task/task.js'
import { blankWords, deletePunctuation, splitWords } from './python-text.js'
import { defineScorer, goldFields, goldProblem, goldsOf } from './scorer.js'
import { scoreWords } from './words.js'

/** SearchQA's own rules: hard is 1 for an equal normalised answer, soft is the best token F1. */
export const scorer = defineScorer({
  id: 'searchqa',
  options: {},
  fields: () => goldFields('answers'),
  problem: task => goldProblem(task, 'answers'),
  score: ({ task, answer }) => scoreAgainst(goldsOf(task, 'answers'), answer, 1),
})

export function scoreAgainst(golds: readonly string[], answer: string, threshold: number): Score {
  return scoreWords(golds, answer, { normalise, threshold })
}

function normalise(text: string): string {
  return splitWords(blankWords(deletePunctuation(text.toLowerCase()), ['a', 'an', 'the'])).join(' ')
}
