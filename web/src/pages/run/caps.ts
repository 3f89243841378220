import type { RunView } from '../../../../src/core/view/run-view.js'
import { elapsed, timeLeft } from '../../../../src/core/view/time-left.js'
import { count, duration, money } from '../../parts/format.js'

export interface Cap {
  readonly name: string
  readonly used: number
  readonly limit: number
  readonly text: (value: number) => string
}

const names: Readonly<
  Record<string, Pick<Cap, 'name' | 'text'> & { used: (view: RunView, now: number) => number }>
> = {
  maxCost: {
    name: 'Money',
    text: money,
    used: ({ spending }) => spending.total.cost + spending.total.perhaps.cost,
  },
  maxCalls: { name: 'Calls', text: count, used: ({ spending }) => spending.total.tries },
  maxTokens: {
    name: 'Tokens',
    text: count,
    used: ({ spending: { total } }) =>
      total.input + total.output + total.perhaps.input + total.perhaps.output,
  },
  maxTime: {
    name: 'Time',
    text: minutes => duration(minutes * 60_000),
    used: (view, now) => elapsed(view, now) / 60_000,
  },
}

/** The configured caps and how much of each is used. */
export function capsOf(view: RunView, now: number): Cap[] {
  return Object.entries(view.limits).flatMap(([key, limit]) => {
    const known = names[key]
    return known === undefined
      ? []
      : [{ name: known.name, text: known.text, limit, used: known.used(view, now) }]
  })
}

/** Projected total cost at the current rate; undefined while the remaining time is unknown. */
export function costAtEnd(view: RunView, now: number): number | undefined {
  const left = timeLeft(view, now)
  const { cost, unknownCost, calls } = view.spending.total
  if (left === undefined || cost === 0 || unknownCost === calls) return undefined
  return cost * (1 + left / Math.max(1, elapsed(view, now)))
}
