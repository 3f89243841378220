import type { Marginal } from './cholesky.js'
import { createRandom, draw } from './joint.js'

/**
 * Judges all edits for all tasks together, by Gibbs sampling. Their effects are small and every attempt
 * includes many of them, so the estimate for one edit depends on the beliefs about the others.
 */
export interface SmallEffect {
  readonly helps: number
  readonly harms: number
  /** Posterior odds of helping divided by prior odds. */
  readonly ratio: number
  /** Expected effect on the score. */
  readonly effect: number
}

/** Possible effect sizes as shares of the maximum score, with the pseudo-count of edits of each size. */
const sizes = [0.03, 0.06, 0.12, 0.25]
const sizeCounts = [1, 2, 2, 1]
/** Pseudo-counts of edits that help, do nothing, and harm. */
const shareCounts = { helps: 3, nothing: 3.5, harms: 3.5 }

const values = [0, ...sizes, ...sizes.map(size => -size)]

export interface SamplingOptions {
  readonly seed: number
  /** Expected effects before the last trials, where sampling starts. */
  readonly before: readonly number[]
  readonly burnIn: number
  readonly sweeps: number
}

export function smallEffects(
  { size, precision, right }: Marginal,
  { seed, before, burnIn, sweeps }: SamplingOptions,
): readonly SmallEffect[] {
  const random = createRandom(seed)
  const effects = before.map(nearest)
  const left = Float64Array.from(right)
  for (const [edit, value] of effects.entries()) if (value !== 0) shift(edit, value)
  const helps = new Float64Array(size)
  const harms = new Float64Array(size)
  const means = new Float64Array(size)
  let priors = priorsFrom([])
  let share = 0
  for (let sweep = 0; sweep < burnIn + sweeps; sweep++) {
    const isCounted = sweep >= burnIn
    for (let edit = 0; edit < size; edit++) {
      const own = precision[edit * size + edit] ?? 0
      const old = effects[edit] ?? 0
      const evidence = (left[edit] ?? 0) + own * old
      const weights = posterior(priors, evidence, own)
      const value = values[draw(weights, random)] ?? 0
      if (value !== old) shift(edit, value - old)
      effects[edit] = value
      if (!isCounted) continue
      for (const [index, weight] of weights.entries()) {
        const effect = values[index] ?? 0
        const of = effect > 0 ? helps : harms
        if (effect !== 0) of[edit] = (of[edit] ?? 0) + weight / sweeps
        means[edit] = (means[edit] ?? 0) + (weight * effect) / sweeps
      }
    }
    priors = priorsFrom(effects)
    if (isCounted) share += sum(priors.slice(1, 1 + sizes.length)) / sweeps
  }
  const odds = (1 - share) / share
  return effects.map((_, edit) => {
    const value = Math.min(0.9999, helps[edit] ?? 0)
    const ratio = (value / (1 - value)) * odds
    return { helps: value, harms: harms[edit] ?? 0, ratio, effect: means[edit] ?? 0 }
  })

  /** Updates the residuals after the effect of one edit changed. */
  function shift(edit: number, change: number): void {
    for (let other = 0; other < size; other++)
      left[other] = (left[other] ?? 0) - (precision[other * size + edit] ?? 0) * change
  }
}

function posterior(priors: readonly number[], evidence: number, precision: number): readonly number[] {
  const logs = values.map(
    (value, index) => Math.log(priors[index] ?? 0) + value * (evidence - (precision * value) / 2),
  )
  const highest = Math.max(...logs)
  const weights = logs.map(log => Math.exp(log - highest))
  const total = sum(weights)
  return weights.map(weight => weight / total)
}

/** Prior probability of each possible value, given the values that all edits have now. */
function priorsFrom(effects: readonly number[]): readonly number[] {
  const counts = [shareCounts.nothing, shareCounts.helps, shareCounts.harms]
  const bySize = [...sizeCounts]
  for (const effect of effects) {
    const kind = effect === 0 ? 0 : effect > 0 ? 1 : 2
    counts[kind] = (counts[kind] ?? 0) + 1
    const size = sizes.indexOf(Math.abs(effect))
    if (size >= 0) bySize[size] = (bySize[size] ?? 0) + 1
  }
  const [nothing, helps, harms] = counts.map(count => count / sum(counts))
  const shares = bySize.map(count => count / sum(bySize))
  return [nothing ?? 0, ...shares.map(one => one * (helps ?? 0)), ...shares.map(one => one * (harms ?? 0))]
}

function nearest(effect: number): number {
  return values.reduce(
    (best, value) => (Math.abs(value - effect) < Math.abs(best - effect) ? value : best),
    0,
  )
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
