import { rmSync } from 'node:fs'
import { lstat, mkdir, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { messageOf } from '../../../core/errors/errors.js'
import { inBatches } from '../../../system/batches.js'
import { makeOwnFolder, ownerOf, ownPrefix } from '../../../system/own-folder.js'
import { isAlive } from '../../../system/process-identity.js'
import { removeFolder } from '../../../system/remove-folder.js'
import { endAttempt, signalAttempt } from './processes.js'

/**
 * The folders of one attempt. None contains another: an agent's sandbox opens its TMPDIR to the tools, and
 * nothing else.
 */
export interface AgentPlace {
  /** Identifies the attempt; its processes carry it in their environment. */
  readonly mark: string
  readonly folder: string
  readonly home: string
  readonly config: string
  readonly temporary: string
  /** Where the agent works. */
  readonly workspace: string
}

/** A placeholder for dry runs: nothing is written there. */
export const noPlace: AgentPlace = {
  mark: '',
  folder: '',
  home: '',
  config: '',
  temporary: '',
  workspace: '',
}

/** Used by this attempt alone and named after our process, so that leftovers of a crash can be recognised. */
export async function openPlace(root: string = tmpdir()): Promise<AgentPlace> {
  const folder = await makeOwnFolder(root)
  const inside = (name: string) => join(folder, name)
  const place = {
    mark: basename(folder),
    folder,
    home: inside('home'),
    config: inside('config'),
    temporary: inside('tmp'),
    workspace: inside('work'),
  }
  removeOnExit(place)
  await inBatches([place.home, place.config, place.temporary, place.workspace], path => mkdir(path))
  return place
}

/** Call once all processes of the attempt have ended. */
export async function closePlace({ mark, folder }: AgentPlace): Promise<void> {
  await removeFolder(folder)
  openPlaces.delete(mark)
}

/**
 * Removes the folders and running agents that dead processes of ours have left. Returns the number of
 * places.
 */
export async function clearStalePlaces(root: string = tmpdir()): Promise<number> {
  const names = (await readdir(root)).filter(name => name.startsWith(ownPrefix))
  const cleared = await Promise.all(names.map(name => clearIfStale(root, name)))
  return cleared.filter(isCleared => isCleared).length
}

async function clearIfStale(root: string, name: string): Promise<boolean> {
  const owner = ownerOf(name)
  if (owner === undefined || (await isAlive(owner.pid, owner.start))) return false
  if (!(await isOurs(join(root, name)))) return false
  await endAttempt(name)
  await removeFolder(join(root, name))
  return true
}

/** In a shared folder, others may have created links or their own folders. */
async function isOurs(path: string): Promise<boolean> {
  try {
    const stats = await lstat(path)
    return stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid())
  } catch (error) {
    // Another process has just removed it.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

const openPlaces = new Map<string, string>()
let isWatchingExit = false

/** A second Ctrl-C exits at once, and the agents, in their own process groups, would not receive it. */
function removeOnExit({ mark, folder }: AgentPlace): void {
  openPlaces.set(mark, folder)
  if (isWatchingExit) return
  isWatchingExit = true
  process.once('exit', () => {
    for (const [mark, folder] of openPlaces) removeAtExit(mark, folder)
  })
}

function removeAtExit(mark: string, folder: string): void {
  signalAttempt(mark, 'SIGKILL')
  try {
    // Dying processes may hold files open for a moment.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
  } catch (error) {
    process.stderr.write(`${folder} could not be removed (${messageOf(error)}); the next start will retry.\n`)
  }
}
