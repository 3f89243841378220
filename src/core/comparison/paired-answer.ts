import type { Interval } from '../statistics/intervals.js'
import { tasksToDetect } from '../statistics/power.js'
import { count, plural, signedPoints } from '../view/figures.js'
import type { PairedScores } from './skill-comparison.js'

/**
 * States the result of a paired comparison as one answer with its figures. The verdict of a run, `eval` and
 * the proposals of Sleep all use this module. It must run in a browser.
 */
export type Answer = 'better' | 'cannot-tell' | 'no-change' | 'worse'

export const answerWords: Readonly<Record<Answer, string>> = {
  better: 'Better',
  'cannot-tell': 'Cannot tell',
  'no-change': 'No change',
  worse: 'Worse',
}

/** The default of `evaluation.smallestGain`. */
export const usualSmallestGain = 0.05

export function answerOf(
  { tasks, difference }: Pick<PairedScores, 'tasks' | 'difference'>,
  smallestGain = usualSmallestGain,
): Answer {
  if (tasks === 0) return 'cannot-tell'
  if (difference.low > 0) return 'better'
  if (difference.high < 0) return 'worse'
  return difference.high < smallestGain ? 'no-change' : 'cannot-tell'
}

/** Figures such as "+35 points on 120 unseen test tasks (95% interval +23 to +46), 52 fixed, 10 broken". */
export function pairedFigures({ better, worse, difference }: PairedScores, where: string): string {
  return `${gainText(difference)} on ${where} (95% interval ${limitsText(difference)}), ${count(better)} fixed, ${count(worse)} broken`
}

/** A sentence such as "About 190 tasks would tell a gain of this size." */
export function tellingSentence(
  { tasks, better, worse, difference }: PairedScores,
  smallestGain = usualSmallestGain,
): string {
  // Adds one changed task, because a few unchanged tasks do not prove that no task ever changes.
  const changedShare = (better + worse + 1) / (tasks + 2)
  const gain = Math.max(difference.mean, smallestGain)
  const needed = Math.max(tasks + 1, tasksToDetect({ gain, changedShare }))
  const size = difference.mean >= smallestGain ? 'this size' : plural(Math.round(100 * smallestGain), 'point')
  return `About ${count(roughly(needed))} tasks would tell a gain of ${size}.`
}

/** Rounds up to two significant digits. */
export function roughly(number: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, number))) - 1)
  return Math.ceil(number / unit) * unit
}

export function gainText(difference: Interval): string {
  const text = pointsOf(difference, difference.mean)
  return `${text} ${text === '+1' || text === '−1' ? 'point' : 'points'}`
}

export function limitsText(difference: Interval): string {
  return `${pointsOf(difference, difference.low)} to ${pointsOf(difference, difference.high)}`
}

/** Formats whole points. One decimal is added if rounding would show a non-zero limit as zero. */
function pointsOf(difference: Interval, share: number): string {
  const isClose = [difference.low, difference.mean, difference.high].some(
    value => value !== 0 && Math.abs(value) < 0.005 && Math.abs(value) > 1e-9,
  )
  if (isClose) return signedPoints(share)
  const whole = Math.round(share * 100)
  if (whole === 0) return '0'
  return whole > 0 ? `+${whole}` : `−${-whole}`
}
