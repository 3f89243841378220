import { resolveModel } from '../core/config/config.js'
import { type PresetName, presetNames } from '../core/config/presets.js'
import type { Price, Role } from '../core/ports/model.js'
import { closeModels, priceEntry } from '../models/index.js'
import { assemble, loadTasks } from '../project/assemble.js'
import { loadProject } from '../project/load.js'
import { projectWarnings } from '../project/warnings.js'
import { readVersion } from '../store/run-directories.js'
import { type Forecast, forecast } from '../trainer/forecast/forecast.js'
import { isFree, type Setup } from '../trainer/loops/setup.js'
import { earlierRuns, measuredFor } from './earlier-runs.js'
import type { TrainOptions } from './train.js'

export interface TrainingForecast extends Forecast {
  readonly name: string
  readonly simulated: boolean
  /** True if every model is known to be free, so that no confirmation is needed. */
  readonly free: boolean
  readonly preset: PresetName
  readonly prices: readonly PriceSource[]
  /** The forecast for each preset. The settings in the project's config still take precedence. */
  readonly presets: readonly (Forecast['total'] & { readonly preset: PresetName })[]
  readonly warnings: readonly string[]
}

export interface PriceSource {
  readonly role: Role
  readonly model: string
  /** US dollars per million tokens; undefined if unknown. */
  readonly price: Price | undefined
  readonly from: 'config' | 'provider' | 'price table' | 'unknown'
  /** For a price from the price table: when it was looked up, and where. */
  readonly date?: string
  readonly source?: string
}

/**
 * Forecasts a new training without calling a model, writing or paying for anything. Invalid input is rejected
 * as by `train`.
 */
export async function forecastTraining(
  options: Pick<
    TrainOptions,
    'project' | 'config' | 'flags' | 'cfgOptions' | 'env' | 'cwd' | 'environment' | 'fork'
  >,
): Promise<TrainingForecast> {
  const cwd = options.cwd ?? process.cwd()
  const given = { ...options, env: options.env ?? process.env }
  const loaded = await loadProject(given)
  const fork = options.fork === undefined ? {} : { skill: (await readVersion(options.fork, cwd)).text }
  try {
    const setup = await assemble(loaded, { environment: options.environment, ...fork })
    const earlier = await earlierRuns(setup.name, cwd)
    const presets: TrainingForecast['presets'][number][] = []
    for (const preset of presetNames) {
      const { config } = await loadProject({ ...given, flags: { ...options.flags, preset } })
      const tasks = await loadTasks(setup.environment, config)
      const { total } = await forecast({ ...setup, config, tasks }, measuredFor({ config, tasks }, earlier))
      presets.push({ preset, ...total })
    }
    return {
      name: setup.name,
      simulated: setup.simulated,
      free: isFree(setup.models),
      preset: setup.config.preset,
      ...(await forecast(setup, measuredFor(setup, earlier))),
      prices: pricesOf(setup),
      presets,
      warnings: projectWarnings(loaded, setup),
    }
  } finally {
    await closeModels()
  }
}

/** Forecasts a setup, using figures from the project's earlier runs. */
export async function forecastFor(setup: Setup, cwd: string): Promise<Forecast> {
  return forecast(setup, measuredFor(setup, await earlierRuns(setup.name, cwd)))
}

function pricesOf({ config, models }: Setup): PriceSource[] {
  return (['target', 'optimizer', 'judge'] as const).flatMap((role): PriceSource[] => {
    const [model, named] = [models[role], config.models[role]]
    if (model === undefined || named === undefined) return []
    const { price } = model
    const known = { role, model: model.id, price }
    if (price === undefined) return [{ ...known, from: 'unknown' }]
    if (resolveModel(named, role).price !== undefined) return [{ ...known, from: 'config' }]
    const entry = priceEntry(model.id)
    if (entry?.input !== price.input || entry.output !== price.output) return [{ ...known, from: 'provider' }]
    return [{ ...known, from: 'price table', date: entry.date, source: entry.source }]
  })
}
