import { type Interval, scoreInterval } from '../src/core/statistics/intervals.js'

/** 95% confidence interval of a mean of differences, each in -1..1. */
export function differenceInterval(differences: readonly number[]): Interval {
  const { mean, low, high } = scoreInterval(differences.map(difference => (difference + 1) / 2))
  return { mean: 2 * mean - 1, low: 2 * low - 1, high: 2 * high - 1 }
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
export const mean = (values: readonly number[]): number => sum(values) / values.length

/** The smallest value that is at least as large as this share of the values; 0 for an empty list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

export const points = (value: number): string => (100 * value).toFixed(1)
export const signed = (value: number): string => `${value < 0 ? '−' : '+'}${points(Math.abs(value))}`
export const range = ({ low, high }: Interval, show: (value: number) => string): string =>
  `${show(low)} to ${show(high)}`
