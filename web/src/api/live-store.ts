import type { RunEvent } from '../../../src/core/log/event.js'
import { foldEvent, type RunView } from '../../../src/core/view/fold.js'
import type { RunState } from '../../../src/core/view/run-state.js'
import type { ReadingProgress, RunSummary } from '../../../src/dashboard/contract/runs.js'
import type { ApiError, Connection, StreamListener } from './client.js'

/** The page's current data on a run. */
export interface LiveRun {
  readonly connection: Connection
  /** Why the server does not stream this run. The run does not exist, or its log cannot be read. */
  readonly refusal: ApiError | undefined
  /** Progress of the server's first read of a large log; undefined at other times. */
  readonly reading: ReadingProgress | undefined
  readonly run: { readonly summary: RunSummary; readonly view: RunView; readonly state: RunState } | undefined
}

export interface LiveSource {
  /** Opens a new stream from the beginning. Returns a function that closes it. */
  open(listener: StreamListener): () => void
}

/** Clock and timers of the store; tests replace them. */
export interface LiveClock {
  now(): number
  /**
   * Calls back before a frame is drawn, at the earliest after `milliseconds`. Returns a function that cancels
   * the call.
   */
  later(milliseconds: number, callback: () => void): () => void
  /** Whether the page is hidden. A hidden page draws no frames, so work need not leave time for them. */
  isHidden(): boolean
}

/** Milliseconds between two updates of the page. People do not read faster. */
const pause = 100
/** Milliseconds that folding may take of each frame of 16 ms. */
const slice = 6
/** Number of events folded between two looks at the clock. */
const stride = 32

/**
 * Follows one run and folds its log as the log grows. Events are folded in short slices that do not block
 * frames. Listeners are notified at most ten times a second.
 */
export class LiveStore {
  readonly #source: LiveSource
  readonly #clock: LiveClock
  readonly #listeners = new Set<() => void>()
  #shown: LiveRun = {
    connection: 'connecting',
    refusal: undefined,
    reading: undefined,
    run: undefined,
  }
  /** The latest folded state. The page may still show an older one. */
  #view: RunView | undefined
  #summary: RunSummary | undefined
  #told: RunState | undefined
  #reading: ReadingProgress | undefined
  #connection: Connection = 'connecting'
  #refusal: ApiError | undefined
  #pending: RunEvent[] = []
  #at = 0
  #shownAt = Number.NEGATIVE_INFINITY
  #close: (() => void) | undefined
  #cancel: (() => void) | undefined

  constructor(source: LiveSource, clock: LiveClock) {
    this.#source = source
    this.#clock = clock
  }

  readonly current = (): LiveRun => this.#shown

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#close === undefined) this.#open()
    return () => this.#listeners.delete(listener)
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0
  }

  /** Reconnects when the user asks for it after a refusal. */
  again(): void {
    this.#open()
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#close?.()
    this.#close = undefined
  }

  #open(): void {
    this.close()
    this.#pending = []
    this.#at = 0
    this.#close = this.#source.open({
      message: (name, data) => this.#take(name, data),
      connection: (state, refusal) => {
        this.#connection = state
        this.#refusal = refusal
        this.#show()
      },
    })
  }

  #take(name: string, data: unknown): void {
    switch (name) {
      case 'reading':
        this.#reading = data as ReadingProgress
        this.#show()
        break
      case 'snapshot': {
        const { summary, view } = data as { summary: RunSummary; view: RunView }
        this.#summary = summary
        this.#view = view
        this.#told = summary.state
        this.#reading = undefined
        this.#pending = []
        this.#at = 0
        this.#show()
        break
      }
      case 'events':
        for (const event of data as readonly RunEvent[]) this.#pending.push(event)
        this.#schedule(this.#shownAt + pause - this.#clock.now())
        break
      case 'state':
        this.#told = (data as { state: RunState }).state
        this.#schedule(0)
        break
    }
  }

  #schedule(milliseconds: number): void {
    this.#cancel ??= this.#clock.later(Math.max(0, milliseconds), () => {
      this.#cancel = undefined
      const isWhole = this.#fold()
      if (isWhole || this.#clock.now() - this.#shownAt >= pause) this.#show()
      if (!isWhole) this.#schedule(0)
    })
  }

  /** Folds events until the time slice ends. Returns whether all events are folded. */
  #fold(): boolean {
    const end = this.#clock.isHidden() ? Number.POSITIVE_INFINITY : this.#clock.now() + slice
    while (this.#at < this.#pending.length) {
      const event = this.#pending[this.#at++]
      if (event === undefined || this.#view === undefined || event.seq > this.#view.events) {
        // An event was missed, so a new snapshot is needed.
        this.#open()
        return true
      }
      if (event.seq === this.#view.events) this.#view = foldEvent(this.#view, event)
      if (this.#at % stride === 0 && this.#clock.now() >= end) break
    }
    if (this.#at < this.#pending.length) return false
    this.#pending = []
    this.#at = 0
    return true
  }

  #show(): void {
    this.#shownAt = this.#clock.now()
    const [view, summary] = [this.#view, this.#summary]
    const run = view && summary && { summary, view, state: stateNow(view, this.#told ?? summary.state) }
    this.#shown = { connection: this.#connection, refusal: this.#refusal, reading: this.#reading, run }
    for (const listener of this.#listeners) listener()
  }
}

/** The state of a run. The log records how it ended; only the server knows whether its process is alive. */
export function stateNow({ outcome }: Pick<RunView, 'outcome'>, told: RunState): RunState {
  if (told === 'unreadable') return told
  if (outcome !== 'running') return outcome === 'cap' ? 'cap reached' : outcome
  return told === 'killed' || told === 'finished' ? told : 'running'
}
