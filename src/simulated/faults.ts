import type { ChatError } from './chat.js'
import { uniformOf } from './random.js'

const faultKinds = [
  'rate-limit',
  'server-error',
  'cut',
  'garbage',
  'silence',
  'unauthorized',
  'quota',
  'model-not-found',
] as const

export type FaultKind = (typeof faultKinds)[number]

/** Share of requests with each fault, from 0 to 1. The seed and a request's number decide its fault. */
export interface FaultShares extends Partial<Readonly<Record<FaultKind, number>>> {
  readonly seed?: number
  /** Seconds in the Retry-After header of the fault `rate-limit`; 1 by default. */
  readonly retryAfterSeconds?: number
}

/** Chooses the fault of a request by its number, from 1; undefined for none. */
type FaultFunction = (requestNumber: number) => FaultKind | undefined

export type FaultPlan = FaultShares | FaultFunction

export function faultFor(plan: FaultPlan | undefined, requestNumber: number): FaultKind | undefined {
  if (plan === undefined) return undefined
  if (typeof plan === 'function') return plan(requestNumber)
  let remaining = uniformOf(plan.seed ?? 0, requestNumber)
  for (const kind of faultKinds) {
    remaining -= plan[kind] ?? 0
    if (remaining < 0) return kind
  }
  return undefined
}

/** Rejects shares outside 0 to 1, or above 1 in total, before the first request arrives. */
export function checkFaultPlan(plan: FaultPlan | undefined): void {
  if (plan === undefined || typeof plan === 'function') return
  let total = 0
  for (const [key, value] of Object.entries(plan)) {
    if (key === 'seed' || key === 'retryAfterSeconds') continue
    if (!faultKinds.some(kind => kind === key)) {
      throw new Error(`loopback server: unknown fault "${key}"; known faults are ${faultKinds.join(', ')}`)
    }
    if (!(value >= 0 && value <= 1)) {
      throw new Error(`loopback server: the share of fault "${key}" must be between 0 and 1, not ${value}`)
    }
    total += value
  }
  if (total > 1 + 1e-9)
    throw new Error(`loopback server: the shares of faults add up to ${total}, more than 1`)
}

/**
 * The reply for a fault that is an HTTP response. The faults `cut`, `garbage` and `silence` affect the
 * connection instead and are handled by the server.
 */
export function faultReply(
  kind: FaultKind,
  plan: FaultPlan | undefined,
  model: string,
): ChatError | undefined {
  switch (kind) {
    case 'rate-limit': {
      const seconds = typeof plan === 'object' ? (plan.retryAfterSeconds ?? 1) : 1
      return {
        status: 429,
        message: 'Rate limit reached, try again later',
        code: 'rate_limit_exceeded',
        headers: { 'retry-after': String(seconds) },
      }
    }
    case 'server-error':
      return { status: 500, message: 'The server had an error while processing the request' }
    case 'unauthorized':
      return wrongKey
    case 'quota':
      return { status: 429, message: 'The quota of this account is used up', code: 'insufficient_quota' }
    case 'model-not-found':
      return { status: 404, message: `The model "${model}" does not exist`, code: 'model_not_found' }
    default:
      return undefined
  }
}

export const wrongKey: ChatError = {
  status: 401,
  message: 'Incorrect API key provided',
  code: 'invalid_api_key',
}

export type Latency =
  | { readonly kind: 'none' }
  | { readonly kind: 'fixed'; readonly milliseconds: number }
  | {
      readonly kind: 'lognormal'
      readonly medianMilliseconds: number
      /** Standard deviation of the logarithm of the latency: 0.5 is mild, 1 has a long tail. */
      readonly sigma: number
      readonly seed?: number
    }

/** Milliseconds until the first byte of the reply to a request. */
export function latencyFor(latency: Latency, requestNumber: number): number {
  if (latency.kind === 'none') return 0
  if (latency.kind === 'fixed') return latency.milliseconds
  const seed = latency.seed ?? 0
  // The Box-Muller method turns two uniform numbers into a normal one. Using 1 - u keeps the logarithm
  // finite.
  const radius = Math.sqrt(-2 * Math.log(1 - uniformOf(seed, 2 * requestNumber)))
  const normal = radius * Math.cos(2 * Math.PI * uniformOf(seed, 2 * requestNumber + 1))
  return latency.medianMilliseconds * Math.exp(latency.sigma * normal)
}
