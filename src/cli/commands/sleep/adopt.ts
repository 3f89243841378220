import { exitCodes, InputError } from '../../../core/errors/errors.js'
import { sensitiveAdditions, sensitiveText } from '../../../core/redaction/sensitive.js'
import { visibleLine } from '../../../core/text/visible.js'
import {
  type AdoptionPlace,
  adopt,
  type Choice,
  type Preview,
  preview,
  type Receipt,
} from '../../../sleep/adopt/index.js'
import type { MeasuredChoice } from '../../../sleep/measure/measure-choice.js'
import { adoptedWords } from '../../../sleep/model/wording.js'
import { hiddenIn } from '../../../sleep/proposal/adoption.js'
import { chooseProposal, type NightProposal, readProposals } from '../../../sleep/proposal/night-proposals.js'
import type { SleepSettings } from '../../../sleep/settings/settings.js'
import { placeFor, settingsFor, settleEarlier, viewFor } from '../../inputs/sleep-adoption.js'
import { diffText, headingOf, scoreText } from '../../output/proposal-text.js'
import { clean, plural, points, shownPath } from '../../output/text.js'
import { agreesToChange, confirmEvaluation } from '../../terminal/confirm.js'
import { interruptible } from '../../terminal/interrupt.js'
import { type Io, printLine, warnLine } from '../../terminal/io.js'
import { createDisplay } from '../../terminal/live.js'
import { sayEnd, type TrainFlags } from '../train/train.js'
import { openSleepProject, printSafeJson, type SleepFlags } from './book.js'

export interface AdoptFlags
  extends SleepFlags,
    Pick<
      TrainFlags,
      'config' | 'cfgOptions' | 'set' | 'maxCalls' | 'maxTokens' | 'maxCost' | 'maxTime' | 'yes' | 'quiet'
    > {
  readonly night?: number | undefined
  readonly target?: readonly string[] | undefined
  readonly edit?: readonly string[] | undefined
  readonly measure?: true | undefined
}

interface Chosen {
  readonly found: NightProposal
  readonly choice: Choice
  readonly place: AdoptionPlace
  readonly settings: SleepSettings
}

/** Applies a proposal, or parts of it, to the user's files. Shows the changes and asks first. */
export async function adoptProposal(io: Io, flags: AdoptFlags): Promise<number> {
  const project = await openSleepProject(io, flags)
  await settleEarlier(io, project)
  const found = chooseProposal(await readProposals(project.folder), flags.night)
  const settings = await settingsFor(io, flags)
  const place = await placeFor(io, project, settings)
  const chosen = { found, choice: choiceOf(found, flags), place, settings }
  const previewed = await preview(found.folder, place, chosen.choice)
  if (flags.json !== true) printPreview(io, found, { ...previewed, measure: flags.measure })

  const measured = await measuredIfAsked(io, { ...chosen, ...previewed }, flags)
  if (measured !== undefined && measured.outcome !== 'accepted') return sayNotMeasured(io, measured, flags)
  if (!(await agreesToChange(io, flags, question(previewed)))) {
    warnLine(io, 'Nothing was changed.')
    return exitCodes.interrupted
  }
  const choice = { ...chosen.choice, seen: previewed.seen, measured: measured?.measured }
  const receipt = await adopt(found.folder, place, choice)
  const why = receipt.label === 'measured' ? undefined : previewed.unmeasured
  if (flags.json === true) printSafeJson(io, recordOf(found, receipt, { why, measured }))
  else printAdopted(io, receipt, why)
  return exitCodes.ok
}

/**
 * The chosen part of a proposal. Targets that were adopted before are left out, unless the user named a
 * target or an edit.
 */
function choiceOf({ proposal, open }: NightProposal, { target, edit }: AdoptFlags): Choice {
  const isRest = open.length > 0 && open.length < proposal.targets.length
  const targets = target ?? (isRest && edit === undefined ? open : undefined)
  return { targets, edits: edit }
}

