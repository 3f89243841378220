import type { ModelReply } from '../ports/model.js'
import type { Usage } from './task.js'

/** Upper limit for plausible token counts: no context window is larger. */
const largestContext = 10_000_000
const timesTheReservation = 100
const largestCost = 1_000_000

/**
 * A token count is a non-negative integer: a fraction, a negative number or NaN is an accounting error of
 * the provider.
 */
export function isTokenCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Maximum usage of one call, as reserved against the caps. */
interface Most {
  readonly input: number
  readonly output: number
}

/**
 * Keeps only plausible figures of a provider. Other figures become unknown and are charged at the reserved
 * amount. Input and output are each kept or dropped as a whole: if a part of the input is not a valid count,
 * its total is not either.
 */
export function credibleUsage(usage: Usage, most: Most, reply: { readonly isEmpty: boolean }): Usage {
  const { input, output, cachedInput, cacheWrite, reasoning } = usage
  // Gateways that do not count report 0, but no prompt is empty, and a reply with text took tokens.
  const inputHolds = input !== 0 && [input, cachedInput, cacheWrite].every(isAtMost(most.input))
  const outputHolds = (output !== 0 || reply.isEmpty) && [output, reasoning].every(isAtMost(most.output))
  // Cached parts that sum to more than the total would make the call too cheap.
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

/** A cost of zero is possible, a negative one is not. */
export function credibleCost(cost: number | undefined): number | undefined {
  return cost !== undefined && cost >= 0 && cost <= largestCost ? cost : undefined
}

/** Keeps a provider's token counts and cost only if they are plausible, because caps depend on them. */
export function credibleReply(reply: ModelReply, reserved: Most): ModelReply {
  const isEmpty = reply.text === '' && (reply.toolCalls ?? []).length === 0
  const usage = credibleUsage(reply.usage, reserved, { isEmpty })
  const cost = credibleCost(reply.cost)
  if (usage === reply.usage && cost === reply.cost) return reply
  const { cost: _, ...rest } = reply
  return { ...rest, usage, cost }
}
