import { directionOf, type Interval } from '../statistics/intervals.js'
import { count, plural } from './figures.js'
import type { EditView, EvidenceView, TrialEditView, TrialFate } from './run-view.js'

/** Trial results of edits, in words. This module must run in a browser. */

export const trialFateWords: Readonly<Record<TrialFate, string>> = {
  'on-trial': 'on trial',
  accepted: 'accepted',
  kept: 'accepted',
  dropped: 'dropped',
  'taken-back': 'taken back',
  pruned: 'pruned',
  undecided: 'undecided',
}

export function isTrialEdit(edit: EditView): edit is TrialEditView {
  return edit.trial !== undefined
}

/** Whether the edit is currently part of the skill. */
export function isAccepted({ fate }: Pick<TrialEditView, 'fate'>): boolean {
  return fate === 'accepted' || fate === 'kept'
}

/** Formats a share as whole points with a sign: +62, −3, 0. */
export function wholePoints(share: number): string {
  const whole = Math.round(share * 100)
  if (whole === 0) return '0'
  return whole > 0 ? `+${whole}` : `−${-whole}`
}

export function pointsText(share: number): string {
  const text = wholePoints(share)
  return `${text} ${text === '+1' || text === '−1' ? 'point' : 'points'}`
}

export const rangeText = ({ low, high }: Interval): string => `${wholePoints(low)} to ${wholePoints(high)}`

/** Evidence such as "+62 points on the tasks it concerns (95% interval +35 to +89), 9 trials on 5 tasks". */
function effectText({ effect, elsewhere, trials, tasks }: EvidenceView): string {
  if (effect === undefined || trials === 0) return 'no trials on tasks that it was not proposed from'
  const harm =
    elsewhere === undefined || elsewhere.mean > -notable
      ? ''
      : `; ${pointsText(elsewhere.mean)} on other tasks (${rangeText(elsewhere)})`
  return `${pointsText(effect.mean)} on the tasks it concerns (95% interval ${rangeText(effect)})${harm}, ${plural(trials, 'trial')} on ${plural(tasks, 'task')}`
}

/** Smallest loss on other tasks that is mentioned. */
const notable = 0.05

/**
 * Explains why an edit is in the skill or not, answer first: "helps, +62 points on the tasks it concerns
 * (…)" or "dropped: probably harmful, −30 points on the tasks it concerns (…)".
 */
export function editEvidence(edit: TrialEditView): string {
  const { fate, reason, trial } = edit
  const { evidence } = trial
  if (fate === 'on-trial' || evidence === undefined) return `on trial since round ${trial.admitted}`
  if (fate === 'undecided') return `undecided when training ended: ${effectText(evidence)}`
  if (isAccepted(edit)) return `${answerFor(evidence)}, ${effectText(evidence)}`
  return `${trialFateWords[fate]}: ${clauseOf(reason ?? 'no reason was recorded')}, ${effectText(evidence)}`
}

function answerFor({ effect }: EvidenceView): string {
  const direction = effect === undefined ? 'unclear' : directionOf(effect)
  if (direction === 'positive') return 'helps'
  return direction === 'probably-positive' ? 'probably helps' : 'may help'
}

/** A reason as part of a sentence: "Probably harmful." becomes "probably harmful". */
function clauseOf(reason: string): string {
  return reason.charAt(0).toLowerCase() + reason.slice(1).replace(/\.$/, '')
}

export interface TrialCounts {
  readonly accepted: number
  readonly dropped: number
  readonly takenBack: number
  readonly onTrial: number
  readonly undecided: number
}

/** Counts edits by outcome. Edits that were taken back or pruned had been accepted before. */
export function trialCounts(edits: readonly TrialEditView[]): TrialCounts {
  const of = (...fates: TrialFate[]) => edits.filter(({ fate }) => fates.includes(fate)).length
  return {
    accepted: of('accepted', 'kept'),
    dropped: of('dropped'),
    takenBack: of('taken-back', 'pruned'),
    onTrial: of('on-trial'),
    undecided: of('undecided'),
  }
}

/** Counts such as "3 accepted, 5 dropped, 1 taken back". */
export function trialCountsText(edits: readonly TrialEditView[]): string {
  const { accepted, dropped, takenBack, onTrial, undecided } = trialCounts(edits)
  return [
    `${count(accepted)} accepted`,
    `${count(dropped)} dropped`,
    ...(takenBack === 0 ? [] : [`${count(takenBack)} taken back`]),
    ...(onTrial === 0 ? [] : [`${count(onTrial)} on trial`]),
    ...(undecided === 0 ? [] : [`${count(undecided)} undecided`]),
  ].join(', ')
}

/** Sorts edits: accepted ones first, then those taken back, those without a decision, and dropped ones. */
export function inEvidenceOrder(edits: readonly TrialEditView[]): readonly TrialEditView[] {
  const order: readonly TrialFate[] = [
    ...(['kept', 'accepted', 'pruned', 'taken-back', 'on-trial', 'undecided', 'dropped'] as const),
  ]
  const rank = ({ fate }: TrialEditView) => Math.max(1, order.indexOf(fate))
  return edits.toSorted((one, other) => rank(one) - rank(other))
}
