import type { Session } from '../../core/ports/environment.js'
import { removeFolder } from '../../system/remove-folder.js'
import { usualTurns } from '../../tasks/own/options.js'
import { type FolderState, stateOfFolder } from './folder-state.js'
import type { ProjectCopies, ProjectState } from './project.js'
import { lookAtWork } from './work-done.js'
import type { Work } from './work-text.js'

/** Project copies in which attempts are running. */
export interface Workplaces {
  open(state: ProjectState): Promise<Pick<Session, 'workspace' | 'turnLimit' | 'close'>>
  /** Reports the work done in an open copy. */
  previewSession(workspace: string, state: ProjectState): Promise<Work>
}

/**
 * Opens workplaces for attempts. A copy's original state is kept in memory rather than in the copy, where the
 * agent could change it.
 */
export function createWorkplaces({ make, makeSome }: Pick<ProjectCopies, 'make' | 'makeSome'>): Workplaces {
  const given = new Map<string, FolderState>()
  return {
    async open(state) {
      const workspace = await make(state)
      const close = async () => {
        given.delete(workspace)
        await removeFolder(workspace)
      }
      try {
        given.set(workspace, await stateOfFolder(workspace))
      } catch (error) {
        await close()
        throw error
      }
      return { workspace, turnLimit: usualTurns, close }
    },
    async previewSession(workspace, state) {
      const before = given.get(workspace)
      if (before === undefined) throw new Error(`The copy ${workspace} was not opened here, or is closed.`)
      return lookAtWork(workspace, before, paths => makeSome(state, paths))
    },
  }
}
