import { useEffect, useSyncExternalStore } from 'react'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import type { ApiError } from '../../api/client.js'
import { type Connection, openStream, type StreamListener } from '../../api/client.js'

/** The page's current data on all runs. */
export interface RunsNow {
  readonly connection: Connection
  /** Why the server does not stream the run list. */
  readonly refusal: ApiError | undefined
  /** Undefined until the first list has arrived. */
  readonly runs: readonly RunSummary[] | undefined
}

/** Stream and clock of the store; tests replace them. */
export interface RunsWorld {
  /** Opens the `runs` stream. Returns a function that closes it. */
  open(listener: StreamListener): () => void
  now(): number
  later(milliseconds: number, callback: () => void): () => void
}

/** Milliseconds between two updates. Each active run causes updates, and people do not read faster. */
const pause = 500

/** Follows the run list. Unchanged runs, and an unchanged list, keep their object identity. */
export class RunsStore {
  readonly #world: RunsWorld
  readonly #listeners = new Set<() => void>()
  #known = new Map<string, { readonly text: string; readonly run: RunSummary }>()
  #shown: RunsNow = { connection: 'connecting', refusal: undefined, runs: undefined }
  #waiting: readonly RunSummary[] | undefined
  #shownAt = Number.NEGATIVE_INFINITY
  #close: (() => void) | undefined
  #cancel: (() => void) | undefined

  constructor(world: RunsWorld) {
    this.#world = world
  }

  readonly current = (): RunsNow => this.#shown

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#close === undefined) this.#open()
    return () => this.#listeners.delete(listener)
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0
  }

  /** Reconnects when the user asks for it after a refusal. */
  readonly again = (): void => {
    this.close()
    this.#open()
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#waiting = undefined
    this.#close?.()
    this.#close = undefined
  }

  #open(): void {
    this.#close = this.#world.open({
      message: (_name, data) => this.#take(data as readonly RunSummary[]),
      connection: (connection, refusal) => this.#show({ ...this.#shown, connection, refusal }),
    })
  }

  #take(runs: readonly RunSummary[]): void {
    this.#waiting = runs
    const wait = this.#shownAt + pause - this.#world.now()
    if (wait <= 0) this.#release()
    else this.#cancel ??= this.#world.later(wait, () => this.#release())
  }

  #release(): void {
    this.#cancel?.()
    this.#cancel = undefined
    if (this.#waiting === undefined) return
    const runs = this.#keepSame(this.#waiting)
    this.#waiting = undefined
    this.#shownAt = this.#world.now()
    if (runs !== this.#shown.runs) this.#show({ ...this.#shown, runs })
  }

  #keepSame(told: readonly RunSummary[]): readonly RunSummary[] {
    const known = new Map(
      told.map(run => {
        const text = JSON.stringify(run)
        const before = this.#known.get(run.id)
        return [run.id, before?.text === text ? before : { text, run }]
      }),
    )
    this.#known = known
    const runs = [...known.values()].map(({ run }) => run)
    const before = this.#shown.runs
    return before?.length === runs.length && before.every((run, index) => run === runs[index]) ? before : runs
  }

  #show(now: RunsNow): void {
    this.#shown = now
    for (const listener of this.#listeners) listener()
  }
}

/** Milliseconds that an unused stream stays open, so that it survives navigation between pages. */
const keptFor = 5_000

const store = new RunsStore({
  open: listener => openStream('/api/runs/live', ['runs'], listener),
  now: () => performance.now(),
  later(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
})

/** Follows all runs while a component uses them. */
export function useRuns(): RunsNow & { readonly again: () => void } {
  const now = useSyncExternalStore(store.subscribe, store.current)
  useEffect(() => closeLater, [])
  return { ...now, again: store.again }
}

function closeLater(): void {
  setTimeout(() => {
    if (!store.isWatched) store.close()
  }, keptFor)
}
