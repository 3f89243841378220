import { constants } from './constants.js'
import type { Trial, TrialEdit } from './types.js'

/**
 * Evidence about an edit that concerns few tasks. With so few attempts a normal approximation loses
 * information, so the likelihood is exact: each attempt passes or fails, each task has a baseline, and the
 * edit lifts the pass rate by a share of the remaining headroom.
 */
export interface LocalEvidence {
  /**
   * Likelihoods of the outcomes if the edit helps by each lift, does nothing, or does harm. Only their ratios
   * matter.
   */
  readonly byLift: readonly number[]
  readonly nothing: number
  readonly harms: number
  /** Likelihood ratio of each lift against doing nothing, on the tasks that the edit was proposed from. */
  readonly originByLift: readonly number[]
  /** Estimated effect on the concerned tasks, from the outcomes alone. */
  readonly mean: number
  readonly sd: number
  readonly trials: number
  readonly tasks: number
}

/** The expected effects of the other edits in an attempt's skill, and what is known of the tasks. */
export interface Others {
  /** Expected effect on an attempt's score of all edits in its skill, except those of the slot. */
  offset(trial: Trial, slot: string): number
  /** Mean score over all tasks, used as the baseline of tasks that were not tried. */
  readonly mean: number
  /** Correlation of repeated attempts at a task, from 0 to 1. */
  readonly correlation: number
}

const centres = (count: number) => Array.from({ length: count }, (_, index) => (index + 0.5) / count)
const baselines = centres(12)
const lifts = centres(8)

/**
 * Possible effects of a helpful edit. The lift is a share of the headroom; the precision is the share of the
 * supposedly concerned tasks that the edit lifts. It is below 1 because word matching is imprecise, and
 * because some tasks need a second rule as well.
 */
const effects = [0.45, 0.75, 0.97].flatMap(precision =>
  lifts.map((lift, liftIndex) => ({ lift, liftIndex, precision })),
)

export function localEvidence(
  trials: readonly Trial[],
  subject: TrialEdit,
  { slotEdits, others }: { readonly slotEdits: ReadonlySet<string>; readonly others: Others },
): LocalEvidence {
  const id = subject.edit.id
  const origin = new Set(subject.edit.tasks)
  const records = new Map<string, TaskRecord>()
  for (const trial of trials) {
    const isOrigin = origin.has(trial.task)
    if (!isOrigin && !subject.concerned.has(trial.task)) continue
    if (trial.edits.some(edit => edit !== id && slotEdits.has(edit))) continue
    const record = records.get(trial.task) ?? { isOrigin, without: [], with: [] }
    records.set(trial.task, record)
    const outcome = { score: trial.score, offset: others.offset(trial, subject.slot) }
    if (trial.edits.includes(id)) record.with.push(outcome)
    else record.without.push(outcome)
  }
  const fresh = [...records.values()].filter(({ isOrigin }) => !isOrigin)
  const own = [...records.values()].filter(({ isOrigin }) => isOrigin)
  const concentration = (1 - others.correlation) / others.correlation
  const sums = { nothing: 0, harms: 0, mean: 0, square: 0, weight: 0 }
  const byLift = effects.map(() => 0)
  const originByLift = effects.map(() => 0)
  let originNothing = 0
  for (const baseline of baselines) {
    const without = fresh.reduce(
      (sum, record) => sum + logWithout(record, { baseline, concentration }),
      logPrior(baseline, others.mean),
    )
    const ownPrior = logPrior(baseline, others.mean)
    const here = likelihoodsWith(fresh, { baseline, concentration })
    const atOrigin = likelihoodsWith(own, { baseline, concentration })
    sums.nothing += Math.exp(without + here.unmoved)
    originNothing += Math.exp(ownPrior + atOrigin.unmoved)
    for (const [index, { lift, liftIndex, precision }] of effects.entries()) {
      const helps = Math.exp(without + here.mixed(liftIndex, precision))
      const harms = Math.exp(without + here.mixed(lifts.length + liftIndex, precision))
      byLift[index] = (byLift[index] ?? 0) + helps
      sums.harms += harms / effects.length
      const gain = precision * lift * (1 - baseline)
      const loss = -precision * lift * baseline
      sums.mean += helps * gain + harms * loss
      sums.square += helps * gain * gain + harms * loss * loss
      sums.weight += helps + harms
      originByLift[index] =
        (originByLift[index] ?? 0) + Math.exp(ownPrior + atOrigin.mixed(liftIndex, precision))
    }
  }
  const mean = sums.weight === 0 ? 0 : sums.mean / sums.weight
  const variance = sums.weight === 0 ? 1 : sums.square / sums.weight - mean * mean
  const tried = fresh.filter(record => record.with.length > 0)
  return {
    byLift,
    nothing: sums.nothing,
    harms: sums.harms,
    originByLift: originByLift.map(value => (own.length === 0 ? 1 : value / originNothing)),
    mean,
    sd: Math.sqrt(Math.max(1e-4, variance)),
    trials: tried.reduce((sum, record) => sum + record.with.length, 0),
    tasks: tried.length,
  }
}

