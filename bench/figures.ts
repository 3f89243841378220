import type { Interval } from '../src/core/ports.js'
import { scoreInterval } from '../src/core/statistics.js'

/** 95% interval of a mean of differences, each in -1..1. */
export function differenceInterval(differences: readonly number[]): Interval {
  const { mean, low, high } = scoreInterval(differences.map(difference => (difference + 1) / 2))
  return { mean: 2 * mean - 1, low: 2 * low - 1, high: 2 * high - 1 }
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
export const mean = (values: readonly number[]): number => sum(values) / values.length

export const points = (value: number): string => (100 * value).toFixed(1)
export const signed = (value: number): string => `${value < 0 ? '−' : '+'}${points(Math.abs(value))}`
export const range = ({ low, high }: Interval, show: (value: number) => string): string =>
  `${show(low)} to ${show(high)}`
