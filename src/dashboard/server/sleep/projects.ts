import { contentHash } from '../../../core/text/hash.js'
import { isInside } from '../../../sleep/model/proposal.js'
import { openProject, type SleepProject } from '../../../sleep/settings/places.js'
import { knownProjects } from '../../../sleep/status/status.js'
import { shownPath } from '../../../system/shown-path.js'
import type { SleepProjectName } from '../../contract/sleep.js'
import type { ServerContext } from '../context.js'
import { NotFoundError } from '../not-found.js'

/** A project that the dashboard may show. */
export interface KnownProject extends SleepProject {
  /** Identifies the project in URLs. */
  readonly id: string
  /** Whether the dashboard was started in this project. */
  readonly isHere: boolean
}

export interface FoundProjects {
  /** All projects, with the one that the dashboard was started in first. */
  readonly projects: readonly KnownProject[]
  readonly elsewhere: number
  readonly unknown: readonly string[]
}

/** Finds the current project, even if new to Sleep, and Sleep's projects in the chosen folders. */
export async function findProjects(context: Omit<ServerContext, 'runs'>): Promise<FoundProjects> {
  const here = await openProject('.', context)
  const { projects, unknown } = await knownProjects(context)
  const others = projects.filter(({ root }) => root !== here.root)
  const folders = [here.root, ...context.folders]
  const shown = others.filter(({ root }) => folders.some(folder => folder === root || isInside(folder, root)))
  return {
    projects: [
      { ...here, id: idOf(here), isHere: true },
      ...shown.map(project => ({ ...project, id: idOf(project), isHere: false })),
    ],
    elsewhere: others.length - shown.length,
    unknown,
  }
}

const idOf = ({ root }: SleepProject): string => contentHash(root).slice(0, 12)

/** The project's id and display path. */
export function nameOf({ id, root, isHere }: KnownProject, cwd: string): SleepProjectName {
  return { id, folder: shownPath(root, cwd), isHere }
}

/** Finds a project by id among those that may be shown. */
export async function projectWith(id: string, context: ServerContext): Promise<KnownProject> {
  const { projects } = await findProjects(context)
  const found = projects.find(project => project.id === id)
  if (found !== undefined) return found
  throw new NotFoundError('There is no such project here.', {
    hint: 'Start at the list of projects. A project is shown where the dashboard was started in it, or in a folder above it.',
  })
}

/** Parses the number of a night in a URL. Throws `NotFoundError` if it is invalid. */
export function nightNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new NotFoundError('There is no such night in this project.', { hint: nightHint })
}

export const nightHint = 'The page of the project lists its nights.'
