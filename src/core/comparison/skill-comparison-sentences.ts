import { count, plural, signedPoints } from '../view/figures.js'
import type { SkillComparison, SkillPair } from './skill-comparison.js'

/** Kept in a module of its own because web pages import it: it must run in a browser. */

/**
 * States which differences are measurable and what choosing among several skills costs, and claims nothing
 * more.
 */
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
  const { better, worse, difference } = pair
  const isBetter = difference.low > 0
  const { which, against } = isBetter ? pair : { which: pair.against, against: pair.which }
  const [mean, low, high] = isBetter
    ? [difference.mean, difference.low, difference.high]
    : [-difference.mean, -difference.high, -difference.low]
  const [won, lost] = isBetter ? [better, worse] : [worse, better]
  return `${label(which)} does better than ${label(against)}: ${signedPoints(mean)} points (${signedPoints(low)} to ${signedPoints(high)}), better on ${plural(won, 'task')} and worse on ${count(lost)}.`
}

function noneSentence(pairs: readonly SkillPair[], label: (name: string) => string): string {
  const [only, another] = pairs
  if (only === undefined) return 'Nothing to compare.'
  if (another !== undefined)
    return `None of the ${plural(pairs.length, 'pair')} shows a measurable difference.`
  const { which, against, tasks, difference } = only
  if (tasks === 0) return `No task was scored for both ${label(which)} and ${label(against)}.`
  return `${label(which)} and ${label(against)} show no measurable difference with ${plural(tasks, 'task')} (${signedPoints(difference.mean)} points, ${signedPoints(difference.low)} to ${signedPoints(difference.high)}).`
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
