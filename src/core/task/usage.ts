import type { ModelReply } from '../ports/model.js'
import type { Usage } from './task.js'

/** No context window in use holds more than this many tokens. */
const largestContext = 10_000_000
const timesTheReservation = 100
const largestCost = 1_000_000

/** Tokens are counted: a fraction, a negative number or NaN is a fault in the provider's accounting. */
export function isTokenCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** The most that one call can use, as reserved against the caps. */
interface Most {
  readonly input: number
  readonly output: number
}

/**
 * The figures of a provider that can be true. The others are left out and so unknown, which is charged at the
 * reservation. Sides stand or fall together: where a part of the input is no count, neither is the sum that holds it.
 */
export function credibleUsage(usage: Usage, most: Most, said: { readonly isEmpty: boolean }): Usage {
  const { input, output, cachedInput, cacheWrite, reasoning } = usage
  // Gateways that do not count say 0; no prompt is empty, and a reply that was written took tokens.
  const isCounted = (value: number | undefined) => value !== 0 || said.isEmpty
  const inputHolds = isCounted(input) && [input, cachedInput, cacheWrite].every(isAtMost(most.input))
  const outputHolds = isCounted(output) && [output, reasoning].every(isAtMost(most.output))
  // Parts that add up to more than the whole would lower its price.
  const partsFit = input === undefined || (cachedInput ?? 0) + (cacheWrite ?? 0) <= input
  if (inputHolds && outputHolds && partsFit) return usage
  return {
    ...(inputHolds && input !== undefined ? { input } : {}),
    ...(inputHolds && partsFit ? { cachedInput, cacheWrite } : {}),
    ...(outputHolds ? { output, reasoning } : {}),
  }
}

function isAtMost(reserved: number): (value: number | undefined) => boolean {
  const most = Math.max(largestContext, timesTheReservation * reserved)
  return value => value === undefined || (isTokenCount(value) && value <= most)
}

/** A bill of nothing is possible, one below it is not. */
export function credibleCost(cost: number | undefined): number | undefined {
  return cost !== undefined && cost >= 0 && cost <= largestCost ? cost : undefined
}

/** What a provider says of tokens and cost counts only if it can be true: caps are kept by these figures. */
export function credibleReply(reply: ModelReply, reserved: Most): ModelReply {
  const isEmpty = reply.text === '' && (reply.toolCalls ?? []).length === 0
  const usage = credibleUsage(reply.usage, reserved, { isEmpty })
  const cost = credibleCost(reply.cost)
  if (usage === reply.usage && cost === reply.cost) return reply
  const { cost: _, ...rest } = reply
  return { ...rest, usage, ...(cost === undefined ? {} : { cost }) }
}
