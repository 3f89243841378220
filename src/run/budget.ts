import type { Config } from '../core/config/config.js'
import { type CapName, CapReachedError, InputError } from '../core/errors/errors.js'
import type { Reservation } from '../core/log/event.js'
import type { FileSupport, Model, ModelRequest, Price, Role } from '../core/ports/model.js'
import { mostTokensOf } from '../core/task/file-limits.js'
import type { Message, Usage } from '../core/task/task.js'
import { minuteText } from '../core/view/figures.js'
import { nothingSpent, type Spent } from './spending.js'

export type Limits = Config['limits']

const flags: Record<CapName, string> = {
  maxCalls: '--max-calls',
  maxTokens: '--max-tokens',
  maxCost: '--max-cost',
  maxTime: '--max-time',
}

/** Maximum delay of setTimeout. A later deadline takes several timers. */
const longestTimer = 2 ** 31 - 1

/** One call's share of the budget. It is settled once; further settlements are ignored. */
export interface Lease {
  readonly reserved: Reservation
  /** Charges the reported usage. A figure that the provider did not report is charged as reserved. */
  settle(usage: Usage, cost: number | undefined): void
  /** Charges the full reservation: no reply arrived, but the call may have cost something. */
  chargeWhole(): void
  /** Charges the call but no tokens or cost, because the provider did no work. */
  chargeCallOnly(): void
  /** Releases the reservation: the call was never made. */
  cancel(): void
  /** Marks a call that might have been cancelled as certain to be made. */
  confirm(): void
}

interface Waiter {
  readonly reservation: Reservation
  readonly isSure: boolean
  readonly signal: AbortSignal
  resolve(lease: Lease): void
  reject(error: unknown): void
}

/**
 * Hard caps. The maximum that a call can use is reserved before it is made, so that no cap is exceeded,
 * whatever happens. A call that fits only if others use less than they reserved waits for them, in order.
 */
export class Budget {
  readonly #limits: Limits
  readonly #startedAt = performance.now()
  readonly #activeMsBefore: number
  readonly #deadline = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #calls: number
  #tokens: number
  #cost: number
  #outstanding = 0
  /** The outstanding calls that may still be cancelled. */
  #unsure = 0
  #reservedTokens = 0
  #reservedCost = 0
  #waiters: Waiter[] = []

  constructor(limits: Limits, spent: Spent = nothingSpent) {
    this.#limits = limits
    this.#calls = spent.calls
    this.#tokens = spent.tokens
    this.#cost = spent.cost
    this.#activeMsBefore = spent.activeMs
    this.#armDeadline()
  }

  /** Aborted with a CapReachedError as the reason when the run's time is used up. */
  get deadline(): AbortSignal {
    return this.#deadline.signal
  }

  /** Usage counted against the caps so far, without calls in flight. */
  get spent(): Spent {
    const activeMs = this.#activeMsBefore + performance.now() - this.#startedAt
    return { calls: this.#calls, tokens: this.#tokens, cost: this.#cost, activeMs }
  }

  /**
   * Reserves the budget of a call. A call that is not `isSure` may be cancelled; calls that would otherwise
   * be refused wait until that is known.
   */
  async reserve(
    reservation: Reservation,
    signal: AbortSignal,
    { isSure = true }: { readonly isSure?: boolean } = {},
  ): Promise<Lease> {
    signal.throwIfAborted()
    this.#deadline.signal.throwIfAborted()
    if (this.#limits.maxCost !== undefined && reservation.cost === undefined)
      throw unknownPrice('a model in use')
    if (this.#waiters.length === 0) {
      const lease = this.#tryReserve(reservation, isSure)
      if (lease !== undefined) return lease
    }
    return this.#waitInLine(reservation, signal, isSure)
  }

  /** Stops the clock of `maxTime`. */
  close(): void {
    clearTimeout(this.#timer)
  }

  #waitInLine(reservation: Reservation, signal: AbortSignal, isSure: boolean): Promise<Lease> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        reservation,
        isSure,
        signal,
        resolve: lease => {
          signal.removeEventListener('abort', leave)
          resolve(lease)
        },
        reject: error => {
          signal.removeEventListener('abort', leave)
          reject(error)
        },
      }
      const leave = () => {
        this.#waiters = this.#waiters.filter(other => other !== waiter)
        reject(signal.reason)
        // The call that leaves may have blocked smaller calls behind it.
        this.#serveWaiters()
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiters.push(waiter)
    })
  }

