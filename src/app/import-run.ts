import { access, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { structuredName } from '../compat/config/names.js'
import { metricOf } from '../compat/run-directory/evaluations.js'
import { eventsOf, type Identity } from '../compat/run-directory/events.js'
import { RunFolder } from '../compat/run-directory/folder.js'
import { type ReferenceRun, readReferenceRun } from '../compat/run-directory/run.js'
import { isSecretKey } from '../core/config/secret-keys.js'
import { dotted, leafPaths } from '../core/config/tree.js'
import { InputError } from '../core/errors/errors.js'
import type { RunEvent } from '../core/log/event.js'
import { createView, foldEvent, type RunView } from '../core/view/fold.js'
import { type DiskStore, openDiskStore } from '../store/disk.js'
import { lockRunDirectory } from '../store/lock.js'
import { runsFolder } from '../store/run-directories.js'
import { writeRunFiles } from '../store/run-files/write.js'

export interface ImportOptions {
  /** The output folder of the Python run, its `out_root`. */
  readonly from: string
  /** Name of the run below `runs/`; defaults to the folder's name. */
  readonly name?: string | undefined
  readonly cwd: string
}

export interface Imported {
  readonly directory: string
  readonly view: RunView
  /** Sentences on data that exists but could not be imported. */
  readonly notes: readonly string[]
}

/** Imports a run of the Python SkillOpt. The imported log works with all commands that read runs. */
export async function importRun({ from, name, cwd }: ImportOptions): Promise<Imported> {
  const folder = new RunFolder(resolve(cwd, from))
  const run = await readReferenceRun(folder)
  const directory = await freeDirectory(name ?? basename(folder.path), cwd)
  try {
    return await writeRun(run, { folder, from, directory })
  } catch (error) {
    // A partial import would look like a complete run. Its directory contains nothing else, so it is removed.
    await rm(directory, { recursive: true, force: true })
    throw error
  }
}

async function writeRun(
  run: ReferenceRun,
  { folder, from, directory }: { folder: RunFolder; from: string; directory: string },
): Promise<Imported> {
  const notes: string[] = []
  const lock = await lockRunDirectory(directory)
  try {
    const store = await openDiskStore(directory)
    try {
      const importing = {
        folder,
        ...metricOf(run.config),
        put: (text: string) => store.put(text),
        note: (sentence: string) => void notes.push(sentence),
      }
      const events = eventsOf(importing, run, identityOf(run, from, directory))
      const view = await writeAll(store, events, startOf(run))
      await store.flush()
      await writeRunFiles(directory, store)
      return { directory, view, notes }
    } finally {
      await store.close()
    }
  } finally {
    await lock.release()
  }
}

async function freeDirectory(name: string, cwd: string): Promise<string> {
  if (!/^[\w][\w.-]*$/.test(name)) {
    throw new InputError(`Invalid run name "${name}".`, {
      hint: 'Choose one with --name, of letters, digits, dots, hyphens and underscores.',
    })
  }
  const directory = join(cwd, runsFolder, name)
  const isFree = await access(directory).then(
    () => false,
    () => true,
  )
  if (isFree) return directory
  throw new InputError(`${join(runsFolder, name)} already exists.`, {
    hint: 'Choose another name with --name, or remove it with `skillopt runs rm`.',
  })
}

/** The run's settings in sections, named as in its own config. Secrets and empty values are left out. */
function identityOf({ config }: ReferenceRun, from: string, directory: string): Identity {
  const shown: Record<string, Record<string, unknown>> = {}
  for (const [key, value] of Object.entries(config)) {
    if (isSecretKey(key) || value === '' || value === null) continue
    const [section = 'env', name = key] = structuredName(key).includes('.')
      ? structuredName(key).split('.')
      : []
    shown[section] = { ...shown[section], [name]: value }
  }
  const sources = leafPaths(shown).map(path => [dotted(path), 'imported'])
  return { run: basename(directory), from, config: shown, sources: Object.fromEntries(sources) }
}

/** Time at which the run started: the time of its last file minus the recorded duration. */
function startOf({ endedAt, history, summary }: ReferenceRun): number {
  const worked = history.reduce((sum, { wall_time_s }) => sum + (wall_time_s ?? 0), 0)
  return (endedAt ?? Date.now()) - Math.round((summary?.total_wall_time_s ?? worked) * 1000)
}

async function writeAll(
  store: DiskStore,
  events: ReturnType<typeof eventsOf>,
  start: number,
): Promise<RunView> {
  let view = createView()
  let at = start
  for await (const { type, body, after } of events) {
    at += after
    const event = { seq: store.length, at, type, body } as RunEvent
    await store.append(event)
    view = foldEvent(view, event)
  }
  return view
}
