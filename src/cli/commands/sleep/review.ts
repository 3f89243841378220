import { exitCodes } from '../../../core/errors/errors.js'
import { diffsOf, hiddenIn, type TargetDiff } from '../../../sleep/proposal/adoption.js'
import { chooseProposal, type NightProposal, readProposals } from '../../../sleep/proposal/night-proposals.js'
import {
  placeFor,
  type SettingsFlags,
  settingsFor,
  settleEarlier,
  viewFor,
} from '../../inputs/sleep-adoption.js'
import { headingOf, leftOutText, targetText, timeText } from '../../output/proposal-text.js'
import { shownPath } from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'
import { openSleepProject, printSafeJson, type SleepFlags } from './book.js'

export interface ReviewFlags extends SleepFlags, SettingsFlags {
  readonly night?: number | undefined
  readonly full?: true | undefined
}

/** Prints a proposal: its changes, the reasons and the evidence. Changes nothing. */
export async function reviewProposal(io: Io, flags: ReviewFlags): Promise<number> {
  const project = await openSleepProject(io, flags)
  await settleEarlier(io, project)
  const found = chooseProposal(await readProposals(project.folder), flags.night)
  const place = await placeFor(io, project, await settingsFor(io, flags))
  const diffs = await diffsOf(found, place)
  if (flags.json === true) printSafeJson(io, recordOf(found, diffs))
  else printProposal(io, found, { diffs, full: flags.full === true })
  return exitCodes.ok
}

function printProposal(
  io: Io,
  found: NightProposal,
  { diffs, full }: { readonly diffs: readonly TargetDiff[]; readonly full: boolean },
): void {
  const view = viewFor(io, full)
  printLine(io, headingOf(found, view))
  for (const receipt of found.adopted)
    printLine(io, `adopted ${timeText(receipt.at)}: ${receipt.changes.map(({ name }) => name).join(', ')}`)
  for (const receipt of found.takenBack) printLine(io, `adopted ${timeText(receipt.at)}, undone since`)
  for (const target of found.proposal.targets) {
    const diff = diffs.find(({ name }) => name === target.name)
    if (diff !== undefined) printLine(io, `\n${targetText(found, { target, diff }, view)}`)
  }
  const leftOut = leftOutText(found, view)
  if (leftOut !== '') printLine(io, `\n${leftOut}`)
  printLine(io, `\nDetails are in ${shownPath(found.folder, io.cwd)}.`)
  for (const line of howToAdopt(found)) printLine(io, line)
}

function howToAdopt({ night, proposal, open }: NightProposal): string[] {
  if (!proposal.verdict.accepted) return ['The gate rejected it, so it cannot be adopted.']
  if (open.length === 0) return ['Nothing is left to adopt.']
  const command = `skillopt sleep adopt --night ${night.number}`
  const [target] = open
  const [first, second] = proposal.edits.filter(
    edit => edit.status === 'proposed' && open.includes(edit.target),
  )
  return [
    `Adopt all:   ${command}`,
    ...(open.length > 1 && target !== undefined ? [`Adopt part:  ${command} --target ${target}`] : []),
    ...(first !== undefined && second !== undefined
      ? [`Adopt edits: ${command} --edit ${first.id} (add --measure to measure them first)`]
      : []),
  ]
}

function recordOf({ night, proposal, folder, open, adopted }: NightProposal, diffs: readonly TargetDiff[]) {
  return {
    night: night.number,
    id: proposal.id,
    folder,
    project: proposal.project,
    madeAt: proposal.madeAt,
    simulated: night.outcome?.simulated ?? null,
    verdict: proposal.verdict,
    open,
    adopted: adopted.map(({ at, label, changes }) => ({ at, label, targets: changes.map(one => one.name) })),
    targets: proposal.targets.map(({ name, path }) => {
      const diff = diffs.find(one => one.name === name)
      return {
        name,
        path,
        before: diff?.before ?? null,
        after: diff?.after ?? null,
        problem: diff?.problem ?? null,
        warning: (diff && hiddenIn(diff)) ?? null,
      }
    }),
    measures: proposal.measures,
    edits: proposal.edits,
  }
}
