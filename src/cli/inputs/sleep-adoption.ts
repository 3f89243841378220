import { type AdoptionPlace, recover } from '../../sleep/adopt/index.js'
import { settledText, stateFor } from '../../sleep/proposal/adoption.js'
import { adoptionPlace } from '../../sleep/proposal/adoption-place.js'
import type { SleepProject } from '../../sleep/settings/places.js'
import { loadSettings, type SleepSettings } from '../../sleep/settings/settings.js'
import { configFlags, type TrainFlags } from '../commands/train/train.js'
import type { ProposalView } from '../output/proposal-text.js'
import { trustFor } from '../terminal/ask-trust.js'
import { type Io, warnLine } from '../terminal/io.js'

export type SettingsFlags = Pick<TrainFlags, 'config' | 'cfgOptions' | 'set' | 'trust' | 'json'>

export function settingsFor(io: Io, flags: SettingsFlags): Promise<SleepSettings> {
  const { config, cfgOptions } = flags
  const trust = trustFor(io, flags)
  return loadSettings({ config, cfgOptions, flags: configFlags(flags), env: io.env, cwd: io.cwd, trust })
}

/** The files that the settings allow an adoption to change. */
export async function placeFor(
  io: Io,
  project: SleepProject,
  settings: SleepSettings,
): Promise<AdoptionPlace> {
  return adoptionPlace(project, settings, io)
}

/** Completes or reverts an interrupted adoption before anything else is printed. */
export async function settleEarlier(io: Io, project: SleepProject): Promise<void> {
  const settled = await recover(stateFor(io, project))
  if (settled !== undefined) warnLine(io, `${io.colors.yellow('note:')} ${settledText(settled)}`)
}

export function viewFor(io: Io, full: boolean): ProposalView {
  return { colors: io.colors, cwd: io.cwd, width: Math.max(40, (io.stdout.columns ?? 100) - 10), full }
}
