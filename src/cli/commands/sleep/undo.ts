import { exitCodes, InputError } from '../../../core/errors/errors.js'
import { readAdoptions, undo } from '../../../sleep/adopt/index.js'
import { takenBackWords } from '../../../sleep/model/wording.js'
import { nightOf, stateFor } from '../../../sleep/proposal/adoption.js'
import { readProposals } from '../../../sleep/proposal/night-proposals.js'
import { settleEarlier } from '../../inputs/sleep-adoption.js'
import { timeText } from '../../output/proposal-text.js'
import { clean, shownPath } from '../../output/text.js'
import { agreesToChange } from '../../terminal/confirm.js'
import { type Io, printLine, warnLine } from '../../terminal/io.js'
import { openSleepProject, printSafeJson, type SleepFlags } from './book.js'

export interface UndoFlags extends SleepFlags {
  readonly force?: true | undefined
  readonly yes?: true | undefined
}

/** Reverts the newest adoption that is still in effect. */
export async function undoAdoption(io: Io, flags: UndoFlags): Promise<number> {
  const project = await openSleepProject(io, flags)
  await settleEarlier(io, project)
  const { standing } = await readAdoptions(project.folder)
  const last = standing.at(-1)
  if (last === undefined) {
    throw new InputError('Nothing to undo: this project has no adopted proposal.', {
      hint: '`skillopt sleep status` shows what was adopted and when.',
    })
  }
  const which = nightOf(await readProposals(project.folder), last.proposal)
  const files = last.changes.map(({ path }) => clean(shownPath(path, io.cwd)))
  if (flags.json !== true) {
    printLine(io, `Undoing what was adopted from ${which} on ${timeText(last.at)}:`)
    // With `--yes` the files are not listed before, because each is printed afterwards with its result.
    if (flags.yes !== true) for (const file of files) printLine(io, `  ${file}`)
  }
  if (!(await agreesToChange(io, flags, 'Undo this?'))) {
    warnLine(io, 'Nothing was changed.')
    return exitCodes.interrupted
  }
  const receipt = await undo(stateFor(io, project), { force: flags.force === true, receipt: last.number })
  if (flags.json === true) {
    printSafeJson(io, receipt)
    return exitCodes.ok
  }
  const changed = new Map(receipt.changes.map(change => [change.path, change]))
  for (const { path } of last.changes) {
    const change = changed.get(path)
    printLine(io, `  ${clean(shownPath(path, io.cwd))}: ${takenBackWords(change)}`)
  }
  if (last.changes.some(({ path }) => changed.get(path)?.merged === true))
    printLine(io, 'Your own text around the region is kept.')
  return exitCodes.ok
}