function printPreview(
  io: Io,
  found: NightProposal,
  { changes, unmeasured, measure }: Preview & Pick<AdoptFlags, 'measure'>,
): void {
  const view = viewFor(io, true)
  printLine(io, headingOf(found, view))
  for (const { name, path, before = '', after } of changes) {
    printLine(io, `\n${io.colors.bold(visibleLine(name))}  ${clean(shownPath(path, io.cwd))}`)
    const warning = hiddenIn({ before, after })
    if (warning !== undefined) printLine(io, `${io.colors.red('warning:')} ${warning}`)
    const additions = sensitiveText(sensitiveAdditions(before, after))
    if (additions !== undefined) printLine(io, `${io.colors.red('adds:')} ${visibleLine(additions)}`)
    printLine(io, diffText({ name, before, after }, view))
  }
  printLine(io)
  if (unmeasured === undefined || measure === true) return
  printLine(
    io,
    `${io.colors.yellow('unmeasured:')} ${clean(unmeasured)} Pass --measure to measure it first.\n`,
  )
}

const question = ({ changes }: Preview): string =>
  changes.length === 1 ? 'Write this?' : `Write these ${changes.length} files?`

async function measuredIfAsked(
  io: Io,
  { found, settings, place, changes, unmeasured }: Chosen & Preview,
  flags: AdoptFlags,
): Promise<MeasuredChoice | undefined> {
  if (flags.measure !== true) return undefined
  if (unmeasured === undefined) {
    if (flags.json !== true) printLine(io, 'The night already measured exactly this.\n')
    return undefined
  }
  const display = createDisplay(io, { quiet: flags.json ?? flags.quiet })
  const interrupt = interruptible(io, display.note)
  // Imported only here, because it loads all the code that training needs.
  const { measureChoice } = await import('../../../sleep/measure/measure-choice.js')
  try {
    const measured = await measureChoice({
      night: found.night,
      project: place.project,
      changes,
      settings,
      signal: interrupt.signal,
      onEvent: display.event,
      onNotice: display.note,
      confirm: confirmEvaluation(io, flags),
    })
    display.close()
    if (flags.json !== true) for (const line of measuredLines(measured)) printLine(io, line)
    return measured
  } finally {
    display.close()
    interrupt.dispose()
  }
}

function measuredLines({ targets, simulated }: MeasuredChoice): string[] {
  const lines = targets.flatMap(({ name, accepted, reason, validation, test }) => [
    `${visibleLine(name)}: ${accepted ? 'accepted' : 'not accepted'}. ${visibleLine(reason)}`,
    `  validation ${points(validation.before)} → ${points(validation.after)}`,
    ...(test === undefined
      ? []
      : [`  on ${plural(test.tasks, 'fresh task')} ${scoreText(test.before)} → ${scoreText(test.after)}`]),
  ])
  return [
    ...(simulated ? ['SIMULATED: the models are simulated; this says nothing about real ones.'] : []),
    ...lines,
    '',
  ]
}

function sayNotMeasured(io: Io, measured: MeasuredChoice, flags: AdoptFlags): number {
  const { outcome, error, directory, targets } = measured
  if (flags.json === true) printSafeJson(io, { outcome, targets, directory })
  if (outcome !== 'rejected' && outcome !== 'accepted') {
    const code = sayEnd(io, { outcome, error, directory })
    warnLine(io, 'No file was changed.')
    return code
  }
  const failed = targets.find(({ accepted }) => !accepted)
  throw new InputError(`The gate rejected ${failed?.name}: ${failed?.reason}`, {
    hint: 'Nothing was changed. Choose other edits, or adopt the whole proposal, which the night measured.',
  })
}

function printAdopted(io: Io, { changes, label, proposal }: Receipt, why: string | undefined): void {
  const { colors } = io
  const made = changes.map(change => `  ${clean(shownPath(change.path, io.cwd))}: ${adoptedWords(change)}`)
  printLine(io, colors.green(`Adopted, ${label}:`))
  for (const line of made) printLine(io, line)
  if (why !== undefined) printLine(io, `Unmeasured, because: ${clean(why)}`)
  printLine(io, `To undo: skillopt sleep undo (${clean(proposal)})`)
}

function recordOf(
  { night }: NightProposal,
  receipt: Receipt,
  { why, measured }: { readonly why: string | undefined; readonly measured: MeasuredChoice | undefined },
) {
  return {
    night: night.number,
    label: receipt.label,
    unmeasuredBecause: why ?? null,
    receipt,
    measured: measured === undefined ? null : { targets: measured.targets, directory: measured.directory },
  }
}
