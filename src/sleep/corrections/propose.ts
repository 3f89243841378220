import { join } from 'node:path'
import { makePrivateFolder } from '../../system/private-file.js'
import { adopt, describeTarget, type Receipt, readLive, sha256, writeProposal } from '../adopt/index.js'
import { nightFormat } from '../model/night-record.js'
import {
  editRegion,
  type Proposal,
  type ProposalEdit,
  proposalFormat,
  proposalId,
} from '../model/proposal.js'
import { openNight } from '../night/begin-and-end.js'
import { documentWith } from '../night/target-setup.js'
import { findTargets } from '../night/targets.js'
import { lockNights } from '../nights/night-lock.js'
import { endNight, nightsFolder } from '../nights/nights.js'
import { adoptionPlace } from '../proposal/adoption-place.js'
import type { SleepProject, Surroundings } from '../settings/places.js'
import type { SleepSettings } from '../settings/settings.js'
import type { CorrectionRule } from './rules.js'

export interface AcceptedCorrections {
  readonly receipt: Receipt
  readonly path: string
  readonly night: number
}

interface AcceptOptions {
  readonly project: SleepProject
  readonly settings: SleepSettings
  readonly surroundings: Surroundings
  readonly sessions: number
}

/**
 * Turns the rules that a person accepted into the proposal of a night without models, and adopts it. Review,
 * receipt and undo work as for every night.
 */
export async function acceptCorrections(
  rules: readonly CorrectionRule[],
  { project, settings, surroundings, sessions }: AcceptOptions,
): Promise<AcceptedCorrections> {
  const place = await adoptionPlace(project, settings, surroundings)
  const sessionsOf = rules.flatMap(({ corrections }) => corrections.map(({ session }) => session))
  await makePrivateFolder(nightsFolder(project.folder))
  const lock = await lockNights(project.folder)
  try {
    const found = await findTargets([{ evidence: { sessions: sessionsOf } }], {
      project,
      settings,
      env: surroundings.env,
      roots: place.roots,
    })
    const { name, path, frame, region } = found.managed
    const edits = rules.map(rule => editOf(rule, name))
    const document = documentWith(frame, editRegion(region, edits).text)
    const { current } = await openNight(project, { fresh: true, check: async () => undefined })
    const madeAt = new Date().toISOString()
    const proposed = '1-rules.md'
    const proposal: Proposal = {
      format: proposalFormat,
      id: proposalId(current.number),
      project: project.root,
      madeAt,
      run: current.folder,
      verdict: {
        accepted: true,
        reason: 'Accepted by you, from your own corrections; nothing was measured.',
      },
      measures: [],
      targets: [
        { ...describeTarget(name, await readLive(path, place.roots)), proposed, after: sha256(document) },
      ],
      edits,
      roots: [...place.roots],
    }
    const folder = join(current.folder, 'proposal')
    await writeProposal(folder, proposal, new Map([[proposed, document]]))
    const reason = `${rules.length} rules from your own corrections; no model was called.`
    await endNight(current.folder, {
      format: nightFormat,
      outcome: 'proposed',
      reason,
      sessions,
      tasks: 0,
      targets: [{ name, status: 'learned', reason }],
      simulated: false,
      endedAt: madeAt,
      spent: { calls: 0, tokens: 0, cost: 0, unknownUsage: 0, unknownCost: 0, activeMs: 0 },
    })
    const receipt = await adopt(folder, place)
    return { receipt, path, night: current.number }
  } finally {
    await lock.release()
  }
}

function editOf({ id, line, corrections }: CorrectionRule, target: string): ProposalEdit {
  return {
    id: `c-${id}`,
    target,
    op: 'append',
    content: line,
    why: `Corrected ${corrections.length} times.`,
    tasks: [],
    sessions: [...new Set(corrections.map(({ session }) => session))].slice(0, 20),
    status: 'proposed',
  }
}
