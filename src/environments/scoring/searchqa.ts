import type { Score } from '../../core/task.js'
import { blankWords, deletePunctuation, splitWords } from './python-text.js'
import { defineScorer, expectation, goldFields, goldProblem, goldsOf } from './scorer.js'

/** SearchQA's own rules: hard is equality after normalising, soft the best token F1. */
export const scorer = defineScorer({
  id: 'searchqa',
  options: {},
  fields: () => goldFields('answers'),
  problem: task => goldProblem(task, 'answers'),
  score: (task, answer) => scoreAgainst(goldsOf(task, 'answers'), answer, 1),
})

/** Hard once the F1 reaches the threshold; at 1 that asks for equality, since F1 does not see the order. */
export function scoreAgainst(golds: readonly string[], answer: string, threshold: number): Score {
  const soft = Math.max(0, ...golds.map(gold => tokenF1(answer, gold)))
  const equal = golds.some(gold => normalise(gold) === normalise(answer))
  const correct = threshold >= 1 ? equal : soft >= threshold
  const feedback = expectation(golds, answer, correct)
  const overlap = correct || soft === 0 ? '' : ` Word overlap (F1) ${soft.toFixed(2)}.`
  return { hard: correct ? 1 : 0, soft, feedback: feedback + overlap }
}

function normalise(text: string): string {
  return splitWords(blankWords(deletePunctuation(text.toLowerCase()), ['a', 'an', 'the'])).join(' ')
}

function tokenF1(answer: string, gold: string): number {
  const given = splitWords(normalise(answer))
  const wanted = splitWords(normalise(gold))
  if (given.length === 0 || wanted.length === 0) return given.length === wanted.length ? 1 : 0
  const left = new Map<string, number>()
  for (const token of wanted) left.set(token, (left.get(token) ?? 0) + 1)
  let shared = 0
  for (const token of given) {
    const remaining = left.get(token) ?? 0
    if (remaining > 0) shared += 1
    left.set(token, remaining - 1)
  }
  if (shared === 0) return 0
  const precision = shared / given.length
  const recall = shared / wanted.length
  return (2 * precision * recall) / (precision + recall)
}
