import { dirname, join, resolve } from 'node:path'
import { agents } from '../../agents/registry/install-targets.js'
import { atHome, userHome } from '../../system/home.js'
import { type AdoptionPlace, realPathOf } from '../adopt/index.js'
import { type SleepProject, type Surroundings, sleepHome } from '../settings/places.js'
import type { SleepSettings } from '../settings/settings.js'

/** Paths of a project's adoption state. They need no settings, so an undo works without them. */
export function adoptionState(
  { root, folder }: SleepProject,
  surroundings: Surroundings,
): Omit<AdoptionPlace, 'roots'> {
  return { project: root, folder, locks: join(sleepHome(surroundings), 'locks') }
}

/** Like `adoptionState`, with the roots: the folders in which a night may propose changes. */
export async function adoptionPlace(
  project: SleepProject,
  settings: SleepSettings,
  surroundings: Surroundings,
): Promise<AdoptionPlace> {
  const roots = await writableRoots(project, settings, surroundings)
  return { ...adoptionState(project, surroundings), roots }
}

/**
 * Returns the project, the folders of the person's own skills and the additional folders from the settings,
 * with links resolved.
 */
export async function writableRoots(
  { root }: Pick<SleepProject, 'root'>,
  { sleep, loaded }: SleepSettings,
  { env }: Pick<Surroundings, 'env'>,
): Promise<readonly string[]> {
  const home = userHome(env)
  const named = sleep.skillRoots.map(folder => resolve(loaded.baseDir, atHome(folder, home)))
  const isPath = /[\\/]/.test(sleep.skill)
  const folders = [
    root,
    ...agents.map(({ userFolder }) => resolve(root, userFolder(env, home))),
    ...named,
    ...(isPath ? [dirname(resolve(root, atHome(sleep.skill, home)))] : []),
  ]
  return [...new Set(await Promise.all(folders.map(folder => realPathOf(folder))))]
}
