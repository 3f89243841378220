import type { Score } from '../../core/task/task.js'
import { splitWords } from './python-text.js'
import { expectation } from './scorer.js'

/**
 * Scores the best-matching expected answer by token F1 after normalising. Hard is 1 if the F1 reaches the
 * threshold. A threshold of 1 requires equal texts, because F1 ignores the order of words.
 */
export function scoreWords(
  golds: readonly string[],
  answer: string,
  { normalise, threshold = 1 }: { readonly normalise: (text: string) => string; readonly threshold?: number },
): Score {
  const given = normalise(answer)
  const wanted = golds.map(normalise)
  const soft = Math.max(0, ...wanted.map(gold => wordF1(splitWords(given), splitWords(gold))))
  const correct = threshold >= 1 ? wanted.includes(given) : soft >= threshold
  const feedback = expectation(golds, answer, correct)
  const overlap = correct || soft === 0 ? '' : ` Word overlap (F1) ${soft.toFixed(2)}.`
  return { hard: correct ? 1 : 0, soft, feedback: feedback + overlap }
}

function wordF1(given: readonly string[], wanted: readonly string[]): number {
  if (given.length === 0 || wanted.length === 0) return given.length === wanted.length ? 1 : 0
  const left = new Map<string, number>()
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1)
  let shared = 0
  for (const word of given) {
    const remaining = left.get(word) ?? 0
    if (remaining > 0) shared += 1
    left.set(word, remaining - 1)
  }
  if (shared === 0) return 0
  const precision = shared / given.length
  const recall = shared / wanted.length
  return (2 * precision * recall) / (precision + recall)
}