interface Outcome {
  readonly score: number
  readonly offset: number
}

interface TaskRecord {
  readonly isOrigin: boolean
  readonly without: Outcome[]
  readonly with: Outcome[]
}

interface Baseline {
  readonly baseline: number
  readonly concentration: number
}

/** Log likelihood of a task's outcomes without the edit. Each outcome updates the baseline for the next. */
function logWithout({ without }: TaskRecord, { baseline, concentration }: Baseline): number {
  let log = 0
  let passes = 0
  for (const [index, { score, offset }] of without.entries()) {
    const expected = (passes + baseline * concentration) / (index + concentration)
    log += logOutcome(score, expected + offset)
    passes += adjusted(score, offset)
  }
  return log
}

interface LikelihoodsWith {
  /** Log likelihood if the edit does nothing. */
  readonly unmoved: number
  /**
   * Log likelihood if the edit changes a share `precision` of the tasks by this lift, an index into
   * `signedLifts`.
   */
  mixed(lift: number, precision: number): number
}

/** Lifts with both signs. A negative lift is the share of the baseline that a harmful edit takes away. */
const signedLifts = [...lifts, ...lifts.map(lift => -lift)]

/**
 * Likelihoods of the outcomes with the edit. The concerned tasks are known only roughly, so every task is a
 * mixture: the edit has its effect there, or has none.
 */
function likelihoodsWith(records: readonly TaskRecord[], at: Baseline): LikelihoodsWith {
  const tried = records.filter(record => record.with.length > 0)
  const unmoved = tried.map(record => logRecord(record, at, 0))
  const likelihoods = unmoved.map(Math.exp)
  const moved = signedLifts.map(lift => tried.map(record => Math.exp(logRecord(record, at, lift))))
  return {
    unmoved: unmoved.reduce((sum, log) => sum + log, 0),
    mixed(lift, precision) {
      let log = 0
      for (const [index, value] of (moved[lift] ?? []).entries())
        log += Math.log(precision * value + (1 - precision) * (likelihoods[index] ?? 0))
      return log
    },
  }
}

function logRecord(record: TaskRecord, { baseline, concentration }: Baseline, lift: number): number {
  let log = 0
  let passes = record.without.reduce((sum, { score, offset }) => sum + adjusted(score, offset), 0)
  let count = record.without.length
  for (const { score, offset } of record.with) {
    const own = Math.max(0, Math.min(1, (passes + baseline * concentration) / (count + concentration)))
    const expected = lift >= 0 ? own + lift * (1 - own) : own * (1 + lift)
    log += logOutcome(score, expected + offset)
    // Attempts with the edit are further samples of the baseline only if the edit does nothing.
    if (lift === 0) {
      count += 1
      passes += adjusted(score, offset)
    }
  }
  return log
}

/** The score minus the expected effect of the other edits in the skill. */
function adjusted(score: number, offset: number): number {
  return Math.max(0, Math.min(1, score - offset))
}

/**
 * Log likelihood of a score; one between 0 and 1 counts as that share of a pass. Probabilities are clamped,
 * because nothing is certain.
 */
function logOutcome(score: number, probability: number): number {
  const safe = Math.max(0.03, Math.min(0.97, probability))
  return score * Math.log(safe) + (1 - score) * Math.log(1 - safe)
}

function logPrior(baseline: number, mean: number): number {
  const [passes, fails] = [constants.baseline * mean, constants.baseline * (1 - mean)]
  return (passes - 0.5) * Math.log(baseline) + (fails - 0.5) * Math.log(1 - baseline)
}
