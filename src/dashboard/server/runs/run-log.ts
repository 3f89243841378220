import { type FileHandle, lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError, SkillOptError } from '../../../core/errors/errors.js'
import type { EventOf, EventType, RunEvent } from '../../../core/log/event.js'
import { forView } from '../../../core/log/view-event.js'
import { foldEvent } from '../../../core/view/fold.js'
import { createView } from '../../../core/view/run-view.js'
import { brokenLine, unreadable } from '../../../store/append-log.js'
import { eventsFile, parseEventText } from '../../../store/disk.js'
import { type LinePlace, readLines } from '../../../store/read-lines.js'
import type { ReadingProgress } from '../../contract/runs.js'
import { NotFoundError } from '../not-found.js'
import { AttemptColumns } from './attempt-columns.js'
import { EventPlaces } from './event-places.js'
import { type KeptIndexes, type ReadLog, tailOf } from './kept-index.js'

const nothingRead = (): ReadLog => ({
  view: createView(),
  attempts: new AttemptColumns(),
  places: new EventPlaces(),
  until: 0,
})

/** Number of latest events kept in memory, because every follower requests them. */
const recentAtMost = 4_000
const batchLength = 1_000
/** The index is rewritten only after the log has grown by more bytes than this. */
const smallGrowth = 8_000_000

type Listener = (progress: ReadingProgress) => void

/**
 * Reads the log of one run as it grows. Takes no lock and writes nothing in the run directory. A replaced log
 * is read again from the beginning.
 */
export class RunLog {
  readonly path: string
  /** Increases each time the log turns out to have been replaced. */
  generation = 0
  #read: ReadLog | undefined
  #tail = ''
  #seen = ''
  #recent: RunEvent[] = []
  #keptUntil = 0
  #keeping: Promise<void> = Promise.resolve()
  #running: Promise<ReadLog> | undefined
  #waiting: Promise<ReadLog> | undefined
  readonly #listeners = new Set<Listener>()

  constructor(
    readonly directory: string,
    readonly indexes: KeptIndexes,
  ) {
    this.path = join(directory, eventsFile)
  }

  /** The result of the last read. */
  get known(): ReadLog | undefined {
    return this.#read
  }

