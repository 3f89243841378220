import {
  adopt,
  type Choice,
  preview,
  type Receipt,
  readAdoptions,
  recover,
  undo,
} from '../../../sleep/adopt/index.js'
import { settledText, stateFor } from '../../../sleep/proposal/adoption.js'
import { readProposals } from '../../../sleep/proposal/night-proposals.js'
import { shownPath } from '../../../system/shown-path.js'
import type {
  SleepAdoption,
  SleepChanged,
  SleepChoice,
  SleepPreview,
  SleepUndo,
} from '../../contract/sleep.js'
import type { ServerContext } from '../context.js'
import { measureCommand } from './commands.js'
import { placeOf, proposalOf, shownDiff } from './night.js'
import { receiptsOf } from './overview.js'
import type { KnownProject } from './projects.js'

/** Previews, adopts and undoes proposals with the same code as the command line. */

export async function previewOf(
  project: KnownProject,
  night: number,
  choice: SleepChoice,
  context: ServerContext,
): Promise<SleepPreview> {
  const { folder } = await proposalOf(project, night)
  const { changes, unmeasured, seen } = await preview(
    folder,
    await placeOf(project, context),
    choiceFrom(choice),
  )
  return {
    changes: changes.map(({ name, path, before, after }) => ({
      name,
      path: shownPath(path, context.cwd),
      isNew: before === undefined,
      ...shownDiff({ before: before ?? '', after }),
    })),
    unmeasured,
    seen,
    measureCommand: measureCommand(project, context.cwd, night, choice),
  }
}

const choiceFrom = ({ targets, edits }: SleepChoice): Choice => ({
  targets,
  ...(edits === undefined ? {} : { edits }),
})

export async function adoptChoice(
  project: KnownProject,
  night: number,
  { choice, seen }: SleepAdoption,
  context: ServerContext,
): Promise<SleepChanged> {
  const settled = await settle(project, context)
  const { folder } = await proposalOf(project, night)
  const receipt = await adopt(folder, await placeOf(project, context), { ...choiceFrom(choice), seen })
  return changed(receipt, settled, project, context)
}

export async function undoAdoption(
  project: KnownProject,
  { receipt: number, force }: SleepUndo,
  context: ServerContext,
): Promise<SleepChanged> {
  const settled = await settle(project, context)
  const receipt = await undo(stateFor(context, project), { receipt: number, force })
  return changed(receipt, settled, project, context)
}

/** Completes or reverts an interrupted adoption. Returns the result as a sentence. */
export async function settle(project: KnownProject, context: ServerContext): Promise<string | undefined> {
  const settled = await recover(stateFor(context, project))
  return settled && settledText(settled)
}

async function changed(
  { number }: Receipt,
  settled: string | undefined,
  project: KnownProject,
  context: ServerContext,
): Promise<SleepChanged> {
  const adoptions = await readAdoptions(project.folder)
  const { proposals } = await readProposals(project.folder)
  const receipts = receiptsOf({ adoptions, proposals }, context.cwd)
  const receipt = receipts.find(one => one.number === number)
  if (receipt === undefined) throw new Error(`The receipt ${number} was written and is nowhere.`)
  return { receipt, settled }
}
