import PQueue from 'p-queue'
import type { WorldFailure } from '../core/errors/errors.js'
import type { Model, Role } from '../core/ports/model.js'
import { PriorityLine } from './priority-queue.js'
import { RateWindow } from './rate-limit.js'

export interface RoleSettings {
  readonly model: Model
  /** Calls in flight at once. */
  readonly concurrency: number
  readonly requestsPerMinute?: number | undefined
  readonly tokensPerMinute?: number | undefined
  /** How often a failed call is tried again. */
  readonly retries: number
  readonly timeoutMs: number
}

/** One role's way to its model: slots by priority, rate limits, and slowing down when the provider says so. */
export class Lane {
  readonly role: Role
  readonly settings: RoleSettings
  readonly rate: RateWindow
  /** Calls that ended in failure since the last success. */
  failedInARow = 0
  lastSuccessAt = Number.NEGATIVE_INFINITY
  readonly #queue: PQueue<PriorityLine>
  /** A fraction: it grows by one slot per round of successes, as TCP does. */
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

  /** How many calls may be in flight now. */
  get concurrency(): number {
    return this.#queue.concurrency
  }

  /** Works in a slot: higher priority first, in order of arrival within one. */
  run<T>(priority: number, work: () => Promise<T>): Promise<T> {
    return this.#queue.add(work, { priority })
  }

  join(): void {
    this.#members += 1
    if (this.#queue.isPaused) this.#resumeInTime()
  }

  /** With no call left that waits, nothing here may keep the process alive. */
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

  /** `startedAt`: when the failed try began. */
  failed({ kind, retryAfterMs }: WorldFailure, startedAt: number): void {
    if (kind !== 'rate-limit') return
    // All calls in flight are refused together: they are one sign to slow down, not many.
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
