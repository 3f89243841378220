import { InterruptedError, PausedError, SkillOptError, WorldFailure } from '../core/errors/errors.js'
import type { Reservation } from '../core/log/event.js'
import type { Worker } from '../core/ports/harness.js'
import type { ModelReply, ModelRequest, Price, Role } from '../core/ports/model.js'
import { credibleCost, credibleReply, credibleUsage } from '../core/task/usage.js'
import { type Budget, costOf, type Lease, reservationFor } from './budget.js'
import { brokenProvider, Lane, type RoleSettings } from './lane.js'
import { sleep } from './rate-limit.js'
import type { Spent } from './spending.js'

export type { RoleSettings } from './lane.js'

/** Log callbacks; the pool waits for each to be recorded before it continues. */
export interface CallHooks {
  started(info: { try: number; reserved: Reservation }): Promise<void>
  failed(info: {
    try: number
    failure: WorldFailure
    /** Usage counted against the caps although no reply arrived. */
    charged?: Reservation
    retryInMs?: number
  }): Promise<void>
}

export interface CallResult {
  readonly reply: ModelReply
  readonly tries: number
  /** Duration of the successful try, without waiting and earlier tries. */
  readonly ms: number
  readonly cost: number | undefined
}

export interface CallOptions {
  /** Calls with a higher priority start first. */
  readonly priority?: number
  readonly signal: AbortSignal
  /** Answers the call in the model's place. */
  readonly worker?: Worker | undefined
  readonly hooks: CallHooks
}

const firstBackoffMs = 500
const longestBackoffMs = 30_000

interface Answering {
  readonly answer: Worker
  /** Only for calls that are answered externally: throws if there is no answer yet. */
  readonly isAnswered: ((signal: AbortSignal) => Promise<void>) | undefined
}

type TryResult =
  | { readonly reply: ModelReply; readonly ms: number; readonly cost: number | undefined }
  | { readonly failure: WorldFailure; readonly charged?: Reservation }

/**
 * A call from request to end, across all its tries. It has no reference to the request: the sets of calls
 * keep old members alive until the next full garbage collection, and a request is large.
 */
class LiveCall {
  readonly #reject: (reason: unknown) => void
  /**
   * The wait and the try share this controller, since a signal is the most expensive part of a call that is
   * answered at once.
   */
  #controller = new AbortController()
  /** Whether the log has the call as started and without an answer. */
  inFlight = false
  /** Ends the try in flight. */
  stopTry: ((reason: unknown) => void) | undefined
  firstFailureAt: number | undefined

  constructor(
    readonly lane: Lane,
    readonly reservation: Reservation,
    reject: (reason: unknown) => void,
  ) {
    this.#reject = reject
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Rejects the caller at once, whatever the call is waiting for. */
  stop(reason: unknown): void {
    this.#reject(reason)
    // The promise is rejected first, so that the model's own abort error comes too late.
    this.stopTry?.(reason)
    this.#controller.abort(reason)
  }

  /** Aborts the model's try. The call continues with a fresh signal. */
  giveUpTry(reason: unknown): void {
    const given = this.#controller
    this.#controller = new AbortController()
    this.stopTry?.(reason)
    given.abort(reason)
  }
}

/**
 * Every model call goes through this pool: slots and rates per role, the budget, retries, and the decision
 * that a provider is down. After that decision, all waiting and later calls are rejected with the same error.
 * Calls in flight are paid for, so their replies are still used.
 */
export class CallPool {
  readonly #lanes = new Map<Role, Lane>()
  readonly #budget: Budget
  readonly #random: () => number
  readonly #live = new Set<LiveCall>()
  readonly #watched = new Map<AbortSignal, Set<LiveCall>>()
  #failure: SkillOptError | undefined

