import type { Score } from '../../core/task/task.js'
import { blankWords, deletePunctuation, splitWords, strip } from './python-text.js'
import { defineScorer, expectation, goldFields, goldProblem, goldsOf, verdict } from './scorer.js'
import { scoreWords } from './words.js'

/** Unit words, which are ignored when answers are compared. */
const unitWords = ['million', 'millions', 'billion', 'billions', 'dollar', 'dollars', 'nominal']

/** OfficeQA's own rules: only the first answer tag counts, and figures are compared as written. */
export const scorer = defineScorer({
  id: 'officeqa',
  options: {},
  extract: 'tag',
  findTag: firstTag,
  fields: () => goldFields('answer'),
  problem: task => goldProblem(task, 'answer'),
  score({ task, answer }) {
    const golds = goldsOf(task, 'answer')
    // An empty answer always fails, even if the expected answer has nothing but unit words.
    return answer === '' ? verdict(false, expectation(golds, answer, false)) : scoreFigure(golds, answer)
  },
})

/** Scores an extracted answer. */
export function scoreFigure(golds: readonly string[], answer: string): Score {
  return scoreWords(golds, answer, { normalise })
}

function firstTag(reply: string): string | undefined {
  const tagged = /<answer>([\s\S]*?)<\/answer>/i.exec(reply)?.[1]
  return tagged === undefined ? undefined : strip(tagged)
}

/** Normalises an answer. Points, minus and percent signs stay, because they are part of a figure. */
function normalise(text: string): string {
  return splitWords(blankWords(deletePunctuation(text.toLowerCase(), '.-%'), unitWords)).join(' ')
}
