import type { Usage } from '../../../core/task/task.js'
import { isTokenCount } from '../../../core/task/usage.js'

const counts = ['input', 'output', 'cachedInput', 'cacheWrite', 'reasoning'] as const

/**
 * A figure is unknown in the sum only if both sides lack it. An invalid count makes the sum NaN, which no
 * reader accepts as a count; a negative one must not reduce the total.
 */
export function addUsage(sum: Usage, more: Usage): Usage {
  const entries = counts.flatMap(name => {
    const known = [sum[name], more[name]].filter(value => value !== undefined)
    return known.length === 0
      ? []
      : [[name, known.reduce((total, value) => total + (isTokenCount(value) ? value : Number.NaN), 0)]]
  })
  return Object.fromEntries(entries)
}

/** Agents print 0 for models whose price they do not know. */
export function knownCost(cost: number): { cost?: number } {
  return cost === 0 ? {} : { cost }
}
