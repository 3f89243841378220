/** Statistical power of a number of tasks. docs/how-many-tasks.md and several commands show these figures. */

/** The two-sided 95% critical value and the 80% quantile of the normal distribution. */
const confidence95 = 1.959963984540054
const power80 = 0.8416212335729143
const reach = (confidence95 + power80) ** 2

/** Share of tasks that a better skill is assumed to lose, while it wins more others. */
const lostShare = 0.05

/**
 * Probability that a gate that requires a higher mean accepts a candidate, given the true solve rates of both
 * skills. Assumes the worst case: every attempt is an independent draw.
 */
export function acceptProbability(tasks: number, current: number, candidate: number): number {
  const currentSolves = binomialPmf(tasks, current)
  let below = 0
  let accepted = 0
  for (const [solved, chance] of binomialPmf(tasks, candidate).entries()) {
    accepted += chance * below
    below += currentSolves[solved] ?? 0
  }
  return accepted
}

/** Number of tasks needed to detect a true gain in a paired comparison, at 95% confidence and 80% power. */
export function tasksToDetectGain(gain: number): number {
  return tasksToDetect({ gain, changedShare: gain + 2 * lostShare })
}

/** Number of tasks needed to detect a true gain, if the share of tasks that change is known. */
export function tasksToDetect({
  gain,
  changedShare,
}: {
  readonly gain: number
  readonly changedShare: number
}): number {
  return Math.ceil((reach * (Math.max(gain, changedShare) - gain ** 2)) / gain ** 2)
}

/** Minimum detectable gain for this many tasks, at most 1: `tasksToDetectGain` solved for the gain. */
export function minimumDetectableGain(tasks: number): number {
  const spread = tasks + reach
  return Math.min(1, (reach + Math.sqrt(reach ** 2 + 8 * lostShare * reach * spread)) / (2 * spread))
}

/** Binomial probabilities of 0, 1, …, `count` successes; `share` is strictly between 0 and 1. */
function binomialPmf(count: number, share: number): number[] {
  // Uses logarithms, because with a few thousand tasks the first probability underflows.
  let logarithm = count * Math.log(1 - share)
  const chances = [Math.exp(logarithm)]
  for (let solved = 1; solved <= count; solved++) {
    logarithm += Math.log((count - solved + 1) / solved) + Math.log(share / (1 - share))
    chances.push(Math.exp(logarithm))
  }
  return chances
}
