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
  /** Where packages of an embedder are looked for: beside the settings, and never in a project that has none. */
  readonly packages: string
  /** Whether a model is named that can write tasks. */
  readonly hasOptimizer: boolean
}

/** Stands where a config has to name a model, and nobody has. */
export const noModel = 'none/none'
const environment = { use: 'sleep-tasks' }
const models = { target: noModel, optimizer: noModel }

/**
 * A night is short: others follow, and go on where it ended. It has too few tasks to try edits one by one, so that a
 * patch is judged as a whole.
 */
const nightly = { 'train.epochs': 2, 'train.loop': 'steps', 'evaluation.gate': 'guarded' }

/**
 * The settings of Sleep: a config file as trainings have them, without skill and environment, which Sleep finds itself.
 * It is `sleep.yaml` in the folder of Sleep, if there is one.
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
    ...{ cfgOptions, flags, env, cwd, trust, forSleep: true },
    config: file ?? { environment, models },
    defaults: {
      ...{ 'environment.use': environment.use, 'models.target': noModel, 'models.optimizer': noModel },
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

/** What an agent has not written yet is nothing to speak of; a place that a person names, and that is none, is. */
async function placeAt(path: string, baseDir: string, env: LoadOptions['env']): Promise<string> {
  const place = resolve(baseDir, atHome(path, userHome(env)))
  if (await isThere(place)) return place
  throw new InputError(`sleep.places names ${path}, but there is no ${place}.`, {
    hint: 'Name the folder that holds the transcripts, or leave it out to look where the agent writes them.',
  })
}
