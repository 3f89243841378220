export interface Interval {
  readonly mean: number
  readonly low: number
  readonly high: number
}

export type Direction = 'positive' | 'probably-positive' | 'unclear' | 'probably-negative' | 'negative'

/** 80% quantile of the normal distribution, in units of a 95% interval's half-width. */
const probably = 0.8416 / 1.96

/**
 * The sign that a 95% interval supports: certain if the interval excludes zero, probable if the sign is at
 * least 80% likely. The wider half counts, because the other may be clipped at the largest possible effect.
 */
export function directionOf({ mean, low, high }: Interval): Direction {
  if (low > 0) return 'positive'
  if (high < 0) return 'negative'
  const halfWidths = mean / Math.max(high - mean, mean - low)
  if (halfWidths >= probably) return 'probably-positive'
  return halfWidths <= -probably ? 'probably-negative' : 'unclear'
}
