import { type AdoptionPlace, preview, recover, type Settled } from '../adopt/index.js'
import { InputError } from '../core/errors.js'
import type { NightProposal, ProjectProposals } from '../night-proposals.js'
import { adoptionPlace, adoptionState } from '../sleep/adoption-place.js'
import type { SleepProject } from '../sleep/places.js'
import { loadSettings, type SleepSettings } from '../sleep/settings.js'
import { configFlags, type TrainFlags } from './commands/train.js'
import { type Io, warnLine } from './io.js'
import type { ProposalView, TargetDiff } from './proposal-text.js'

export type SettingsFlags = Pick<TrainFlags, 'config' | 'cfgOptions' | 'set'>

export function settingsFor(io: Io, flags: SettingsFlags): Promise<SleepSettings> {
  const { config, cfgOptions } = flags
  return loadSettings({ config, cfgOptions, flags: configFlags(flags), env: io.env, cwd: io.cwd })
}

/** Where something may be adopted, by the settings. */
export async function placeFor(
  io: Io,
  project: SleepProject,
  settings: SleepSettings,
): Promise<AdoptionPlace> {
  return adoptionPlace(project, settings, io)
}

/** For what asks no settings where files may lie: that was decided when they were adopted. */
export const stateFor = (io: Io, project: SleepProject): AdoptionPlace => ({
  ...adoptionState(project, io),
  roots: [],
})

/** An adoption that was broken off is settled before anything else is said. */
export async function settleEarlier(io: Io, project: SleepProject): Promise<void> {
  const settled = await recover(stateFor(io, project))
  if (settled !== undefined) warnLine(io, `${io.colors.yellow('note:')} ${settledText(settled)}`)
}

export function settledText({ receipt, stands }: Settled): string {
  const what = receipt.kind === 'adopt' ? 'An adoption' : 'The taking back of an adoption'
  const files = receipt.changes.map(({ path }) => path).join(', ')
  return stands
    ? `${what} was stopped at its very end; it is complete: ${files}.`
    : `${what} was stopped in the middle; all of it was put back as it was: ${files}.`
}

export function viewFor(io: Io, full: boolean): ProposalView {
  return { colors: io.colors, cwd: io.cwd, width: Math.max(40, (io.stdout.columns ?? 100) - 10), full }
}

/** What each target says now and would say; where it cannot be adopted, what the night began from. */
export async function diffsOf(found: NightProposal, place: AdoptionPlace): Promise<readonly TargetDiff[]> {
  return Promise.all(
    found.proposal.targets.map(async ({ name }) => {
      try {
        const { changes } = await preview(found.folder, place, { targets: [name] })
        const [change] = changes
        return { name, before: change?.before ?? '', after: change?.after ?? '' }
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        const planned = found.night.plan?.targets.find(target => target.name === name)
        const after = found.texts.get(name) ?? ''
        return { name, before: planned?.live ?? '', after, problem: error.message }
      }
    }),
  )
}

/** The night that a receipt belongs to, as a person says it. */
export function nightOf({ proposals }: ProjectProposals, proposal: string): string {
  const found = proposals.find(one => one.proposal.id === proposal)
  return found === undefined ? `the proposal ${proposal}` : `night ${found.night.number}`
}
