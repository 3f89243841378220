import type { LaunchForecast } from '../../../../src/dashboard/contract/launch.js'
import { count, money } from '../../parts/format.js'

export interface SuggestedCap {
  readonly path: string
  readonly value: string
  readonly text: string
}

/**
 * Suggests a cap: the upper bound of the forecast cost, rounded up. If the cost is unknown, the cap limits
 * calls. Undefined if cost or calls are already capped.
 */
export function suggestedCap(
  { total: { cost, calls } }: Pick<LaunchForecast, 'total'>,
  isSet: (path: string) => boolean,
): SuggestedCap | undefined {
  if (isSet('limits.maxCost') || isSet('limits.maxCalls')) return undefined
  if (cost !== undefined && cost.high > 0) {
    const dollars = roundedUp(cost.high, 0.01)
    return { path: 'limits.maxCost', value: String(dollars), text: money(dollars) }
  }
  const most = roundedUp(calls.high, 1)
  return { path: 'limits.maxCalls', value: String(most), text: `${count(most)} calls` }
}

/** Rounds up to two significant digits, no finer than `unit`. */
function roundedUp(value: number, unit: number): number {
  const step = Math.max(unit, 10 ** (Math.floor(Math.log10(Math.max(value, unit))) - 1))
  return Number((Math.ceil(value / step - 1e-9) * step).toFixed(2))
}
