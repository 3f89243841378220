import { type Config, configSchema, resolveModel } from '../../../core/config/config.js'
import { isSection, leafPaths, valueAt } from '../../../core/config/paths.js'
import { configNode, nodeAt } from '../../../core/config/schema-nodes.js'
import { InputError } from '../../../core/errors/errors.js'
import type { EventBody } from '../../../core/log/event.js'
import { canonicalJson } from '../../../core/text/hash.js'
import { closeModels } from '../../../models/index.js'
import { assemble } from '../../../project/assemble.js'
import { type LoadedProject, type LoadOptions, loadProject } from '../../../project/load.js'
import type { LaunchChanges } from '../../contract/launch.js'
import type { ServerContext } from '../context.js'
import type { LiveRun } from '../runs/types.js'
import type { FoundProject, ProjectList } from './projects.js'
import { optionPath, textOf } from './values.js'

type Started = EventBody<'run.started'>
type World = Pick<ServerContext, 'cwd' | 'env'>

/** The settings a run was started with, and its project. */
export interface RecordedRun {
  readonly project: FoundProject
  /** Changes that give the current project the settings of the run. */
  readonly changes: LaunchChanges
}

/** Reads a run's settings from its log. Throws `InputError` if the run's project is not in the list. */
export async function recordedRun(run: LiveRun, projects: ProjectList, world: World): Promise<RecordedRun> {
  const [started] = await run.eventsOf('run.started')
  if (started === undefined) {
    throw new InputError('The run has not said yet what it was begun with.', {
      hint: 'Wait until it has begun, and try again.',
    })
  }
  const config = await recordedConfig(run, started.body)
  const candidates = await candidatesFor(config, started.body, (await projects.list()).projects, world)
  const found = await theOneOf(candidates, started.body, world)
  if (found !== undefined) return found
  throw new InputError('The project that this run was begun from is not here.', {
    hint: 'Start the dashboard in a folder at most three levels above the project; or go on in a terminal, with `skillopt train <project> --out <the run’s directory>`.',
  })
}

/** The settings of the run, with the caps of its last session, which may differ from the original ones. */
async function recordedConfig(run: LiveRun, { config }: Started): Promise<Config> {
  const { limits } = await run.view()
  const parsed = configSchema.safeParse({ ...(isSection(config) ? config : {}), limits })
  if (parsed.success) return parsed.data
  throw new InputError(
    'The run was begun by another version of skillopt, under options that this one does not have.',
    { hint: 'A new training can start from its best skill: `skillopt train --fork`.' },
  )
}

/**
 * Finds the projects whose name matches the run. If some also have the same skill file and tasks, only those
 * are returned.
 */
async function candidatesFor(
  recorded: Config,
  started: Started,
  projects: readonly FoundProject[],
  world: World,
): Promise<RecordedRun[]> {
  const fitting: (RecordedRun & { readonly isAlike: boolean })[] = []
  for (const project of projects) {
    const loaded = await loadedOrUndefined({ project: project.path, ...world })
    if (loaded === undefined) continue
    const isAlike = partsOf(loaded.config) === partsOf(recorded)
    if (!isNamedAfter(loaded, recorded, started, isAlike)) continue
    fitting.push({ project, isAlike, changes: await changesFor(recorded, loaded, world) })
  }
  const alike = fitting.filter(({ isAlike }) => isAlike)
  return alike.length > 0 ? alike : fitting
}

const partsOf = ({ environment, skill }: Config): string => canonicalJson([environment, skill])

/**
 * Whether the run is named after the project. A custom directory name says nothing about the project; the
 * run's skill file and tasks must then match instead.
 */
function isNamedAfter(
  { name, config }: LoadedProject,
  recorded: Config,
  { run }: Started,
  isAlike: boolean,
): boolean {
  const given = recorded.name ?? config.name
  if (given !== undefined) return given === name
  const isNumbered = run.startsWith(`${name}-`) && /^\d{3,}$/.test(run.slice(name.length + 1))
  return isNumbered || (isAlike && !/-\d{3,}$/.test(run))
}

/** Loads a project, or returns undefined if its config is invalid, so that it is skipped in comparisons. */
async function loadedOrUndefined(options: LoadOptions): Promise<LoadedProject | undefined> {
  return loadProject(options).catch(undefinedIfRefused)
}

function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof InputError)) throw error
}

/**
 * Chooses the candidate with the same task fingerprints as the run. If none matches, the first is used, and
 * its training reports what changed.
 */
async function theOneOf(
  candidates: readonly RecordedRun[],
  { fingerprints }: Started,
  world: World,
): Promise<RecordedRun | undefined> {
  const [first, second] = candidates
  if (second === undefined) return first
  try {
    for (const candidate of candidates) {
      const { project, changes } = candidate
      const loaded = await loadedOrUndefined({ project: project.path, flags: changes, ...world })
      const setup = loaded && (await assemble(loaded).catch(undefinedIfRefused))
      const isSame = (split: string) => setup?.fingerprints[split] === fingerprints[split]
      if (['train', 'val', 'test'].every(isSame)) return candidate
    }
    return first
  } finally {
    await closeModels()
  }
}

/**
 * The changes from the project's settings to the run's. The preset comes first, so that only deviations from
 * it are listed individually.
 */
async function changesFor(recorded: Config, loaded: LoadedProject, world: World): Promise<LaunchChanges> {
  const { preset } = recorded
  if (preset === loaded.config.preset) return changesTo(recorded, loaded.config)
  const under = await loadProject({ project: loaded.file, flags: { preset }, ...world })
  return { preset, ...changesTo(recorded, under.config) }
}

/**
 * The changes that turn one config into another. Values that cannot be written as text, such as a section
 * with free keys, are skipped; a training that needs them fails with an error.
 */
export function changesTo(wanted: Config, now: Config): LaunchChanges {
  const [after, before] = [writtenOut(wanted), writtenOut(now)]
  const changes = leafPaths(after).flatMap((path): [string, string][] => {
    const value = valueAt(after, path)
    if (value === undefined || isSection(value)) return []
    if (canonicalJson(value) === canonicalJson(valueAt(before, path) ?? null)) return []
    const text = textOf(value, nodeAt(configNode, path))
    return text === undefined ? [] : [[optionPath(path), text]]
  })
  return Object.fromEntries(changes)
}

/**
 * Expands model names to sections, so that both spellings compare equal. Drops settings that do not affect a
 * training.
 */
function writtenOut({ preset: _preset, sleep: _sleep, $schema: _schema, ...config }: Config): unknown {
  const { target, optimizer, judge } = config.models
  return {
    ...config,
    models: {
      target: resolveModel(target, 'target'),
      optimizer: resolveModel(optimizer, 'optimizer'),
      ...(judge === undefined ? {} : { judge: resolveModel(judge, 'judge') }),
    },
  }
}
