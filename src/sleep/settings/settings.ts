import { join, resolve } from 'node:path'
import { type SleepConfig, sleepSchema } from '../../core/config/sleep-config.js'
import { InputError } from '../../core/errors/errors.js'
import { type LoadedProject, type LoadOptions, loadProject } from '../../project/load.js'
import { atHome, userHome } from '../../system/home.js'
import { isThere } from '../../system/private-file.js'
import { sleepHome } from './places.js'

export interface SleepSettings {
  readonly loaded: LoadedProject
  readonly sleep: SleepConfig
  /**
   * Folder in which an embedder's packages are looked up. It is the folder of the settings file, or Sleep's
   * own without such a file, and never an arbitrary project.
   */
  readonly packages: string
  /** True if an optimizer is configured, the model that writes tasks. */
  readonly hasOptimizer: boolean
}

/** Placeholder where a model is required but not configured. */
export const noModel = 'none/none'
const environment = { use: 'sleep-tasks' }
const models = { target: noModel, optimizer: noModel }

/**
 * Default options of a night. A night is short, because later nights continue from its result. It has too few
 * tasks to test edits one by one, so the gate judges each patch as a whole.
 */
const nightly = { 'train.epochs': 2, 'train.loop': 'steps', 'evaluation.gate': 'guarded' }

/**
 * Loads Sleep's settings: a training config without skill and environment, which Sleep determines itself. The
 * default file is `sleep.yaml` in Sleep's folder, if it exists.
 */
export async function loadSettings(
  options: Pick<LoadOptions, 'cfgOptions' | 'flags' | 'env' | 'cwd' | 'trust'> & {
    readonly config?: string | undefined
  },
): Promise<SleepSettings> {
  const { cfgOptions, flags, env, trust, cwd = process.cwd() } = options
  const home = sleepHome({ env, cwd })
  const usual = join(home, 'sleep.yaml')
  const file = options.config ?? ((await isThere(usual)) ? usual : undefined)
  const loaded = await loadProject({
    cfgOptions,
    flags,
    env,
    cwd,
    trust,
    forSleep: true,
    config: file ?? { environment, models },
    defaults: {
      'environment.use': environment.use,
      'models.target': noModel,
      'models.optimizer': noModel,
      ...nightly,
    },
  })
  if (loaded.config.train.loop !== 'steps') {
    throw new InputError(`Nights train with train.loop: steps, not ${loaded.config.train.loop}.`, {
      hint: 'Leave `train.loop` out of the settings of Sleep.',
    })
  }
  const sleep = sleepSchema.parse(loaded.config.sleep ?? {})
  const places = Object.entries(sleep.places ?? {}).map(
    async ([source, paths]) =>
      [source, await Promise.all(paths.map(path => placeAt(path, loaded.baseDir, env)))] as const,
  )
  const found = Object.fromEntries(await Promise.all(places))
  return {
    loaded,
    packages: file === undefined ? home : loaded.baseDir,
    sleep: { ...sleep, ...(sleep.places === undefined ? {} : { places: found }) },
    hasOptimizer: loaded.config.models.optimizer !== noModel,
  }
}

/**
 * Resolves a configured folder with transcripts, which must exist. Only default folders may be missing,
 * because the agent may not have written anything yet.
 */
async function placeAt(path: string, baseDir: string, env: LoadOptions['env']): Promise<string> {
  const place = resolve(baseDir, atHome(path, userHome(env)))
  if (await isThere(place)) return place
  throw new InputError(`sleep.places names ${path}, but there is no ${place}.`, {
    hint: 'Name the folder that holds the transcripts, or leave it out to look where the agent writes them.',
  })
}