  /** Reads the log to its current end. Calls made before a queued read starts share that read. */
  async update(listener?: Listener): Promise<ReadLog> {
    if (listener !== undefined) this.#listeners.add(listener)
    try {
      return await (this.#waiting ?? this.#begin())
    } finally {
      if (listener !== undefined) this.#listeners.delete(listener)
    }
  }

  #begin(): Promise<ReadLog> {
    // A read in progress may miss the latest events, so another read is queued. If the earlier read fails,
    // its own caller gets the error.
    const before = Promise.allSettled([this.#running])
    const reading = before.then(() => {
      this.#waiting = undefined
      this.#running = reading
      return withFile(this.path, this.directory, file => this.#readOn(file))
    })
    this.#waiting = reading
    return reading
  }

  async #readOn(file: FileHandle): Promise<ReadLog> {
    const { size, mtimeMs, ino } = await file.stat()
    const seen = `${size} ${mtimeMs} ${ino}`
    if (this.#read !== undefined && seen === this.#seen) return this.#read
    let read = this.#read ?? (await this.#open(file, size))
    const isOurs = read.until <= size && this.#tail === (await tailOf(file, read.until))
    if (!isOurs) {
      this.generation += 1
      this.#recent = []
      this.#keptUntil = 0
      read = nothingRead()
    }
    this.#seen = ''
    try {
      read = await this.#readLines(file, read, size)
      this.#seen = seen
    } finally {
      this.#tail = await tailOf(file, this.#read?.until ?? 0)
    }
    const growth = read.until - this.#keptUntil
    if (growth > Math.max(smallGrowth, read.until / 5) || this.#keptUntil === 0) this.#keep(read)
    return read
  }

  async #open(file: FileHandle, size: number): Promise<ReadLog> {
    const kept = await this.indexes.read(this.directory, file, size)
    if (kept !== undefined) this.#keptUntil = kept.until
    const read = kept ?? nothingRead()
    this.#tail = await tailOf(file, read.until)
    return read
  }

  async #readLines(file: FileHandle, from: ReadLog, size: number): Promise<ReadLog> {
    let { view, until } = from
    let broken: number | undefined
    const read = () => {
      this.#read = { ...from, view, until }
      return this.#read
    }
    try {
      for await (const lines of readLines(file, from.until)) {
        for (const line of lines) {
          if (broken !== undefined) throw brokenLine(this.path, broken)
          const event = parseEventText(line.bytes.toString('utf8'), this.path)
          if (event?.seq !== view.events) {
            broken = view.events + 1
            continue
          }
          view = foldEvent(view, event)
          until = line.offset + line.length + 1
          from.places.add(event, line)
          if (event.type === 'attempt.finished' || event.type === 'attempt.failed')
            from.attempts.add(event, line)
          this.#recent.push(forView(event))
        }
        if (this.#recent.length > 2 * recentAtMost) this.#recent = this.#recent.slice(-recentAtMost)
        for (const tell of this.#listeners) tell({ bytes: until, of: Math.max(size, until) })
      }
    } finally {
      // The events before a broken line were folded, so this result is kept.
      read()
    }
    return read()
  }

  #keep(read: ReadLog): void {
    this.#keptUntil = read.until
    this.#keeping = this.#keeping.then(async () => {
      try {
        await withFile(this.path, this.directory, file => this.indexes.write(this.directory, file, read))
      } catch (error) {
        // The run was removed, so it needs no index.
        if (!(error instanceof SkillOptError)) throw error
      }
    })
    // `close` reports unexpected errors; until then they must not be unhandled rejections.
    this.#keeping.catch(() => undefined)
  }

  /** Reads batches of events from `from` up to `until`, in the form that the fold takes. */
  async *eventsFrom(from: number, until: number): AsyncGenerator<readonly RunEvent[]> {
    const first = this.#recent[0]?.seq ?? Number.POSITIVE_INFINITY
    if (from >= first) {
      const events = this.#recent.slice(from - first, until - first)
      for (let at = 0; at < events.length; at += batchLength) yield events.slice(at, at + batchLength)
      return
    }
    let batch: RunEvent[] = []
    for await (const event of this.#fromDisk(from)) {
      if (event.seq >= until) break
      batch.push(forView(event))
      if (batch.length < batchLength) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }

  async event(seq: number): Promise<RunEvent> {
    const attempts = this.#read?.attempts
    const attempt = attempts?.indexOf(seq) ?? -1
    if (attempts !== undefined && attempt !== -1)
      return withFile(this.path, this.directory, file => this.#eventAt(file, attempts.placeAt(attempt)))
    for await (const event of this.#fromDisk(seq)) return event
    throw new NotFoundError(`The log of this run has no event ${seq}.`)
  }

  async eventsOf<Type extends EventType>(type: Type): Promise<readonly EventOf<Type>[]> {
    const places = this.#read?.places.of(type) ?? []
    return withFile(this.path, this.directory, async file => {
      const events: EventOf<Type>[] = []
      for (const place of places) events.push((await this.#eventAt(file, place)) as EventOf<Type>)
      return events
    })
  }

  async #eventAt(file: FileHandle, { offset, length }: LinePlace): Promise<RunEvent> {
    const bytes = Buffer.allocUnsafe(length)
    const { bytesRead } = await file.read(bytes, 0, length, offset)
    const event = parseEventText(bytes.toString('utf8', 0, bytesRead), this.path)
    if (event !== undefined) return event
    throw new InputError(`${this.path} was changed while it was read.`, { hint: 'Reload the page.' })
  }

  async *#fromDisk(seq: number): AsyncGenerator<RunEvent> {
    const read = this.#read
    if (read === undefined || seq >= read.view.events) return
    const { offset, skip } = read.places.near(seq)
    const file = await openLog(this.path, this.directory)
    try {
      let left = skip
      for await (const lines of readLines(file, offset, read.until)) {
        for (const line of lines) {
          if (left > 0) {
            left -= 1
            continue
          }
          const event = parseEventText(line.bytes.toString('utf8'), this.path)
          if (event !== undefined) yield event
        }
      }
    } finally {
      await file.close()
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#waiting])
    const read = this.#read
    if (read !== undefined && read.until > this.#keptUntil) this.#keep(read)
    await this.#keeping
  }
}

export async function withFile<T>(
  path: string,
  directory: string,
  work: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await openLog(path, directory)
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

async function openLog(path: string, directory: string): Promise<FileHandle> {
  try {
    // Symlinks are rejected, because they could lead out of the chosen folders.
    if ((await lstat(path)).isFile()) return await open(path, 'r')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw unreadable(path, error)
    throw new NotFoundError(`There is no run in ${directory} any more.`, {
      hint: 'It was moved or removed. Start at the list of runs.',
      cause: error,
    })
  }
  throw new InputError(`${path} is not a file.`, { hint: 'A log must be a file of its own, not a link.' })
}
