import type { Usage } from '../../../core/task.js'

const counts = ['input', 'output', 'cachedInput', 'cacheWrite', 'reasoning'] as const

/** What one of them does not say is unknown in the sum only if the other does not say it either. */
export function addUsage(sum: Usage, more: Usage): Usage {
  const entries = counts.flatMap(name => {
    const known = [sum[name], more[name]].filter(value => value !== undefined)
    return known.length === 0 ? [] : [[name, known.reduce((total, value) => total + value, 0)]]
  })
  return Object.fromEntries(entries)
}

/** Agents print 0 for models whose price they do not know. */
export function knownCost(cost: number): { cost?: number } {
  return cost === 0 ? {} : { cost }
}
