import { realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { InputError } from '../../../core/errors/errors.js'
import { contentHash } from '../../../core/text/hash.js'
import { listNights } from '../../../sleep/nights/nights.js'
import { hasRun, runDirectories } from '../../../store/run-directories.js'
import { shownPath } from '../../../system/shown-path.js'
import type { ServerContext } from '../context.js'
import { findProjects } from '../sleep/projects.js'

/** A run directory that the dashboard may show. */
export interface RunPlace {
  readonly id: string
  readonly directory: string
  /** Display path. */
  readonly shown: string
  readonly sleep?: { readonly project: string; readonly night: number }
}

/** Finds all runs in the chosen folders, and those of the nights of the shown projects. */
export async function findRuns(context: Omit<ServerContext, 'runs'>): Promise<readonly RunPlace[]> {
  const { cwd, folders } = context
  const found = new Map<string, RunPlace>()
  const add = (directory: string, sleep?: RunPlace['sleep']) => {
    const id = idOf(directory)
    const about = { id, directory, shown: shownPath(directory, cwd) }
    // A run that is found both in a chosen folder and in a night counts as the night's.
    if (sleep !== undefined || !found.has(id))
      found.set(id, { ...about, ...(sleep === undefined ? {} : { sleep }) })
  }
  for (const folder of folders) {
    // A chosen folder may itself be a run.
    if (await hasRun(folder)) add(await realpath(folder))
    else for (const directory of await runDirectories(folder)) add(directory)
  }
  for (const { directory, ...sleep } of await nightRuns(context)) add(directory, sleep)
  return [...found.values()]
}

/** The runs of Sleep's nights. Damaged nights are left out; the Sleep pages report them. */
async function nightRuns(
  context: Omit<ServerContext, 'runs'>,
): Promise<readonly { readonly directory: string; readonly project: string; readonly night: number }[]> {
  try {
    const { projects } = await findProjects(context)
    const ofProjects = await Promise.all(
      projects.map(async ({ root, folder }) =>
        (await listNights(folder)).map(({ number, folder: night }) => ({ root, number, night })),
      ),
    )
    const ofNights = await Promise.all(
      ofProjects.flat().map(async ({ root, number, night }) =>
        (await runDirectories(join(night, 'runs'), 1)).map(directory => ({
          directory,
          project: root,
          night: number,
        })),
      ),
    )
    return ofNights.flat()
  } catch (error) {
    if (error instanceof InputError) return []
    throw error
  }
}

/** A readable name plus a hash of the path, because two folders may hold runs of the same name. */
function idOf(directory: string): string {
  const name = basename(directory)
    .replaceAll(/[^\w.-]+/g, '_')
    .slice(0, 60)
  return `${name}-${contentHash(directory).slice(0, 8)}`
}
