import type { RecordedEdit } from '../../../core/log/event.js'
import { weigh } from './word-index.js'

/** Similarity of weighted words from which two edits count as one lesson in two wordings. */
const sameLesson = 0.7

/**
 * Returns a function that tells whether two edits say the same in other words. Rare words weigh more, since
 * most proposals share words such as "task" and "always".
 */
export function createRephrasing(
  edits: readonly RecordedEdit[],
): (one: RecordedEdit, other: RecordedEdit) => boolean {
  const weights = weigh(edits.map(textOf))
  const known = new Map<RecordedEdit, ReadonlyMap<string, number>>()
  const wordsOf = (edit: RecordedEdit) => {
    const found = known.get(edit) ?? weights(textOf(edit))
    known.set(edit, found)
    return found
  }
  return (one, other) => similarity(wordsOf(one), wordsOf(other)) >= sameLesson
}

const textOf = (edit: RecordedEdit): string => ('content' in edit ? edit.content : edit.target)

/** Cosine of the angle between two weighted sets of words. */
function similarity(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let both = 0
  for (const [word, weight] of one) both += weight * (other.get(word) ?? 0)
  const length = (words: ReadonlyMap<string, number>) =>
    Math.sqrt([...words.values()].reduce((sum, weight) => sum + weight * weight, 0))
  const lengths = length(one) * length(other)
  return lengths === 0 ? 0 : both / lengths
}
