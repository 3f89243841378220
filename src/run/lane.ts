import PQueue from 'p-queue'
import { PausedError, type WorldFailure } from '../core/errors/errors.js'
import type { Model, Role } from '../core/ports/model.js'
import type { WorldFailureKind } from '../core/task/task.js'
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
 * One role's access to its model: slots by priority, rate limits, and back-off when the provider asks for it.
 */
export class Lane {
  readonly role: Role
  readonly settings: RoleSettings
  readonly rate: RateWindow
  /** Failed calls since the last success. */
  failedInARow = 0
  lastSuccessAt = Number.NEGATIVE_INFINITY
  readonly #queue: PQueue<PriorityLine>
  /** Number of slots, perhaps a fraction: it grows by one per round of successes, as in TCP. */
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

  /** Called when a call leaves. Once none is waiting, nothing here may keep the process alive. */
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

  /** Records a failed try. `startedAt` is the time when the try began. */
  failed({ kind, retryAfterMs }: WorldFailure, startedAt: number): void {
    if (kind !== 'rate-limit') return
    // Calls in flight at one time are rejected together, so their rejections count as one signal to slow
    // down.
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

/** Failures that no retry fixes. Every other call to the provider would fail in the same way. */
const alwaysSystemic: ReadonlySet<WorldFailureKind> = new Set(['login', 'quota', 'not-found'])
const callsInARow = 5
const longestWaitMs = 60 * 60_000

const resume = 'then rerun the same command to resume.'
const hints: Partial<Record<WorldFailureKind, string>> = {
  login: `Check the key, ${resume}`,
  quota: `Raise the quota or top up the account, ${resume}`,
  'not-found': `Check the model's name and the endpoint in the config, ${resume}`,
  rejected: `Check the model's options in the config, ${resume}`,
  transport: `Check the network and that the endpoint is up, ${resume}`,
}

/** An agent's limits are mostly those of a subscription and reset by themselves. */
const agentHints: Partial<Record<WorldFailureKind, string>> = {
  quota: `Wait until the limit resets, or raise it with your provider, ${resume} Finished work is not paid for twice.`,
}

/** Decides whether a failure means that the provider itself is down. The run must then pause for the user. */
export function brokenProvider(
  lane: Lane,
  failure: WorldFailure,
  call: { tries: number; final: boolean; firstFailureAt: number },
): PausedError | undefined {
  const { kind } = failure
  const { id, agent } = lane.settings.model
  const model = `the ${lane.role} model ${id}`
  const usual = (agent === undefined ? undefined : agentHints[kind]) ?? hints[kind]
  const pause = (what: string) =>
    new PausedError(`${what}: ${failure.message}`, {
      hint: failure.hint ?? usual ?? `Fix what the provider reports, ${resume}`,
      cause: failure,
    })

  if (alwaysSystemic.has(kind)) return pause(`Calls to ${model} cannot succeed`)
  if ((failure.retryAfterMs ?? 0) > longestWaitMs)
    return pause(`The provider of ${model} asks for a long wait`)
  if (!call.final) return undefined

  // A rejected request is itself at fault, unless the model has never accepted any request.
  if (kind === 'rejected' && lane.lastSuccessAt > Number.NEGATIVE_INFINITY) return undefined
  lane.failedInARow += 1
  if (kind === 'transport' && call.tries > 1 && lane.lastSuccessAt < call.firstFailureAt) {
    return pause(`No connection to ${model} in ${call.tries} tries`)
  }
  if (lane.failedInARow >= callsInARow)
    return pause(`${callsInARow} calls in a row to ${model} failed, the last with`)
  return undefined
}

interface Element {
  readonly id: string | undefined
  readonly run: () => Promise<unknown>
}

interface Options {
  readonly priority?: number
  readonly id?: string
}

/** A FIFO queue whose cost does not grow with its length. */
class Line {
  #elements: Element[] = []
  #first = 0

  get size(): number {
    return this.#elements.length - this.#first
  }

  push(element: Element): void {
    this.#elements.push(element)
  }

  shift(): Element | undefined {
    const element = this.#elements[this.#first]
    this.#first += 1
    if (this.#first * 2 > this.#elements.length) {
      this.#elements = this.#elements.slice(this.#first)
      this.#first = 0
    }
    return element
  }

  take(wanted: (element: Element) => boolean): Element | undefined {
    const index = this.#elements.findIndex((element, at) => at >= this.#first && wanted(element))
    return index === -1 ? undefined : this.#elements.splice(index, 1)[0]
  }

  waiting(): Element[] {
    return this.#elements.slice(this.#first)
  }
}

/**
 * The queue for p-queue: higher priority first, then in order of arrival. p-queue's own queue is one sorted
 * array, and inserting into it takes most of the pool's time once a hundred thousand calls wait. There are
 * few priorities, so one FIFO queue for each is fast at any length.
 */
export class PriorityLine {
  /** The queues, highest priority first. Empty queues are kept, because the same priorities recur. */
  readonly #lines: { readonly priority: number; readonly line: Line }[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  enqueue(run: Element['run'], options: Options = {}): void {
    this.#lineOf(options.priority ?? 0).push({ run, id: options.id })
    this.#size += 1
  }

  dequeue(): Element['run'] | undefined {
    for (const { line } of this.#lines) {
      if (line.size === 0) continue
      this.#size -= 1
      return line.shift()?.run
    }
    return undefined
  }

  filter(options: Options): Element['run'][] {
    return this.#lineOf(options.priority ?? 0)
      .waiting()
      .map(({ run }) => run)
  }

  setPriority(id: string, priority: number): void {
    const element = this.#take(waiting => waiting.id === id)
    if (element === undefined) throw new ReferenceError(`Nothing named ${id} is waiting.`)
    this.enqueue(element.run, { priority, id })
  }

  #take(wanted: (element: Element) => boolean): Element | undefined {
    for (const { line } of this.#lines) {
      const element = line.take(wanted)
      if (element === undefined) continue
      this.#size -= 1
      return element
    }
    return undefined
  }

  #lineOf(priority: number): Line {
    const known = this.#lines.find(entry => entry.priority === priority)
    if (known !== undefined) return known.line
    const line = new Line()
    this.#lines.push({ priority, line })
    this.#lines.sort((a, b) => b.priority - a.priority)
    return line
  }
}
