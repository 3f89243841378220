import { InputError } from '../../../core/errors/errors.js'
import { visible, visibleLine } from '../../../core/text/visible.js'
import { type Receipt, readUnfinished } from '../../../sleep/adopt/index.js'
import { adoptedWords, takenBackWords } from '../../../sleep/model/wording.js'
import { type Night, targetSlug } from '../../../sleep/nights/nights.js'
import { type NightProposal, waiting } from '../../../sleep/proposal/night-proposals.js'
import { clockTime, nextNight, type Scheduled } from '../../../sleep/schedule/index.js'
import { type SleepStatus, sleepStatus } from '../../../sleep/status/status.js'
import { shownPath } from '../../../system/shown-path.js'
import type {
  SleepNightLine,
  SleepNightTarget,
  SleepOverview,
  SleepProjectLine,
  SleepReceipt,
  SleepSchedule,
} from '../../contract/sleep.js'
import type { ServerContext } from '../context.js'
import { projectCommands } from './commands.js'
import { type KnownProject, nameOf } from './projects.js'

/** The state of a project: what `skillopt sleep status` shows, and all nights. */
export async function overviewOf(project: KnownProject, context: ServerContext): Promise<SleepOverview> {
  const status = await sleepStatus(project, context)
  const runs = await runsOf(project, context)
  const unfinished = await unfinishedIn(project)
  const { openNight, waiting: waits, tasks, harvestedAt } = status
  const { cwd } = context
  return {
    line: { ...lineOf(project, status, cwd), problems: [...status.problems, ...unfinished.problems] },
    keptIn: shownPath(status.folder, cwd),
    log: shownPath(status.log, cwd),
    openNight: openNight && {
      number: openNight.night.number,
      at: openNight.night.begun.at,
      isAtWork: openNight.isAtWork,
      prompts: openNight.prompts,
    },
    waiting: waits && {
      night: waits.proposal.night.number,
      madeAt: waits.proposal.proposal.madeAt,
      simulated: waits.proposal.night.outcome?.simulated === true,
      targets: waits.proposal.open,
      edits: openEdits(waits.proposal),
      changed: waits.changed,
    },
    unfinished: unfinished.sentence,
    tasks: { ...tasks, harvestedAt },
    nights: status.nights.map(night => nightLine(night, status, runs)).toReversed(),
    receipts: receiptsOf(status, cwd).toReversed(),
    commands: projectCommands(project, cwd),
  }
}

function openEdits({ proposal, open }: NightProposal): number {
  return proposal.edits.filter(edit => edit.status === 'proposed' && open.includes(edit.target)).length
}

export function lineOf(project: KnownProject, status: SleepStatus, cwd: string): SleepProjectLine {
  const { lastNight, openNight, schedule } = status
  return {
    ...nameOf(project, cwd),
    isKnown: status.isKnown,
    problems: status.problems,
    lastNight: lastNight?.outcome && {
      number: lastNight.number,
      endedAt: lastNight.outcome.endedAt,
      outcome: lastNight.outcome.outcome,
      simulated: lastNight.outcome.simulated,
    },
    openNight: openNight && { number: openNight.night.number, isAtWork: openNight.isAtWork },
    waiting: status.waiting?.proposal.night.number,
    schedule: schedule && scheduleOf(schedule),
  }
}

function scheduleOf({ system, job, problem }: Scheduled): SleepSchedule {
  if (job === undefined) return { system, problem }
  const next = nextNight(job, new Date()).toISOString()
  return { system, problem, time: clockTime(job), next, command: visibleLine(job.command.join(' ')) }
}

/** Ids in the run list by night and folder name. */
export type NightRuns = ReadonlyMap<string, string>

const runKey = (night: number, slug: string): string => `${night}/${slug}`

/** The runs of a project's nights. A run's folder is named after its target. */
export async function runsOf(project: KnownProject, { runs }: ServerContext): Promise<NightRuns> {
  const own = (await runs.list()).filter(({ sleep }) => sleep?.project === project.root)
  return new Map(
    own.map(({ id, directory, sleep }) => [
      runKey(sleep?.night ?? 0, directory.split(/[\\/]/).at(-1) ?? ''),
      id,
    ]),
  )
}

