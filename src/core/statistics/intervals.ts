import { signFlipPValue } from './exact-sign-flip.js'

export interface Interval {
  readonly mean: number
  readonly low: number
  readonly high: number
}

/** Two-sided 95% critical value of the normal distribution. */
const z95 = 1.959963984540054

/**
 * Wilson score interval for a mean of values in 0..1. For 0/1 scores it is the usual interval of a
 * proportion. For fractions it is conservative, because no values in 0..1 vary more around their mean than
 * zeros and ones do. It never has width zero, so ten successes out of ten do not read as certainty.
 */
export function wilsonInterval(mean: number, count: number): Interval {
  if (count === 0) return { mean: 0.5, low: 0, high: 1 }
  const scale = 1 + z95 ** 2 / count
  const centre = (mean + z95 ** 2 / (2 * count)) / scale
  const reach = (z95 / scale) * Math.sqrt((mean * (1 - mean)) / count + z95 ** 2 / (4 * count ** 2))
  return {
    mean,
    low: clamp(Math.min(centre - reach, mean), 0, 1),
    high: clamp(Math.max(centre + reach, mean), 0, 1),
  }
}

/**
 * 95% confidence interval of a mean score. 0/1 scores use Wilson; fractional scores use Student's t, clipped
 * to 0 and 1. With fewer than two fractional scores, or if all are equal, their spread is uninformative and
 * Wilson is used too. Without any scores it is the whole range with its middle as the mean, so callers should
 * show "none scored".
 */
export function scoreInterval(scores: readonly number[]): Interval {
  const count = scores.length
  const mean = average(scores)
  const variance = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / (count - 1)
  const binary = scores.every(score => score === 0 || score === 1)
  if (binary || count < 2 || variance === 0) return wilsonInterval(mean, count)
  const reach = tQuantile95(count - 1) * Math.sqrt(variance / count)
  return { mean, low: clamp(mean - reach, 0, 1), high: clamp(mean + reach, 0, 1) }
}

/**
 * 95% confidence interval of the mean of `candidate - current` over the same tasks. It is computed from the
 * pairs plus half a win, half a loss and one tie (the Agresti-Min adjustment), which also works for
 * fractional scores and keeps a handful of ties from looking like proof of equality.
 * The adjusted interval alone would exclude zero on one side in up to 3.7% of comparisons in which nothing
 * changed, so it may exclude zero only if the exact sign-flip test agrees. With several comparisons, each
 * interval is widened so that all hold simultaneously (Bonferroni).
 */
export function pairedDifference(
  pairs: readonly { current: number; candidate: number }[],
  comparisons = 1,
): Interval {
  if (pairs.length === 0) return { mean: 0, low: -1, high: 1 }
  const differences = pairs.map(pair => pair.candidate - pair.current)
  const mean = average(differences)
  const count = pairs.length + 2
  const centre = (mean * pairs.length) / count
  const squares = differences.reduce((sum, difference) => sum + difference ** 2, 1)
  const reach = zOf(comparisons) * Math.sqrt(Math.max(0, squares / count - centre ** 2) / count)
  const low = clamp(Math.min(centre - reach, mean), -1, 1)
  const high = clamp(Math.max(centre + reach, mean), -1, 1)
  const alpha = 0.025 / Math.max(1, comparisons)
  if (low > 0 && !isBeyondChance(differences, alpha)) return { mean, low: 0, high }
  if (high < 0 && !isBeyondChance(differences.map(negated), alpha)) return { mean, low, high: 0 }
  return { mean, low, high }
}

const negated = (value: number): number => -value

/** From this many changed tasks on, the normal approximation is as good as the exact test, and faster. */
const manyChanges = 400

function isBeyondChance(differences: readonly number[], alpha: number): boolean {
  const changed = differences.filter(value => value !== 0)
  return changed.length > manyChanges || signFlipPValue(changed) <= alpha
}

/**
 * Two-sided critical value of the normal distribution at confidence `1 - 0.05 / comparisons`, accurate to
 * three digits.
 */
function zOf(comparisons: number): number {
  return comparisons <= 1 ? z95 : normalQuantile(1 - 0.025 / comparisons)
}

/** Quantile of the normal distribution, for probabilities of at least one half; accurate to three digits. */
export function normalQuantile(probability: number): number {
  // Formula 26.2.23 of Abramowitz and Stegun.
  const t = Math.sqrt(-2 * Math.log(1 - probability))
  const above = 2.515517 + 0.802853 * t + 0.010328 * t ** 2
  const below = 1 + 1.432788 * t + 0.189269 * t ** 2 + 0.001308 * t ** 3
  return t - above / below
}

function average(values: readonly number[]): number {
  return values.length === 0 ? 0.5 : values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * 97.5% quantile of Student's t: exact for one and two degrees of freedom, otherwise a Cornish-Fisher
 * expansion, accurate to three digits.
 */
function tQuantile95(freedom: number): number {
  if (freedom === 1) return 12.706204736
  if (freedom === 2) return 4.30265273
  const z = z95
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160,
  ]
  return terms.reduce((sum, term, index) => sum + term / freedom ** (index + 1), z)
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}

/** Cumulative normal distribution, with an error below 1.5e-7 (Abramowitz and Stegun, 7.1.26). */
export function normalCdf(value: number): number {
  const scaled = Math.abs(value) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * scaled)
  const polynomial =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  const tail = 0.5 * polynomial * Math.exp(-scaled * scaled)
  return value >= 0 ? 1 - tail : tail
}

export type Direction = 'positive' | 'probably-positive' | 'unclear' | 'probably-negative' | 'negative'

/** 80% quantile of the normal distribution, in units of a 95% interval's half-width. */
const probably = 0.8416 / 1.96

/**
 * The sign that a 95% interval supports: certain if the interval excludes zero, probable if the sign is at
 * least 80% likely. The wider half of the interval counts, because the other may be clipped.
 */
export function directionOf({ mean, low, high }: Interval): Direction {
  if (low > 0) return 'positive'
  if (high < 0) return 'negative'
  const halfWidths = mean / Math.max(high - mean, mean - low)
  if (halfWidths >= probably) return 'probably-positive'
  return halfWidths <= -probably ? 'probably-negative' : 'unclear'
}
