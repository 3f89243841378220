import { readdir } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { quickstartFolder } from '../../../app/quickstart.js'
import { contentHash } from '../../../core/text/hash.js'
import { configFiles } from '../../../project/load.js'
import type { LaunchProject } from '../../contract/launch.js'
import { NotFoundError } from '../not-found.js'

const deepest = 3
const mostProjects = 200
/** Maximum number of folders to search. A home directory can have tens of thousands. */
const mostFolders = 10_000

export interface FoundProject extends LaunchProject {
  readonly path: string
}

export interface ProjectList {
  list(): Promise<{ readonly projects: readonly FoundProject[]; readonly isCut: boolean }>
  /** Finds a project by its id in the list. Throws `NotFoundError` for any other id. */
  find(id: string): Promise<FoundProject>
}

/** Lists the projects in and below a folder, and the bundled example. The search reads only file names. */
export function createProjectList(cwd: string): ProjectList {
  let known: readonly FoundProject[] = []
  const list = async () => {
    const { folders, isCut } = await projectFolders(cwd)
    const own = folders.map(path => described(path, cwd))
    known = [...own, bundled]
    return { projects: known, isCut }
  }
  return {
    list,
    async find(id) {
      const byId = (projects: readonly FoundProject[]) => projects.find(project => project.id === id)
      const found = byId(known) ?? byId((await list()).projects)
      if (found !== undefined) return found
      throw new NotFoundError('There is no such project here.', {
        hint: 'Choose one of the list: it has the folders with a skillopt.yaml, from where the dashboard was started.',
      })
    },
  }
}

const idOf = (path: string): string => contentHash(path).slice(0, 12)

const bundled: FoundProject = {
  id: 'quickstart',
  name: 'quickstart',
  folder: 'bundled with skillopt',
  bundled: true,
  path: quickstartFolder,
}

function described(path: string, cwd: string): FoundProject {
  const folder = relative(cwd, path).split(sep).join('/')
  return { id: idOf(path), name: basename(path), folder: folder === '' ? '.' : folder, bundled: false, path }
}

/** Finds project folders, nearest first. Symlinks may lead elsewhere or form cycles, so they are skipped. */
async function projectFolders(
  cwd: string,
): Promise<{ readonly folders: readonly string[]; readonly isCut: boolean }> {
  const folders: string[] = []
  let level = [cwd]
  let looked = 0
  for (let depth = 0; depth <= deepest; depth += 1) {
    const below: string[] = []
    for (const folder of level) {
      if (looked === mostFolders || folders.length === mostProjects) return { folders, isCut: true }
      looked += 1
      const entries = await entriesOf(folder)
      if (entries.some(entry => !entry.isDirectory() && configFiles.includes(entry.name)))
        folders.push(folder)
      const inner = entries.filter(entry => entry.isDirectory() && mayHoldProjects(entry.name))
      below.push(...inner.map(entry => join(folder, entry.name)).sort())
    }
    level = below
  }
  return { folders, isCut: false }
}

const mayHoldProjects = (name: string): boolean =>
  !name.startsWith('.') && name !== 'node_modules' && name !== 'runs'

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The folder was removed in the meantime, or the user may not read it.
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EPERM' || code === 'ENOTDIR') return []
    throw error
  }
}
