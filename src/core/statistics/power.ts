/** What a number of tasks can tell: the figures of docs/how-many-tasks.md, and of the commands that speak of them. */

/** The two-sided 95% point of the normal distribution, and the point below which 80% of it lie. */
const confidence95 = 1.959963984540054
const power80 = 0.8416212335729143
const reach = (confidence95 + power80) ** 2

/** The share of tasks that a better skill is assumed to lose while it wins others. */
const lostOnTheWay = 0.05

/**
 * How often a gate that wants a higher mean accepts a candidate, by how much the two skills truly solve, if every
 * attempt is an independent draw: the worst case.
 */
export function acceptanceChance(tasks: number, current: number, candidate: number): number {
  const currentSolves = binomial(tasks, current)
  let below = 0
  let accepted = 0
  for (const [solved, chance] of binomial(tasks, candidate).entries()) {
    accepted += chance * below
    below += currentSolves[solved] ?? 0
  }
  return accepted
}

/** Tasks that are needed to tell a true gain from none on the same tasks, at 95% confidence and with 80% power. */
export function tasksToSeeGain(gain: number): number {
  return Math.ceil((reach * (gain + 2 * lostOnTheWay - gain ** 2)) / gain ** 2)
}

/** The smallest gain for which so many tasks are enough: `tasksToSeeGain` solved for the gain. At most 1. */
export function visibleGain(tasks: number): number {
  const spread = tasks + reach
  return Math.min(1, (reach + Math.sqrt(reach ** 2 + 8 * lostOnTheWay * reach * spread)) / (2 * spread))
}

/** The chances of 0, 1, …, `count` successes; `share` lies between 0 and 1, both left out. */
function binomial(count: number, share: number): number[] {
  // Logarithms, because the first of these chances is too small for a number from a few thousand tasks on.
  let logarithm = count * Math.log(1 - share)
  const chances = [Math.exp(logarithm)]
  for (let solved = 1; solved <= count; solved++) {
    logarithm += Math.log((count - solved + 1) / solved) + Math.log(share / (1 - share))
    chances.push(Math.exp(logarithm))
  }
  return chances
}
