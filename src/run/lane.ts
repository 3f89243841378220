import PQueue from 'p-queue'
import type { WorldFailure } from '../core/errors/errors.js'
import type { Model, Role } from '../core/ports/model.js'
import { PriorityLine } from './priority-queue.js'
import { RateWindow } from './rate-limit.js'

export interface RoleSettings {
  readonly model: Model
  /** Maximum number of calls in flight. */
  readonly concurrency: number
  readonly requestsPerMinute?: number | undefined
  readonly tokensPerMinute?: number | undefined
  /** Maximum number of retries of a failed call. */
  readonly retries: number
  readonly timeoutMs: number
}

/**
 * One role's access to its model: slots by priority, rate limits, and back-off when the provider asks for
 * it.
 */
export class Lane {
  readonly role: Role
  readonly settings: RoleSettings
  readonly rate: RateWindow
  /** Failed calls since the last success. */
  failedInARow = 0
  lastSuccessAt = Number.NEGATIVE_INFINITY
  readonly #queue: PQueue<PriorityLine>
  /** Fractional: it grows by one slot per round of successes, as in TCP congestion control. */
  #slots: number
  #slowedAt = Number.NEGATIVE_INFINITY
  #pausedUntil = 0
  #timer: NodeJS.Timeout | undefined
  #members = 0

  constructor(role: Role, settings: RoleSettings) {
    this.role = role
    this.settings = settings
    this.rate = new RateWindow(settings)
    this.#slots = settings.concurrency
    this.#queue = new PQueue({ concurrency: settings.concurrency, queueClass: PriorityLine })
  }

  /** Number of calls that may be in flight now. */
  get concurrency(): number {
    return this.#queue.concurrency
  }

  /** Runs work in a slot: higher priority first, then in order of arrival. */
  run<T>(priority: number, work: () => Promise<T>): Promise<T> {
    return this.#queue.add(work, { priority })
  }

  join(): void {
    this.#members += 1
    if (this.#queue.isPaused) this.#resumeInTime()
  }

  /** Once no call is waiting, nothing here may keep the process alive. */
  leave(): void {
    this.#members -= 1
    if (this.#members > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  succeeded(): void {
    this.failedInARow = 0
    this.lastSuccessAt = performance.now()
    if (this.#slots >= this.settings.concurrency) return
    this.#slots = Math.min(this.settings.concurrency, this.#slots + 1 / this.#slots)
    const whole = Math.floor(this.#slots)
    if (whole !== this.#queue.concurrency) this.#queue.concurrency = whole
  }

  /** `startedAt` is the time at which the failed try began. */
  failed({ kind, retryAfterMs }: WorldFailure, startedAt: number): void {
    if (kind !== 'rate-limit') return
    // Calls in flight are rejected together, which counts as one signal to slow down.
    if (startedAt > this.#slowedAt) {
      this.#slowedAt = performance.now()
      this.#slots = Math.max(1, this.#slots / 2)
      this.#queue.concurrency = Math.floor(this.#slots)
    }
    if (retryAfterMs === undefined) return
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + retryAfterMs)
    this.#queue.pause()
    this.#resumeInTime()
  }

  #resumeInTime(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const left = this.#pausedUntil - performance.now()
    if (left <= 0) this.#queue.start()
    else if (this.#members > 0) this.#timer = setTimeout(() => this.#resumeInTime(), Math.ceil(left))
  }
}
