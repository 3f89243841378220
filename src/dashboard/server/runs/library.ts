import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import PQueue from 'p-queue'
import { testedPairs } from '../../../app/evaluation-details.js'
import { stateOf } from '../../../app/run-state.js'
import { SkillOptError } from '../../../core/errors/errors.js'
import type { RunView } from '../../../core/view/run-view.js'
import { eventsFile } from '../../../store/disk.js'
import { skilloptHome } from '../../../system/home.js'
import type { ReadingProgress, RunSummary } from '../../contract/runs.js'
import type { ServerContext } from '../context.js'
import { NotFoundError } from '../not-found.js'
import { KeptIndexes } from './kept-index.js'
import { FollowedRun } from './live-run.js'
import { findRuns, type RunPlace } from './places.js'
import { summaryOf, unreadSummary } from './summary.js'
import type { LiveRun, RunLibrary } from './types.js'

/** Milliseconds that the list waits for logs to be read. After that it reports the progress instead. */
const patienceMs = 250
const lookEveryMs = 1_000
/** Number of runs kept fully in memory. For the others only the list row is kept. */
const keptOpen = 12

/** The list's knowledge about a run. */
interface Entry {
  place: RunPlace
  /** Signature of the log from which `view` was computed; undefined until then. */
  seen: string | undefined
  view: Pick<RunView, 'outcome' | 'kind' | 'stages' | 'pid'> | undefined
  line: RunSummary | undefined
  problem: string | undefined
  progress: ReadingProgress | undefined
  reading: Promise<void> | undefined
}

export function createRunLibrary(context: Omit<ServerContext, 'runs'>): RunLibrary {
  const indexes = new KeptIndexes(join(skilloptHome(context), 'view', 'index'))
  const entries = new Map<string, Entry>()
  /** Open runs, from least to most recently used. */
  const open = new Map<string, FollowedRun>()
  const queue = new PQueue({ concurrency: 2 })
  const listeners = new Set<() => void>()
  let scanning: Promise<readonly Entry[]> | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const tell = () => {
    for (const listener of listeners) listener()
  }

  const scan = (): Promise<readonly Entry[]> => {
    scanning ??= findEntries().finally(() => {
      scanning = undefined
    })
    return scanning
  }
  const findEntries = async (): Promise<readonly Entry[]> => {
    const places = await findRuns(context)
    const found = places.map(place => {
      const known = entries.get(place.id)
      if (known !== undefined) {
        known.place = place
        return known
      }
      const entry: Entry = {
        place,
        seen: undefined,
        view: undefined,
        line: undefined,
        problem: undefined,
        progress: undefined,
        reading: undefined,
      }
      entries.set(place.id, entry)
      return entry
    })
    const ids = new Set(places.map(({ id }) => id))
    for (const id of entries.keys()) if (!ids.has(id)) entries.delete(id)
    return found
  }

  const runOf = (place: RunPlace): FollowedRun => {
    const run = open.get(place.id) ?? new FollowedRun(place, indexes)
    open.delete(place.id)
    open.set(place.id, run)
    const idle = [...open.values()].filter(one => !one.isFollowed && one !== run)
    for (const one of idle.slice(0, Math.max(0, open.size - keptOpen))) {
      open.delete(one.id)
      // Closing writes the index in the background. Its failure must not affect the caller, who opened a
      // different run.
      one.close().catch(() => undefined)
    }
    return run
  }

  const read = async (entry: Entry): Promise<void> => {
    const before = await seenOf(entry.place)
    try {
      const run = runOf(entry.place)
      const view = await run.view(progress => {
        entry.progress = progress
      })
      const tested = await testedPairs(view, ref => run.text(ref))
      entry.line = summaryOf(entry.place, view, { state: 'running', tested })
      entry.view = view
      entry.problem = undefined
    } catch (error) {
      if (!(error instanceof SkillOptError)) throw error
      entry.problem = error.message
    }
    entry.seen = before
    entry.progress = undefined
  }

  /** Reads the log if it changed since the last time. Resolves once the entry is current. */
  const refresh = async (entry: Entry): Promise<void> => {
    if (entry.reading === undefined && (await seenOf(entry.place)) === entry.seen) return
    entry.reading ??= queue
      .add(() => read(entry))
      .finally(() => {
        entry.reading = undefined
        if (!isClosed) tell()
      })
    await entry.reading
  }

  const lineOf = async (entry: Entry): Promise<RunSummary> => {
    const { place, line, view, problem, progress } = entry
    if (problem !== undefined) return unreadSummary(place, { problem })
    if (line === undefined || view === undefined)
      return unreadSummary(place, { reading: progress ?? { bytes: 0, of: 0 } })
    return { ...line, state: await stateOf(view) }
  }

  const list = async (): Promise<readonly RunSummary[]> => {
    const found = await scan()
    const fresh = Promise.all(found.map(refresh))
    await Promise.race([fresh, sleep(patienceMs, undefined, { ref: false })])
    // Later results reach the page through the watchers. A failure occurs again at the next poll.
    fresh.catch(() => undefined)
    const lines = await Promise.all(found.map(lineOf))
    return lines.toSorted((one, other) => other.lastAt - one.lastAt)
  }

  /** A signature of everything the list depends on. */
  const look = async (): Promise<string> => {
    const found = await scan()
    const marks = await Promise.all(
      found.map(async ({ place, view, progress }) => [
        place.id,
        await seenOf(place),
        progress?.bytes,
        view === undefined ? undefined : await stateOf(view),
      ]),
    )
    return JSON.stringify(marks)
  }
  let looked: string | undefined
  const watchOn = () => {
    timer ??= setTimeout(async () => {
      timer = undefined
      if (listeners.size === 0 || isClosed) return
      // If a folder is temporarily unreadable, the old signature is kept until the next poll.
      const now = await look().catch(() => looked)
      // The first poll notifies too, because something may have changed after the list was made.
      if (now !== looked) tell()
      looked = now
      watchOn()
    }, lookEveryMs).unref()
  }

  return {
    list,
    watch(listener) {
      listeners.add(listener)
      watchOn()
      return () => listeners.delete(listener)
    },
    async open(id): Promise<LiveRun> {
      const entry = entries.get(id) ?? (await scan()).find(({ place }) => place.id === id)
      if (entry !== undefined) return runOf(entry.place)
      throw new NotFoundError('There is no such run here.', {
        hint: 'It may have been moved or removed. Start at the list of runs.',
      })
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      queue.clear()
      await queue.onIdle()
      await Promise.all([...open.values()].map(run => run.close()))
    },
  }
}

/** Signature of a log file. It differs after every change, including the file's removal. */
async function seenOf({ directory }: RunPlace): Promise<string> {
  try {
    const { size, mtimeMs, ino } = await stat(join(directory, eventsFile))
    return `${size} ${mtimeMs} ${ino}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
