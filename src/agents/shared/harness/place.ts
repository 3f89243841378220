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
 * The folders of one attempt. `folder` holds the other four side by side, because an agent's sandbox opens
 * all of TMPDIR to the tools.
 */
export interface AgentPlace {
  /** Identifies the attempt; its processes carry it in their environment. */
  readonly mark: string
  readonly folder: string
  readonly home: string
  readonly config: string
  readonly temporary: string
  /** The folder in which the agent works. */
  readonly workspace: string
}

/** Placeholder for checking settings without an attempt; nothing is written there. */
export const noPlace: AgentPlace = {
  mark: '',
  folder: '',
  home: '',
  config: '',
  temporary: '',
  workspace: '',
}

/** Creates an attempt's folders, named after our process so that leftovers of a crash can be recognised. */
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

/** Removes the folders; call it once all processes of the attempt have ended. */
export async function closePlace({ mark, folder }: AgentPlace): Promise<void> {
  await removeFolder(folder)
  openPlaces.delete(mark)
}

/**
 * Removes the folders and stops the agents that crashed processes of ours left behind. Returns how many
 * attempts were cleaned up.
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

/** Whether this user owns the folder. In a shared parent, others may create links or folders. */
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

/** Ends agents at exit: after a second Ctrl-C we exit at once, and they do not receive the signal. */
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
