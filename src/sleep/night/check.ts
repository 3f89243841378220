import { loadSource } from '../../agents/registry/transcript-sources.js'
import { resolveModel } from '../../core/config/config.js'
import { InputError } from '../../core/errors/errors.js'
import type { Model, Role } from '../../core/ports/model.js'
import { withAgentDefaults } from '../../project/agents.js'
import type { LoadedProject } from '../../project/load.js'
import { openModel } from '../../project/models.js'
import { loadGate } from '../../project/parts.js'
import { checkLimits } from '../../run/budget.js'
import { readBook } from '../book/book.js'
import { loadEmbedder } from '../mining/load-embedder.js'
import { nightsFolder } from '../nights/nights.js'
import { openCopies } from '../replay/project.js'
import type { SleepProject, Surroundings } from '../settings/places.js'
import { noModel, type SleepSettings } from '../settings/settings.js'
import { withNightModels, worksOnFiles } from './target-setup.js'
import { checkTargets } from './targets.js'

/** Reports problems that would make a night fail later, before it reads sessions and pays a model. */

const roles = ['target', 'optimizer', 'judge'] as const

interface CheckedPlace {
  readonly project: SleepProject
  readonly settings: SleepSettings
  readonly surroundings: Surroundings
  /** Folders in which targets may be, with links resolved. */
  readonly roots: readonly string[]
}

export async function checkNight({ project, settings, surroundings, roots }: CheckedPlace): Promise<void> {
  const { loaded, sleep } = settings
  await checkParts(settings)
  // A handoff folder belongs inside a night's folder. No night exists yet, so the check uses the folder of
  // all nights.
  const named = await withAgentDefaults(withNightModels(loaded, {}, nightsFolder(project.folder)))
  checkLimits(loaded.config.limits, await openNamedModels(named))
  const { tasks } = await readBook(project.folder, project.root)
  await checkTargets(tasks, { project, settings, env: surroundings.env, roots })
  // If no target is configured, the night chooses an agent.
  const mayCopy = !isNamed('target', loaded) || (await worksOnFiles(loaded.config))
  if (sleep.copies && mayCopy) await openCopies({ project: project.root, commits: new Map() }, [])
}

/** Checks that the configured sources, embedder and gate exist. */
export async function checkParts({ sleep, loaded, packages }: SleepSettings): Promise<void> {
  await Promise.all([...(sleep.sources ?? []), ...Object.keys(sleep.places ?? {})].map(loadSource))
  if (sleep.embedder !== undefined) await loadEmbedder(sleep.embedder, { baseDir: loaded.baseDir, packages })
  await loadGate(loaded)
}

export type NamedModels = Partial<Record<Role, Model>>

/**
 * Opens the models of the configured roles. The other roles are chosen later, when the night has its tasks.
 */
export async function openNamedModels(loaded: LoadedProject): Promise<NamedModels> {
  const opened: NamedModels = {}
  for (const role of namedRoles(loaded)) {
    const model = await openModel(role, loaded)
    if (model !== undefined) opened[role] = model
  }
  return opened
}

export const namedRoles = (loaded: LoadedProject): Role[] => roles.filter(role => isNamed(role, loaded))

function isNamed(role: Role, { config }: LoadedProject): boolean {
  const reference = config.models[role]
  return reference !== undefined && reference !== noModel
}

export function refuseSimulated({ loaded }: SleepSettings): void {
  for (const role of namedRoles(loaded)) {
    const reference = loaded.config.models[role]
    if (reference === undefined || !resolveModel(reference, role).model.startsWith('simulated/')) continue
    throw new InputError(
      `The ${role} is simulated: it knows nothing of real work, and what it finds would look like findings.`,
      {
        hint: 'Name a real model. `skillopt sleep experiment` shows a night on simulated models, with sessions that are made up.',
      },
    )
  }
}
