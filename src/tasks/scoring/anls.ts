import { distance } from 'fastest-levenshtein'
import { codePointLength, splitWords, strip } from './python-text.js'
import { defineScorer, expectation, goldFields, goldOption, goldProblem, goldsOf, quote } from './scorer.js'

/** ANLS, DocVQA's metric: a misread character costs a little, a wrong answer everything. */
export const scorer = defineScorer({
  id: 'anls',
  options: { ...goldOption },
  findTag: lastOpenedTag,
  fields: ({ field }) => goldFields(field),
  problem: (task, { field }) => goldProblem(task, field),
  score({ task, answer, options: { field } }) {
    const golds = goldsOf(task, field)
    const [best] = golds
      .map(gold => ({ gold, anls: similarity(canonical(answer), canonical(gold)) }))
      .sort((left, right) => right.anls - left.anls)
    const soft = best?.anls ?? 0
    const correct = soft >= 0.999
    const feedback = expectation(golds, answer, correct)
    if (correct || answer === '') return { hard: correct ? 1 : 0, soft, feedback }
    return {
      hard: 0,
      soft,
      feedback: `${feedback} ${shortfall(soft, answer, { nearest: best?.gold ?? '', golds })}`,
    }
  },
})

function shortfall(
  soft: number,
  answer: string,
  { nearest, golds }: { readonly nearest: string; readonly golds: readonly string[] },
): string {
  const within = golds.find(gold => canonical(answer).includes(canonical(gold)))
  const reason =
    within === undefined ? '' : ` The answer holds ${quote(within)}, but with other text around it.`
  if (soft > 0)
    return `Nearest to ${quote(nearest)}, with a similarity (ANLS) of ${soft.toFixed(2)}.${reason}`
  return `Half of the characters or more are different, which counts as 0.${reason}`
}

function canonical(text: string): string {
  return splitWords(text.toLowerCase()).join(' ')
}

function similarity(answer: string, gold: string): number {
  const longer = Math.max(codePointLength(answer), codePointLength(gold))
  const difference = longer === 0 ? 0 : codePointDistance(answer, gold) / longer
  return difference >= 0.5 ? 0 : 1 - difference
}

/** The package counts UTF-16 units, so each code point is first mapped to one unit. */
function codePointDistance(left: string, right: string): number {
  const units = new Map<string, string>()
  const encode = (text: string) =>
    Array.from(text, character => {
      const unit = units.get(character) ?? String.fromCharCode(units.size)
      units.set(character, unit)
      return unit
    }).join('')
  return distance(encode(left), encode(right))
}

/**
 * The text from the last complete pair of answer tags. An opening tag after it belongs to a truncated answer,
 * so the earlier answer counts.
 */
function lastOpenedTag(reply: string): string | undefined {
  const closing = [...reply.matchAll(/<\/answer>/gi)].at(-1)
  if (closing === undefined) return undefined
  const before = reply.slice(0, closing.index)
  const opening = [...before.matchAll(/<answer>/gi)].at(-1)
  return opening === undefined ? undefined : strip(before.slice(opening.index + opening[0].length))
}
