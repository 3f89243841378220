import { type FSWatcher, watch } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../../core/errors/errors.js'
import { nightsFolder } from '../../../sleep/nights/nights.js'
import { type Surroundings, sleepHome } from '../../../sleep/settings/places.js'

export interface SleepListener {
  changed(): void
  /** Called if the system does not report all changes of the files. */
  unwatched(reason: string): void
  /** Called when the server closes. No other calls follow. */
  ended(): void
}

export interface SleepWatch {
  /** Returns an unsubscribe function. */
  listen(listener: SleepListener): () => void
}

/** Milliseconds to wait for further changes. A night writes several files at once. */
const gatherMs = 200

/**
 * Reports changes of Sleep's data. Only single folders are watched, not whole trees, because the runs of a
 * night write constantly and have their own live pages. Without listeners nothing is watched.
 */
export function watchSleep(surroundings: Surroundings, signal: AbortSignal): SleepWatch {
  const listeners = new Set<SleepListener>()
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined
  let problem: string | undefined

  const fail = (error: unknown) => {
    problem = `The system does not tell of changes: ${messageOf(error)}`
    for (const { unwatched } of listeners) unwatched(problem)
  }
  const noticed = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      for (const { changed } of listeners) changed()
      refresh()
    }, gatherMs)
  }
  const forget = (folder: string) => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  const add = (folder: string) => {
    try {
      const watcher = watch(folder, { persistent: false }, noticed)
      // A removed folder ends its watcher. The next change looks for the folder again.
      watcher.on('error', () => forget(folder))
      watchers.set(folder, watcher)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') fail(error)
    }
  }
  const refresh = () => {
    void foldersOf(surroundings).then(folders => {
      if (listeners.size === 0) return
      for (const folder of watchers.keys()) if (!folders.has(folder)) forget(folder)
      for (const folder of folders) if (!watchers.has(folder)) add(folder)
    }, fail)
  }
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
    for (const folder of [...watchers.keys()]) forget(folder)
  }
  // All watchers share one abort listener, because Node limits the number per signal.
  signal.addEventListener(
    'abort',
    () => {
      stop()
      for (const { ended } of listeners) ended()
    },
    { once: true },
  )

  return {
    listen(listener) {
      if (signal.aborted) listener.ended()
      listeners.add(listener)
      if (problem !== undefined) listener.unwatched(problem)
      refresh()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop()
      }
    },
  }
}

/** All existing folders whose data the pages show. */
async function foldersOf(surroundings: Surroundings): Promise<ReadonlySet<string>> {
  const home = sleepHome(surroundings)
  const projects = join(home, 'projects')
  const folders = [home, projects]
  for (const name of await namesIn(projects)) {
    const project = join(projects, name)
    const nights = nightsFolder(project)
    folders.push(project, nights, join(project, 'adoption'), join(project, 'adoption', 'receipts'))
    for (const night of await namesIn(nights)) folders.push(join(nights, night))
  }
  return new Set(folders)
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder, { withFileTypes: true }))
      .filter(entry => entry.isDirectory())
      .map(({ name }) => name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
