import type { Score } from '../../core/task/task.js'
import { blankWords, deletePunctuation, splitWords, strip } from './python-text.js'
import { defineScorer, expectation, goldFields, goldProblem, goldsOf, verdict } from './scorer.js'
import { scoreWords } from './words.js'

/** Units that a reader adds to a figure, or leaves out, without changing it. */
const unitWords = ['million', 'millions', 'billion', 'billions', 'dollar', 'dollars', 'nominal']

/** OfficeQA's own rules: the first tag counts, and nothing else does; figures are compared as they are written. */
export const scorer = defineScorer({
  id: 'officeqa',
  options: {},
  extract: 'tag',
  findTag: firstTag,
  fields: () => goldFields('answer'),
  problem: task => goldProblem(task, 'answer'),
  score(task, answer) {
    const golds = goldsOf(task, 'answer')
    // Also where nothing is left of the expected answer but units: silence is no answer.
    return answer === '' ? verdict(false, expectation(golds, answer, false)) : scoreFigure(golds, answer)
  },
})

/** An answer that was found, whatever it says. */
export function scoreFigure(golds: readonly string[], answer: string): Score {
  return scoreWords(golds, answer, normalise)
}

function firstTag(reply: string): string | undefined {
  const tagged = /<answer>([\s\S]*?)<\/answer>/i.exec(reply)?.[1]
  return tagged === undefined ? undefined : strip(tagged)
}

/** Points, signs and percent signs stay: they are part of a figure. */
function normalise(text: string): string {
  return splitWords(blankWords(deletePunctuation(text.toLowerCase(), '.-%'), unitWords)).join(' ')
}
