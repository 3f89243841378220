import { resolveModel } from '../../core/config/config.js'
import { CapReachedError, type SkillOptError } from '../../core/errors/errors.js'
import type { Limits } from '../../run/budget.js'
import type { Spent } from '../../run/spending.js'
import { inSession } from '../../session/session.js'
import { capsLeft, spentIn } from '../../session/shared-caps.js'
import { hasRun } from '../../store/run-directories.js'
import type { Forecast } from '../../trainer/forecast/forecast.js'
import type { Setup } from '../../trainer/loops/setup.js'
import { dreamTasks, forecastDreams } from '../dreams/dream-tasks.js'
import { assembleForMining } from '../mining/assemble-mining.js'
import { variantGuard } from '../mining/held-out.js'
import { loadEmbedder } from '../mining/load-embedder.js'
import type { NightPlan } from '../model/night-record.js'
import type { SleepTask } from '../model/sleep-task.js'
import type { SleepSettings } from '../settings/settings.js'
import { withNightModels } from './target-setup.js'
import { type NightWork, runDirectory, spentElsewhere, wholeNight } from './train-target.js'

export type Dreamed =
  | { readonly tasks: readonly SleepTask[] }
  | { readonly stopped: 'paused' | 'interrupted'; readonly error: SkillOptError }

interface Dreaming {
  readonly settings: SleepSettings
  readonly folder: string
  readonly allowSimulated: boolean
}

/**
 * Creates variants of tonight's tasks if the settings ask for them. If a cap is reached, the night continues
 * without them.
 */
export async function dreamTonight(work: NightWork, allowSimulated: boolean): Promise<Dreamed> {
  const { night, plan, settings, signal, onEvent, onNotice } = work
  const { sleep, loaded, packages } = settings
  if (sleep.dreams === 0) return { tasks: [] }
  const setup = await setupOfDreams(plan, { settings, folder: night.folder, allowSimulated })
  const directory = runDirectory(night, 'dreams')
  const others = await spentElsewhere(directory, work, setup)
  const limits = await capsOf(directory, setup, others)
  if (limits === undefined) return { tasks: [] }
  const embedder =
    sleep.embedder === undefined
      ? undefined
      : await loadEmbedder(sleep.embedder, { baseDir: loaded.baseDir, packages })
  work.onPart?.({ name: 'dreams', directory, resumed: await hasRun(directory) })
  const name = `night ${night.number} dreams`
  const identity = { kind: 'mine', name, sources: loaded.sources, epochs: 0, stepsPerEpoch: 0 } as const
  const { outcome, value, error } = await inSession(
    { ...setup, config: { ...setup.config, limits } },
    { directory, identity, signal, onEvent, onNotice },
    run =>
      dreamTasks(run, plan.tasks, {
        prompts: setup.prompts,
        variants: sleep.dreams,
        guard: variantGuard(plan.tasks, embedder),
        lanes: 2 * resolveModel(setup.config.models.optimizer, 'optimizer').concurrency,
        writtenBy: setup.models.optimizer.id,
      }),
  )
  if ((outcome === 'paused' || outcome === 'interrupted') && error !== undefined)
    return { stopped: outcome, error }
  return { tasks: value?.tasks ?? [] }
}

/** Undefined if a cap is used up. */
async function capsOf(
  directory: string,
  { config, models }: Setup,
  others: Spent,
): Promise<Limits | undefined> {
  try {
    return capsLeft(config.limits, { own: await spentIn(directory, models), others }, wholeNight)
  } catch (error) {
    if (error instanceof CapReachedError) return undefined
    throw error
  }
}

export async function forecastTonightsDreams(
  plan: NightPlan,
  dreaming: Dreaming,
): Promise<Forecast | undefined> {
  const { dreams } = dreaming.settings.sleep
  if (dreams === 0) return undefined
  return forecastDreams(await setupOfDreams(plan, dreaming), plan.tasks, dreams)
}

function setupOfDreams(plan: NightPlan, { settings, folder, allowSimulated }: Dreaming): Promise<Setup> {
  return assembleForMining(withNightModels(settings.loaded, plan.models, folder), { allowSimulated })
}
