/**
 * Predicts the next attempt at a task from earlier ones under the same skill. Each task has its own pass
 * probability. These follow a Beta distribution, whose width is estimated from tasks that were tried twice.
 * Scores between 0 and 1 count as probabilities, which overstates their noise and is therefore conservative.
 */
export interface NoiseModel {
  /** Prior pseudo-counts of passes and failures for each task. */
  readonly passes: number
  readonly failures: number
}

/**
 * Fits the noise model; `samples` has the scores of each task. If no task was repeated, the target is assumed
 * to be maximally noisy.
 */
export function fitNoise(samples: readonly (readonly number[])[]): NoiseModel {
  let sum = 0
  let count = 0
  let disagreement = 0
  let repeats = 0
  for (const scores of samples) {
    for (const score of scores) sum += score
    count += scores.length
    const [first, second] = scores
    if (first === undefined || second === undefined) continue
    disagreement += (first - second) ** 2
    repeats += 1
  }
  // Adds half an observation, because a few tasks whose attempts agree do not prove that attempts always
  // agree.
  const mean = (sum + 0.5) / (count + 1)
  const disagreeing = (disagreement + 0.4) / (repeats + 0.8)
  const share = Math.min(0.95, disagreeing / (2 * mean * (1 - mean)))
  const strength = share / (1 - share)
  return { passes: mean * strength, failures: (1 - mean) * strength }
}

/** Probability that the next attempt at a task passes, given its earlier attempts. Never exactly 0 or 1. */
export function expectedScore({ passes, failures }: NoiseModel, scores: readonly number[]): number {
  const sum = scores.reduce((total, score) => total + score, 0)
  const chance = (passes + sum) / (passes + failures + scores.length)
  return Math.min(0.995, Math.max(0.005, chance))
}

/** Poisson binomial distribution: the probabilities of 0, 1, 2, … passes of independent attempts. */
export function poissonBinomialPmf(chances: readonly number[]): readonly number[] {
  let distribution = [1]
  for (const chance of chances) {
    const next = new Array<number>(distribution.length + 1).fill(0)
    for (const [passes, probability] of distribution.entries()) {
      next[passes] = (next[passes] ?? 0) + probability * (1 - chance)
      next[passes + 1] = (next[passes + 1] ?? 0) + probability * chance
    }
    distribution = next
  }
  return distribution
}

/** Probability that the first group's passes plus `weight` times the second's are at least `total`. */
export function weightedTailProbability(
  first: readonly number[],
  second: readonly number[],
  { weight, total }: { readonly weight: number; readonly total: number },
): number {
  const atLeast = new Array<number>(first.length + 1).fill(0)
  for (let passes = first.length - 1; passes >= 0; passes -= 1)
    atLeast[passes] = (atLeast[passes + 1] ?? 0) + (first[passes] ?? 0)
  let chance = 0
  for (const [passes, probability] of second.entries()) {
    // Sums of fractions that should be equal may differ in the last bit, hence the tolerance.
    const needed = Math.max(0, Math.ceil(total - weight * passes - 1e-9))
    chance += probability * (atLeast[needed] ?? 0)
  }
  return chance
}

/**
 * One-sided p-value of a permutation test: the probability that the candidate gets at least this many of the
 * passes if both skills are equal, so that the passes of each task are split between them by chance.
 */
export function permutationPValue(
  tasks: readonly { readonly candidate: number; readonly current: number; readonly each: number }[],
): number {
  const observed = tasks.reduce((sum, { candidate }) => sum + candidate, 0)
  let distribution: readonly number[] = [1]
  for (const { candidate, current, each } of tasks) {
    const passes = candidate + current
    const ways = binomial(2 * each, passes)
    const own = Array.from({ length: each + 1 }, (_, share) =>
      share > passes || passes - share > each
        ? 0
        : (binomial(each, share) * binomial(each, passes - share)) / ways,
    )
    distribution = convolve(distribution, own)
  }
  return distribution.slice(observed).reduce((sum, probability) => sum + probability, 0)
}

function convolve(one: readonly number[], other: readonly number[]): number[] {
  const sum = new Array<number>(one.length + other.length - 1).fill(0)
  for (const [i, left] of one.entries())
    for (const [j, right] of other.entries()) sum[i + j] = (sum[i + j] ?? 0) + left * right
  return sum
}

function binomial(n: number, k: number): number {
  let ways = 1
  for (let i = 1; i <= k; i += 1) ways = (ways * (n - k + i)) / i
  return ways
}
