/**
 * Grid steps per point of score. Differences of means over up to six, eight, nine, ten or twelve 0/1 attempts
 * are exact; others are rounded by at most 0.14 points.
 */
const gridSteps = 360

/**
 * One-sided p-value of the sign-flip test: the probability of at least this sum of differences if the sign of
 * each were random. For 0/1 scores this is the exact sign test.
 */
export function signFlipPValue(differences: readonly number[]): number {
  const steps = differences.map(value => Math.round(value * gridSteps))
  const sizes = steps.map(Math.abs).filter(size => size > 0)
  const unit = sizes.reduce(greatestCommonDivisor, 0)
  if (unit === 0) return 1
  const observed = steps.reduce((sum, step) => sum + step, 0) / unit
  // Index i holds the probability that the sum is 2i below its maximum: every flip lowers it by an even number.
  let below = new Float64Array([1])
  for (const size of sizes) {
    const lowered = size / unit
    const next = new Float64Array(below.length + lowered)
    for (const [index, chance] of below.entries()) {
      next[index] = (next[index] ?? 0) + chance / 2
      next[index + lowered] = (next[index + lowered] ?? 0) + chance / 2
    }
    below = next
  }
  const largest = sizes.reduce((sum, size) => sum + size, 0) / unit
  const reached = Math.floor((largest - observed) / 2)
  let chance = 0
  for (let index = 0; index <= reached; index += 1) chance += below[index] ?? 0
  return Math.min(1, chance)
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other)
}
