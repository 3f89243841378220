import { plural } from '../view/figures.js'
import { answerOf, pairedFigures, tellingSentence } from './paired-answer.js'
import type { SkillComparison, SkillPair } from './skill-comparison.js'

/** This is a module of its own because web pages import it, so it must run in a browser. */

/** Sentences that say which differences are measurable, and what choosing among several skills costs. */
export function comparisonSentences(
  { pairs }: Pick<SkillComparison, 'pairs'>,
  { tasks, labels }: { readonly tasks: number; readonly labels: ReadonlyMap<string, string> },
): string[] {
  const label = (name: string) => labels.get(name) ?? name
  const measurable = pairs.filter(({ difference }) => difference.low > 0 || difference.high < 0)
  const leftOut = tasks - Math.min(...pairs.map(pair => pair.tasks))
  return [
    ...measurable.map(pair => measurableSentence(pair, label)),
    ...(measurable.length === 0 ? [noneSentence(pairs, label)] : []),
    ...(pairs.length > 1 ? multipleSentences(pairs, measurable.length) : []),
    ...(leftOut === 0 ? [] : [leftOutSentence(leftOut, pairs.length)]),
  ]
}

function measurableSentence(pair: SkillPair, label: (name: string) => string): string {
  const shown = pair.difference.low > 0 ? pair : reversed(pair)
  const { which, against, tasks } = shown
  return `${label(which)} is better than ${label(against)}: ${pairedFigures(shown, plural(tasks, 'task'))}.`
}

function reversed({ which, against, tasks, better, worse, difference }: SkillPair): SkillPair {
  const { mean, low, high } = difference
  return {
    which: against,
    against: which,
    tasks,
    better: worse,
    worse: better,
    difference: { mean: -mean, low: -high, high: -low },
  }
}

function noneSentence(pairs: readonly SkillPair[], label: (name: string) => string): string {
  const [only, another] = pairs
  if (only === undefined) return 'Nothing to compare.'
  if (another !== undefined)
    return `None of the ${plural(pairs.length, 'pair')} shows a measurable difference.`
  const { which, against, tasks } = only
  if (tasks === 0) return `No task was scored for both ${label(which)} and ${label(against)}.`
  const figures = pairedFigures(only, plural(tasks, 'task'))
  return answerOf(only) === 'no-change'
    ? `${label(which)} is not measurably better than ${label(against)}: ${figures}; a gain of 5 points is ruled out.`
    : `Cannot tell whether ${label(which)} is better than ${label(against)}: ${figures}. ${tellingSentence(only)}`
}

function multipleSentences(pairs: readonly SkillPair[], measurable: number): string[] {
  return [
    `${plural(pairs.length, 'pair')} are compared. The intervals are widened so that all of them hold at once with 95% confidence.`,
    ...(measurable === 0
      ? []
      : [
          'The best of several skills scores high partly by chance. Score it again on tasks that were not used to choose it.',
        ]),
  ]
}

function leftOutSentence(tasks: number, pairs: number): string {
  const where = pairs === 1 ? 'the comparison' : 'some pairs'
  return `${plural(tasks, 'task')} ${tasks === 1 ? 'is' : 'are'} left out of ${where}: an attempt failed for external reasons. Rerun the same command to retry.`
}
