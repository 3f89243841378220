import type { Config } from '../../core/config/config.js'
import type { Setup } from '../loops/setup.js'
import type { Plan } from '../loops/steps/step-plan.js'
import type { ExpectedSteps } from './expected-steps.js'
import type { Tally } from './history.js'
import { exactly, plus, type Range, sumRanges, times } from './range.js'
import { blend, type Rates } from './rates.js'

/**
 * Estimates the number of model calls in each stage of a training. The bounds come from the config, the
 * likely value from the expected course.
 */

/** Range of the number of steps. The lower bound is an early end: nothing accepted, or all solved. */
export function stepRange({ epochs, stepsPerEpoch }: Plan, { train }: Config, course: ExpectedSteps): Range {
  const all = epochs * stepsPerEpoch
  const patience = train.patience === 0 ? all : train.patience
  return {
    low: Math.min(all, patience, train.stopWhenSolved ? stepsPerEpoch : all),
    likely: course.steps,
    high: all,
  }
}

/** Range of the number of rollout attempts. With reuse, an unchanged skill runs each task only once. */
export function rolloutRange(
  { train }: Config,
  all: Range,
  { likely, trainSize }: { readonly likely: number; readonly trainSize: number },
): Range {
  return { ...all, likely, low: train.reuse === 'reuse' ? Math.min(all.low, trainSize) : all.low }
}

/** Analyst calls of a step. Failures and successes may each have a partial minibatch. */
export function analystCalls({ reflect }: Config, plan: Plan): Range {
  const steps = plan
    .steps(1, [])
    .map(({ batches }) => sumRanges(batches.map(({ length }) => minibatchCount(length, reflect))))
  return times(sumRanges(steps), 1 / steps.length)
}

/**
 * Attempts shown to an analyst: one per task, or two if samples of the task differ. The upper bound assumes
 * that all tasks differ.
 */
export function attemptsPerAnalyst({ train, reflect }: Pick<Config, 'train' | 'reflect'>): Range {
  const shown = train.samples === 1 ? exactly(1) : { low: 1, likely: 1.3, high: 2 }
  return times(shown, reflect.minibatchSize)
}

/**
 * Number of minibatches for this many tasks. Every number of failures is assumed to be equally likely; the
 * remainder decides how often an extra minibatch is needed.
 */
export function minibatchCount(tasks: number, { minibatchSize, failureOnly }: Config['reflect']): Range {
  const full = Math.ceil(tasks / minibatchSize)
  if (failureOnly) return { low: 0, likely: Math.ceil(full / 2), high: full }
  const over = (tasks % minibatchSize || minibatchSize) - 1
  return { low: full, likely: full + over / minibatchSize, high: full + 1 }
}

/**
 * Calls to merge, rank and set the rate in a step. Each side with more than one patch takes one merge, and
 * joining the sides takes one more. Most steps make most of these calls, but fewer as less is left to
 * propose.
 */
export function mergeCalls({ reflect, optimizer }: Config, perStep: number): Range {
  const groups = Math.ceil(Math.ceil(perStep / reflect.minibatchSize) / reflect.mergeBatchSize)
  const rate = optimizer.control === 'autonomous' ? 1 : 0
  const most = groups + 3 + rate
  return { low: 0, likely: 0.6 * most, high: most }
}

/**
 * Blends the guess with measurements from earlier steps. Several steps outweigh the guess, a single one does
 * not. The bounds widen only if the measured value lies outside them.
 */
export function blendRange(guess: Range, measured: Tally | undefined): Range {
  const likely = blend(guess.likely, 2, measured)
  return { low: Math.min(guess.low, likely), likely, high: Math.max(guess.high, likely) }
}

/**
 * Validation of a training in splits: a full split for every skill that becomes current, part of one for a
 * rejected candidate.
 */
export function validationSplits(
  { steps, guided }: { readonly steps: Range; readonly guided: Range },
  course: ExpectedSteps,
  rates: Rates,
): Range {
  const { rejectedSplits, currentSplits, mostSplits, guidance } = rates
  const rejected = course.rejected + guided.likely * (1 - guidance)
  const current = 1 + course.accepted + guided.likely * guidance
  const decisions = steps.high + guided.high
  const likely = current * currentSplits + rejected * rejectedSplits
  return { low: 1, likely, high: Math.max(likely, currentSplits + decisions * mostSplits) }
}

/**
 * Attempts of the final test, in which skills with the same text are tested once. The lower bound assumes
 * that nothing was learned, so the initial skill is also the best and the last. Usually the last skill is the
 * best.
 */
export function testAttempts({ config, tasks }: Setup, { changed }: Pick<ExpectedSteps, 'changed'>): Range {
  const { test } = config.evaluation
  const trained = test.filter(which => which !== 'none').length
  const other = test.includes('initial') && trained > 1 ? changed : 0
  const skills = { low: Math.min(1, trained), likely: Math.min(1, trained) + other, high: trained }
  return times(plus(skills, exactly(test.includes('none') ? 1 : 0)), tasks.test.length)
}