/** Id of the run that mined tasks. No target is named `mining`, because names begin with a kind. */
export const miningRun = (night: number, runs: NightRuns): string | undefined =>
  runs.get(runKey(night, 'mining'))

export function nightLine(
  night: Night,
  { proposals }: Pick<SleepStatus, 'proposals'>,
  runs: NightRuns,
): SleepNightLine {
  const { number, begun, outcome } = night
  const proposal = proposals.find(one => one.night.number === number)
  const became = proposal === undefined ? undefined : stateOf(proposal, proposals)
  const state = became ?? (night.proposal === undefined ? undefined : 'damaged')
  return {
    number,
    begunAt: begun.at,
    end: outcome && {
      at: outcome.endedAt,
      outcome: outcome.outcome,
      reason: visibleLine(outcome.reason),
      simulated: outcome.simulated,
      sessions: outcome.sessions,
      tasks: outcome.tasks,
      spent: outcome.spent,
      capped: outcome.capped,
    },
    targets: targetsOf(night, runs),
    ...(state === undefined ? {} : { proposal: state }),
  }
}

function stateOf(found: NightProposal, all: readonly NightProposal[]): SleepNightLine['proposal'] {
  const { proposal, open, adopted } = found
  if (!proposal.verdict.accepted) return 'not accepted'
  const own = new Set(adopted.flatMap(({ changes }) => changes.map(({ name }) => name)))
  if (own.size > 0) return own.size === proposal.targets.length ? 'adopted' : 'adopted in part'
  if (open.length === 0) return 'superseded'
  return waiting({ proposals: all }) === found ? 'waits' : 'not adopted'
}

function targetsOf({ number, plan, outcome }: Night, runs: NightRuns): readonly SleepNightTarget[] {
  const names = outcome?.targets.map(({ name }) => name) ?? plan?.targets.map(({ name }) => name) ?? []
  return names.map(name => {
    const end = outcome?.targets.find(target => target.name === name)
    return {
      name: visibleLine(name),
      ...(end === undefined ? {} : { status: end.status, reason: visibleLine(end.reason), test: end.test }),
      run: runs.get(runKey(number, targetSlug(name))),
    }
  })
}

export function receiptsOf(
  { adoptions: { all, standing }, proposals }: Pick<SleepStatus, 'adoptions' | 'proposals'>,
  cwd: string,
): readonly SleepReceipt[] {
  return all.map(receipt => ({
    ...receiptOf(receipt, cwd),
    stands: standing.includes(receipt),
    isNewest: receipt === standing.at(-1),
    night: proposals.find(({ proposal }) => proposal.id === receipt.proposal)?.night.number,
  }))
}

function receiptOf(
  { number, kind, at, label, undoes, edits, changes }: Receipt,
  cwd: string,
): Omit<SleepReceipt, 'stands' | 'isNewest' | 'night'> {
  return {
    number,
    kind,
    at,
    label,
    undoes,
    edits: edits?.map(visibleLine),
    files: changes.map(change => ({
      name: visibleLine(change.name),
      path: visible(shownPath(change.path, cwd)),
      how: kind === 'adopt' ? adoptedWords(change) : takenBackWords(change),
    })),
  }
}

/**
 * A change that was interrupted. A damaged journal is reported as a problem and does not hide the rest of the
 * project.
 */
async function unfinishedIn({ folder }: KnownProject): Promise<{
  readonly sentence?: string
  readonly problems: readonly string[]
}> {
  try {
    const receipt = await readUnfinished(folder)
    if (receipt === undefined) return { problems: [] }
    const what = receipt.kind === 'adopt' ? 'An adoption' : 'The taking back of an adoption'
    const files = receipt.changes.map(({ path }) => path).join(', ')
    return { problems: [], sentence: `${what} is under way, or was stopped in the middle: ${files}.` }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { problems: [error.message] }
  }
}
