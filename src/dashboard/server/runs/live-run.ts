import { type FSWatcher, watch } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { testedPairs } from '../../../app/evaluation-details.js'
import { stateOf } from '../../../app/run-state.js'
import type { EventOf, EventType, RunEvent } from '../../../core/log/event.js'
import type { BlobRef } from '../../../core/task/task.js'
import type { RunState } from '../../../core/view/run-state.js'
import type { RunView } from '../../../core/view/run-view.js'
import { eventsFile } from '../../../store/disk.js'
import { type RunReader, readRun } from '../../../store/read-run.js'
import type { ReadingProgress, RunSummary } from '../../contract/runs.js'
import { Bell } from '../signal.js'
import type { KeptIndexes } from './kept-index.js'
import type { RunPlace } from './places.js'
import { RunLog } from './run-log.js'
import { searchAttempts } from './search.js'
import { summaryOf } from './summary.js'
import type { AttemptTable, LiveRun } from './types.js'

/** Milliseconds for which events are gathered into one message. A page does not render more often. */
const gatherMs = 40
/** Polling interval in milliseconds, for file systems that do not report changes. */
const lookEveryMs = 1_000
/** Parsed events of a type are cached unless there are more than this. */
const rememberedAtMost = 20_000

export class FollowedRun implements LiveRun {
  readonly id: string
  readonly directory: string
  readonly log: RunLog
  readonly #place: RunPlace
  readonly #bell = new Bell()
  readonly #remembered = new Map<EventType, { readonly from: string; readonly events: readonly RunEvent[] }>()
  #reader: Promise<RunReader> | undefined
  #followers = 0
  #rings = 0
  #stopWatching: (() => void) | undefined

  constructor(place: RunPlace, indexes: KeptIndexes) {
    this.#place = place
    this.id = place.id
    this.directory = place.directory
    this.log = new RunLog(place.directory, indexes)
  }

  get isFollowed(): boolean {
    return this.#followers > 0
  }

  async view(onProgress?: (progress: ReadingProgress) => void): Promise<RunView> {
    return (await this.log.update(onProgress)).view
  }

  async state(): Promise<RunState> {
    return stateOf(await this.view())
  }

  async summary(): Promise<RunSummary> {
    const view = await this.view()
    return summaryOf(this.#place, view, {
      state: await stateOf(view),
      tested: await testedPairs(view, ref => this.text(ref)),
    })
  }

  async attempts(): Promise<AttemptTable> {
    const { attempts } = await this.log.update()
    return {
      length: attempts.length,
      row: index => attempts.row(index),
      search: (words, most, signal) => searchAttempts(this.log, attempts, words, most, signal),
    }
  }

  async event(seq: number): Promise<RunEvent> {
    await this.log.update()
    return this.log.event(seq)
  }

  async eventsOf<Type extends EventType>(type: Type): Promise<readonly EventOf<Type>[]> {
    const { places } = await this.log.update()
    const count = places.of(type).length
    const from = `${this.log.generation} ${count}`
    const known = this.#remembered.get(type)
    if (known?.from === from) return known.events as readonly EventOf<Type>[]
    const events = await this.log.eventsOf(type)
    if (count <= rememberedAtMost) this.#remembered.set(type, { from, events })
    return events
  }

  async text(ref: BlobRef): Promise<string> {
    this.#reader ??= readRun(this.directory)
    return (await this.#reader).get(ref)
  }

  follow(from: number, signal: AbortSignal): AsyncIterable<readonly RunEvent[]> {
    // The generation is captured now, not when the first event is requested.
    return this.#following(from, this.log.generation, signal)
  }

  async *#following(
    from: number,
    generation: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly RunEvent[]> {
    this.#beginWatching()
    try {
      let next = from
      while (!signal.aborted) {
        // The signal is read before the log, so that a change in between is not missed.
        const rung = this.#rings
        const { view } = await this.log.update()
        if (this.log.generation !== generation) return
        if (next >= view.events && rung === this.#rings) await this.#bell.next(signal)
        for await (const batch of this.log.eventsFrom(next, view.events)) {
          yield batch
          next += batch.length
        }
      }
    } finally {
      this.#endWatching()
    }
  }

  #beginWatching(): void {
    this.#followers += 1
    if (this.#stopWatching !== undefined) return
    let isRinging = false
    const ring = async () => {
      if (isRinging) return
      isRinging = true
      await sleep(gatherMs)
      isRinging = false
      this.#rings += 1
      this.#bell.ring()
    }
    const timer = setInterval(ring, lookEveryMs).unref()
    const watcher = watchFolder(this.directory, name => {
      if (name === null || name === eventsFile) void ring()
    })
    this.#stopWatching = () => {
      clearInterval(timer)
      watcher?.close()
    }
  }

  #endWatching(): void {
    this.#followers -= 1
    if (this.#followers > 0) return
    this.#stopWatching?.()
    this.#stopWatching = undefined
  }

  async close(): Promise<void> {
    this.#stopWatching?.()
    this.#stopWatching = undefined
    await this.log.close()
  }
}

/** Watches a folder. Returns undefined if the system does not report changes; polling covers that case. */
function watchFolder(folder: string, changed: (name: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_kind, name) => changed(name))
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}
