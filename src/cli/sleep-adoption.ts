import { type AdoptionPlace, recover } from '../adopt/index.js'
import { adoptionPlace } from '../sleep/adoption-place.js'
import type { SleepProject } from '../sleep/places.js'
import { loadSettings, type SleepSettings } from '../sleep/settings.js'
import { settledText, stateFor } from '../sleep-adoption.js'
import { configFlags, type TrainFlags } from './commands/train.js'
import { type Io, warnLine } from './io.js'
import type { ProposalView } from './proposal-text.js'
import { trustFor } from './trust.js'

export type SettingsFlags = Pick<TrainFlags, 'config' | 'cfgOptions' | 'set' | 'trust' | 'json'>

export function settingsFor(io: Io, flags: SettingsFlags): Promise<SleepSettings> {
  const { config, cfgOptions } = flags
  const trust = trustFor(io, flags)
  return loadSettings({ config, cfgOptions, flags: configFlags(flags), env: io.env, cwd: io.cwd, trust })
}

/** Where something may be adopted, by the settings. */
export async function placeFor(
  io: Io,
  project: SleepProject,
  settings: SleepSettings,
): Promise<AdoptionPlace> {
  return adoptionPlace(project, settings, io)
}

/** An adoption that was broken off is settled before anything else is said. */
export async function settleEarlier(io: Io, project: SleepProject): Promise<void> {
  const settled = await recover(stateFor(io, project))
  if (settled !== undefined) warnLine(io, `${io.colors.yellow('note:')} ${settledText(settled)}`)
}

export function viewFor(io: Io, full: boolean): ProposalView {
  return { colors: io.colors, cwd: io.cwd, width: Math.max(40, (io.stdout.columns ?? 100) - 10), full }
}