  constructor(options: {
    roles: Partial<Record<Role, RoleSettings>>
    budget: Budget
    random?: () => number
  }) {
    for (const [role, settings] of Object.entries(options.roles)) {
      this.#lanes.set(role as Role, new Lane(role as Role, settings))
    }
    this.#budget = options.budget
    this.#random = options.random ?? Math.random
    const { deadline } = this.#budget
    deadline.addEventListener('abort', () => {
      for (const call of this.#live) call.stop(deadline.reason)
    })
  }

  /** Usage counted against the caps so far, without calls in flight. */
  get spent(): Spent {
    return this.#budget.spent
  }

  async call(role: Role, request: ModelRequest, options: CallOptions): Promise<CallResult> {
    const lane = this.#lanes.get(role)
    if (lane === undefined) throw new Error(`The pool has no ${role} model.`)
    if (options.signal.aborted) throw interruption(options.signal)
    this.#budget.deadline.throwIfAborted()
    if (this.#failure !== undefined) throw this.#failure
    let call: LiveCall | undefined
    try {
      return await new Promise<CallResult>((resolve, reject) => {
        call = new LiveCall(lane, reservationFor(request, lane.settings.model), reject)
        this.#join(call, options)
        this.#drive(call, request, options).then(resolve, reject)
      })
    } finally {
      if (call !== undefined) this.#leave(call, options)
    }
  }

  async #drive(
    call: LiveCall,
    request: ModelRequest,
    { priority = 0, worker, hooks }: CallOptions,
  ): Promise<CallResult> {
    const { lane } = call
    const { model } = lane.settings
    const answer: Worker = worker ?? (signal => model.generate(request, signal))
    const handoff = worker === undefined ? model.handoff : undefined
    const isAnswered = handoff && ((signal: AbortSignal) => handoff.answered(request, signal))
    for (let number = 1; ; number++) {
      // A retry goes before new calls of the same priority, because other work has waited for it longest.
      const urgency = number === 1 ? priority : priority + 0.5
      const result = await lane.run(urgency, () => this.#try(call, { answer, isAnswered }, { hooks, number }))
      if ('reply' in result) return { tries: number, ...result }

      const { failure } = result
      const retryInMs =
        failure.retryable && number <= lane.settings.retries ? this.#backoff(number, failure) : undefined
      await hooks.failed({ try: number, ...result, retryInMs })
      const broken = brokenProvider(lane, failure, {
        tries: number,
        final: retryInMs === undefined,
        firstFailureAt: call.firstFailureAt ?? 0,
      })
      if (broken !== undefined) this.refuse(broken)
      if (retryInMs === undefined) throw this.#failure ?? failure
      if (this.#failure !== undefined) throw this.#failure
      await sleep(retryInMs, call.signal)
    }
  }

  async #try(
    call: LiveCall,
    { answer, isAnswered }: Answering,
    { hooks, number }: { readonly hooks: CallHooks; readonly number: number },
  ): Promise<TryResult> {
    const { lane, reservation, signal } = call
    signal.throwIfAborted()
    const entered = await lane.rate.enter(reservation.input + reservation.output, signal)
    const isSure = isAnswered === undefined
    const lease = await this.#budget.reserve(reservation, signal, { isSure })
    try {
      await isAnswered?.(signal)
      lease.confirm()
      call.inFlight = true
      await hooks.started({ try: number, reserved: reservation })
    } catch (error) {
      // The model was not called. Waiting calls are refused before the lease is cancelled, so that none takes
      // the freed budget.
      if (error instanceof PausedError) this.refuse(error)
      lease.cancel()
      entered(0)
      throw error
    }
    const startedAt = performance.now()
    try {
      const reply = credibleReply(await generate(call, answer), reservation)
      const cost = reply.cost ?? costOf(reply.usage, lane.settings.model.price)
      const { input, output } = reply.usage
      lease.settle(reply.usage, cost)
      entered((input ?? reservation.input) + (output ?? reservation.output))
      lane.succeeded()
      return { reply, ms: performance.now() - startedAt, cost }
    } catch (error) {
      if (!(error instanceof WorldFailure)) {
        lease.chargeWhole()
        throw error
      }
      const charged = this.#charge(lease, error, lane.settings.model.price)
      if (charged === undefined) entered(0)
      lane.failed(error, startedAt)
      call.firstFailureAt ??= performance.now()
      return { failure: error, charged }
    } finally {
      call.inFlight = false
    }
  }

  /** Charges a try without a reply: the reported usage, or the full reservation. */
  #charge(
    lease: Lease,
    { mayHaveCost, spent }: WorldFailure,
    price: Price | undefined,
  ): Reservation | undefined {
    if (!mayHaveCost) {
      lease.chargeCallOnly()
      return undefined
    }
    const usage = credibleUsage(spent?.usage ?? {}, lease.reserved, { isEmpty: true })
    const { input, output } = usage
    if (spent === undefined || input === undefined || output === undefined) {
      lease.chargeWhole()
      return lease.reserved
    }
    const cost = credibleCost(spent.cost) ?? costOf(usage, price)
    lease.settle(usage, cost)
    return { input, output, cost }
  }

  /** Delay before a retry, with full jitter, so that calls that failed together do not retry together. */
  #backoff(number: number, { retryAfterMs }: WorldFailure): number {
    const most = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (number - 1))
    if (retryAfterMs === undefined) return Math.round(this.#random() * most)
    return Math.round(retryAfterMs + this.#random() * firstBackoffMs)
  }

  /** Stops the pool: no further call starts, and calls in flight run to their end. */
  refuse(failure: SkillOptError): void {
    if (this.#failure !== undefined) return
    this.#failure = failure
    for (const call of this.#live) if (!call.inFlight) call.stop(failure)
  }

  #join(call: LiveCall, { signal }: CallOptions): void {
    call.lane.join()
    this.#live.add(call)
    this.#watch(call, signal)
  }

  /** Adds one listener per signal, not one per call, since a run has one signal and thousands of calls. */
  #watch(call: LiveCall, signal: AbortSignal): void {
    const known = this.#watched.get(signal)
    if (known !== undefined) {
      known.add(call)
      return
    }
    const calls = new Set([call])
    this.#watched.set(signal, calls)
    signal.addEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = (event: Event): void => {
    const signal = event.target as AbortSignal
    for (const call of this.#watched.get(signal) ?? []) call.stop(interruption(signal))
  }

  #leave(call: LiveCall, { signal }: CallOptions): void {
    call.lane.leave()
    this.#live.delete(call)
    this.#unwatch(call, signal)
  }

  #unwatch(call: LiveCall, signal: AbortSignal): void {
    const calls = this.#watched.get(signal)
    calls?.delete(call)
    if (calls?.size !== 0) return
    this.#watched.delete(signal)
    signal.removeEventListener('abort', this.#onAbort)
  }
}

/**
 * Calls the model. Settles when it answers, times out or is stopped, even if the model ignores its signal.
 */
function generate(call: LiveCall, answer: Worker): Promise<ModelReply> {
  const { timeoutMs } = call.lane.settings
  const { signal } = call
  return new Promise<ModelReply>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const timer = setTimeout(() => call.giveUpTry(timedOut(timeoutMs)), timeoutMs)
    const stop = (reason: unknown) => {
      clearTimeout(timer)
      reject(reason)
    }
    call.stopTry = stop
    // Wrapped so that a synchronous throw is caught too.
    const ask = async () => answer(signal)
    ask()
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer)
        // If this model answers after its timeout, it must not disarm the next try.
        if (call.stopTry === stop) call.stopTry = undefined
      })
  })
}

function timedOut(timeoutMs: number): WorldFailure {
  return new WorldFailure('timeout', `No reply within ${timeoutMs / 1000} seconds.`, {
    retryable: true,
    mayHaveCost: true,
  })
}

function interruption(signal: AbortSignal): SkillOptError {
  const reason: unknown = signal.reason
  if (reason instanceof SkillOptError) return reason
  return new InterruptedError('The run was interrupted.', {
    hint: 'Rerun the same command to resume.',
    cause: reason,
  })
}