  /** Returns a lease; undefined if the calls in flight may leave enough. Throws if they cannot. */
  #tryReserve(reservation: Reservation, isSure: boolean): Lease | undefined {
    const { maxCalls, maxTokens, maxCost } = this.#limits
    const tokens = reservation.input + reservation.output
    const cost = reservation.cost ?? 0
    // A call in flight counts however it ends, so waiting for it would not help.
    if (maxCalls !== undefined && this.#calls + this.#outstanding - this.#unsure >= maxCalls)
      throw this.#reached('maxCalls', maxCalls)
    if (maxTokens !== undefined && this.#tokens + tokens > maxTokens) {
      throw this.#reached('maxTokens', maxTokens, tokens)
    }
    if (maxCost !== undefined && this.#cost + cost > maxCost) throw this.#reached('maxCost', maxCost, cost)
    if (maxCalls !== undefined && this.#calls + this.#outstanding >= maxCalls) return undefined
    if (maxTokens !== undefined && this.#tokens + this.#reservedTokens + tokens > maxTokens) return undefined
    if (maxCost !== undefined && this.#cost + this.#reservedCost + cost > maxCost) return undefined
    return this.#lease(reservation, { reservedTokens: tokens, reservedCost: cost, isSure })
  }

  #lease(
    reserved: Reservation,
    {
      reservedTokens,
      reservedCost,
      isSure,
    }: { readonly reservedTokens: number; readonly reservedCost: number; readonly isSure: boolean },
  ): Lease {
    this.#outstanding += 1
    let unsure = isSure ? 0 : 1
    this.#unsure += unsure
    const becomeSure = () => {
      this.#unsure -= unsure
      unsure = 0
    }
    this.#reservedTokens += reservedTokens
    this.#reservedCost += reservedCost
    let open = true
    const charge = (calls: number, tokens: number, cost: number) => {
      if (!open) return
      open = false
      becomeSure()
      this.#calls += calls
      this.#tokens += tokens
      this.#cost += cost
      this.#outstanding -= 1
      this.#reservedTokens -= reservedTokens
      // Sums of fractions drift; with nothing in flight, the exact value is 0.
      this.#reservedCost = this.#outstanding === 0 ? 0 : this.#reservedCost - reservedCost
      this.#serveWaiters()
    }
    return {
      reserved,
      settle: ({ input, output }, cost) =>
        charge(1, (input ?? reserved.input) + (output ?? reserved.output), cost ?? reservedCost),
      chargeWhole: () => charge(1, reservedTokens, reservedCost),
      chargeCallOnly: () => charge(1, 0, 0),
      cancel: () => charge(0, 0, 0),
      confirm: () => {
        if (unsure === 0) return
        becomeSure()
        this.#serveWaiters()
      },
    }
  }

  #serveWaiters(): void {
    for (let first = this.#waiters[0]; first !== undefined; first = this.#waiters[0]) {
      try {
        const lease = this.#tryReserve(first.reservation, first.isSure)
        if (lease === undefined) return
        this.#waiters.shift()
        first.resolve(lease)
      } catch (error) {
        this.#waiters.shift()
        first.reject(error)
      }
    }
  }

  #armDeadline(): void {
    const { maxTime } = this.#limits
    if (maxTime === undefined) return
    const left = maxTime * 60_000 - this.spent.activeMs
    if (left <= 0) {
      const error = this.#reached('maxTime', maxTime)
      this.#deadline.abort(error)
      for (const waiter of this.#waiters.splice(0)) waiter.reject(error)
      return
    }
    // Unreferenced, so that a finished run does not wait for its deadline.
    this.#timer = setTimeout(() => this.#armDeadline(), Math.min(left, longestTimer)).unref()
  }

  #reached(cap: CapName, limit: number, next = 0): CapReachedError {
    const sentences: Record<CapName, () => string> = {
      maxCalls: () => `The cap of ${count(limit)} calls is reached.`,
      maxTokens: () =>
        `The cap of ${count(limit)} tokens is reached: ${count(this.#tokens)} are used, and the next call may take up to ${count(next)}.`,
      maxCost: () =>
        `The cap of ${dollars(limit)} is reached: ${dollars(this.#cost)} are spent, and the next call may cost up to ${dollars(next)}.`,
      maxTime: () => `The cap of ${minuteText(limit)} is reached.`,
    }
    return new CapReachedError(cap, sentences[cap](), {
      hint: `Raise ${flags[cap]} and rerun the same command to resume.`,
    })
  }
}

/** Refuses a cost cap, before anything is spent, if the price of a model that will be called is unknown. */
export function checkLimits(
  limits: Limits,
  models: Partial<Record<Role, Pick<Model, 'id' | 'price' | 'agent' | 'maxOutputTokens'>>>,
): void {
  const needsPrice = limits.maxCost !== undefined
  if (!needsPrice && limits.maxTokens === undefined) return
  for (const [role, { id, price, agent, maxOutputTokens }] of Object.entries(models)) {
    if (agent?.isBounded === false) throw unboundedAgent(`the ${role} ${id}`, agent.title)
    if (agent !== undefined) checkRoom(limits, `the ${role} ${id}`, { price, agent, maxOutputTokens })
    if (needsPrice && price === undefined)
      throw unknownPrice(`the ${role} model ${id}`, `models.${role}.price`)
  }
}

/**
 * Checks that the caps have room for one call of an agent. The config sets an agent's maximum usage, so this
 * is known before anything is spent.
 */
function checkRoom(
  { maxTokens = Number.POSITIVE_INFINITY, maxCost = Number.POSITIVE_INFINITY }: Limits,
  who: string,
  model: Parameters<typeof reservationFor>[1],
): void {
  const { input, output, cost = 0 } = reservationFor({ messages: [] }, model)
  const tokens = input + output
  if (tokens <= maxTokens && cost <= maxCost) return
  const [most, cap] =
    tokens > maxTokens ? [`${count(tokens)} tokens`, count(maxTokens)] : [dollars(cost), dollars(maxCost)]
  throw new InputError(`One call of ${who} may take up to ${most}, which is more than the cap of ${cap}.`, {
    hint: 'Raise the cap, or lower harness.tokensPerAttempt, at which an agent is ended.',
  })
}

function unboundedAgent(who: string, title: string): InputError {
  return new InputError(
    `A cap on tokens or cost cannot be kept with ${who}: ${title} says what it has used only when it is done.`,
    { hint: `Cap the attempts with ${flags.maxCalls}, or the time with ${flags.maxTime}.` },
  )
}

function unknownPrice(who: string, where = 'price'): InputError {
  return new InputError(`A cost cap was given, but the price of ${who} is not known.`, {
    hint: `Set \`${where}\` in the config, or cap tokens with ${flags.maxTokens} instead.`,
  })
}

/** Tokens that chat templates add around a message and around a request: roles, separators and others. */
const tokensAroundMessage = 32
const tokensAroundRequest = 64
/** Providers add their own instructions before tools and schemas and bill them as input. */
const tokensAroundTools = 640

const jsonBytes = new WeakMap<object, number>()

/** Size of a value as JSON. Cached, because schemas and tools are the same objects in every call. */
function bytesOfJson(value: object): number {
  const known = jsonBytes.get(value)
  if (known !== undefined) return known
  const bytes = Buffer.byteLength(JSON.stringify(value))
  jsonBytes.set(value, bytes)
  return bytes
}

/** Upper bound on the usage of a call: a byte-level tokenizer never produces more tokens than bytes. */
export function reservationFor(
  request: ModelRequest,
  model: Pick<Model, 'maxOutputTokens' | 'price' | 'files' | 'agent'>,
): Reservation {
  let input = tokensAroundRequest + (model.agent?.ownTokens ?? 0)
  for (const message of request.messages) {
    const { toolCalls } = message
    input += tokensAroundMessage + mostTokensIn(message, model.files)
    if (toolCalls !== undefined) input += Buffer.byteLength(JSON.stringify(toolCalls))
  }
  if (request.tools !== undefined) input += bytesOfJson(request.tools)
  if (request.schema !== undefined) input += bytesOfJson(request.schema)
  if (request.tools !== undefined || request.schema !== undefined) input += tokensAroundTools
  const output = model.maxOutputTokens
  const { price } = model
  if (price === undefined) return { input, output }
  const dearest = Math.max(price.input, price.cachedInput ?? 0, price.cacheWrite ?? 0)
  return { input, output, cost: (input * dearest + output * price.output) / 1e6 }
}

/**
 * Maximum tokens of a message. Files count with the provider's documented maximum, since their size in bytes
 * says nothing about their tokens.
 */
function mostTokensIn({ text, parts }: Message, files: FileSupport | undefined): number {
  if (parts === undefined) return Buffer.byteLength(text)
  return parts
    .map(part => (part.type === 'text' ? Buffer.byteLength(part.text) : mostTokensOf(part, files)))
    .reduce((sum, tokens) => sum + tokens, 0)
}

/** Cost of a call; undefined if the price or the usage is unknown. A cost is never guessed. */
export function costOf(usage: Usage, price: Price | undefined): number | undefined {
  const { input, output } = usage
  if (price === undefined || input === undefined || output === undefined) return undefined
  const read = Math.min(usage.cachedInput ?? 0, input)
  const written = Math.min(usage.cacheWrite ?? 0, input - read)
  const forInput =
    (input - read - written) * price.input +
    read * (price.cachedInput ?? price.input) +
    written * (price.cacheWrite ?? price.input)
  return (forInput + output * price.output) / 1e6
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

function dollars(value: number): string {
  return value.toLocaleString('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 })
}
