import { readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { CapReachedError, InputError, type SkillOptError } from '../../core/errors/errors.js'
import type { RunView } from '../../core/view/fold.js'
import { finishHandoff } from '../../models/handoff.js'
import { hasRun, viewRun } from '../../store/run-directories.js'
import { inWords, isThere, removeDrafts } from '../../system/private-file.js'
import { readAdoptions, readLive, writeProposal } from '../adopt/index.js'
import { type NightOutcome, type NightPlan, nightFormat } from '../model/night-record.js'
import { beginNight, endNight, listNights, type Night } from '../nights/nights.js'
import { type NightSpending, outcomeOf, spentOf } from '../proposal/outcome.js'
import { proposalOf } from '../proposal/proposal.js'
import { isAdoptable, resultsOf } from '../proposal/target-result.js'
import { readTraining } from '../proposal/training-log.js'
import type { SleepProject } from '../settings/places.js'
import { keptProject } from './target-setup.js'
import type { NightWork, TaughtTarget } from './train-target.js'

/** Training results of a night that has not ended yet. */
export interface Trained {
  readonly runs: readonly TaughtTarget[]
  /** The cap that ended the night early. Changes accepted before that are kept. */
  readonly capped: CapReachedError | undefined
}

export interface ConcludedNight extends Pick<NightOutcome, 'outcome' | 'reason' | 'targets'> {
  readonly night: Night
  readonly error: SkillOptError | undefined
  /** True if a gate accepted every proposed change. */
  readonly isGated: boolean
}

/** Writes the proposal and ends the night. It is idempotent, so it can be repeated after a crash. */
export async function concludeNight(work: NightWork, { runs, capped }: Trained): Promise<ConcludedNight> {
  const { night, plan } = work
  const spent = await spentBy(night)
  const endedAt = new Date().toISOString()
  const said = await orRefused(plan, () => propose(work, runs, spent, endedAt))
  const { outcome } = said
  const reason = reasonOf(said, capped)
  const targets = said.targets.map(target => ({ ...target, ...runOf(target.name, work, runs) }))
  const ended: NightOutcome = {
    format: nightFormat,
    outcome,
    reason,
    targets,
    endedAt,
    spent,
    sessions: plan.sessions,
    tasks: plan.tasks.length,
    simulated: runs.some(({ simulated }) => simulated),
    ...cappedBy(capped, work),
  }
  await finishHandoff(join(night.folder, 'handoff'))
  await rm(keptProject(night.folder), { recursive: true, force: true })
  await endNight(night.folder, ended)
  const folder = join(night.folder, 'proposal')
  const proposal = (await isThere(folder)) ? folder : undefined
  const error = said.refusal ?? (capped === undefined ? undefined : asTheNightSaysIt(capped))
  const { isGated = false } = said
  return { outcome, reason, targets, error, isGated, night: { ...night, outcome: ended, proposal } }
}

/** If a cap ended the night early, "nothing better was found" would be wrong, so the reason names the cap. */
function reasonOf({ outcome, reason }: Said, capped: CapReachedError | undefined): string {
  if (capped === undefined || outcome !== 'nothing-learned') return reason
  return `${capped.message} Until then nothing was learned.`
}

function cappedBy(
  capped: CapReachedError | undefined,
  { settings }: NightWork,
): Pick<NightOutcome, 'capped'> {
  const limit = capped === undefined ? undefined : settings.loaded.config.limits[capped.cap]
  return capped === undefined || limit === undefined ? {} : { capped: { cap: capped.cap, limit } }
}

type Said = Pick<NightOutcome, 'outcome' | 'reason' | 'targets'> & { readonly isGated?: boolean }

async function propose(
  { night, plan, dreams }: NightWork,
  runs: readonly TaughtTarget[],
  spent: NightSpending,
  madeAt: string,
): Promise<Said> {
  const targets = await Promise.all(
    runs.map(async ({ target, directory, together }) => ({
      target,
      together,
      log: await readTraining(directory),
      live: await readLive(target.path, plan.roots),
    })),
  )
  const proposed = proposalOf({ begun: night.begun, plan, dreams, spent }, targets, madeAt)
  const folder = join(night.folder, 'proposal')
  if (proposed !== undefined && !(await isThere(folder)))
    await writeProposal(folder, proposed.proposal, proposed.texts)
  const isGated = resultsOf(targets)
    .filter(isAdoptable)
    .every(result => result.isGated)
  return { ...outcomeOf(plan, targets), isGated }
}

/**
 * Ends the night as refused if a file changed meanwhile. This is not a bug: the person's version stays, and
 * the next night starts from it.
 */
async function orRefused(
  { targets }: NightPlan,
  work: () => Promise<Said>,
): Promise<Said & { readonly refusal?: InputError }> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    const reason = error.message
    const skipped = targets.map(({ name }) => ({ name, status: 'skipped' as const, reason }))
    return { outcome: 'refused', reason, targets: skipped, refusal: error }
  }
}

function runOf(name: string, { night }: NightWork, runs: readonly TaughtTarget[]): { run?: string } {
  const run = runs.find(({ target }) => target.name === name)
  return run === undefined ? {} : { run: relative(night.folder, run.directory) }
}

/** The cap ended the night for good, so the hint must not suggest resuming it. */
function asTheNightSaysIt({ cap, message }: CapReachedError): CapReachedError {
  return new CapReachedError(cap, message, {
    hint: 'What the gate had accepted until then counts. The next night has the whole cap again: raise it to come further.',
  })
}

/**
 * Total usage of all runs of a night, from their logs: the reported usage, and the number of calls without a
 * report.
 */
export async function spentBy({ folder }: Pick<Night, 'folder'>): Promise<NightSpending> {
  const runs = join(folder, 'runs')
  const names = (await isThere(runs)) ? await inWords(runs, () => readdir(runs)) : []
  const views: RunView[] = []
  for (const directory of names.sort().map(name => join(runs, name))) {
    if (await hasRun(directory)) views.push(await viewRun(directory))
  }
  return spentOf(views)
}

export const miningDirectory = ({ folder }: Pick<Night, 'folder'>): string => join(folder, 'runs', 'mining')

interface Opening {
  readonly fresh: boolean
  /**
   * Throws on problems that would make a night fail. A night that already has a plan is resumed without this
   * check.
   */
  readonly check: () => Promise<void>
}

/** Returns the interrupted night or a new one, with all earlier nights. */
export async function openNight(
  project: SleepProject,
  { fresh, check }: Opening,
): Promise<{ readonly current: Night; readonly earlier: readonly Night[] }> {
  const nights = await listNights(project.folder)
  const last = nights.at(-1)
  if (fresh || last?.plan === undefined || last.outcome !== undefined) await check()
  if (last === undefined || last.outcome !== undefined) return begin(project, nights)
  const earlier = nights.slice(0, -1)
  if (last.plan === undefined && !(await hasRun(miningDirectory(last)))) {
    // The interrupted night had produced nothing, and there may be new sessions, so it starts over.
    await inWords(last.folder, () => rm(last.folder, { recursive: true }))
    return begin(project, earlier)
  }
  await removeDrafts(last.folder)
  if (!fresh) return { current: last, earlier }
  const reason = 'Another night was begun in its place.'
  const { sessions = 0, tasks = [] } = last.plan ?? {}
  const given = await endEarly(last, { outcome: 'given-up', reason, sessions, tasks })
  return begin(project, [...earlier, given])
}

async function begin(project: SleepProject, earlier: readonly Night[]) {
  const number = (await lastNumber(project, earlier)) + 1
  const begun = { format: nightFormat, number, project: project.root, at: new Date().toISOString() } as const
  return { current: await beginNight(project.folder, begun), earlier }
}

/**
 * Returns the highest night number ever used. Adoptions refer to their night by number even if its folder was
 * moved away, so a number is never reused.
 */
async function lastNumber({ folder }: SleepProject, nights: readonly Night[]): Promise<number> {
  const { all } = await readAdoptions(folder)
  const adopted = all.map(({ proposal }) => Number(/^night-(\d+)$/.exec(proposal)?.[1] ?? 0))
  return Math.max(0, nights.at(-1)?.number ?? 0, ...adopted)
}

/** Ends a night without a proposal and records what it cost. */
export async function endEarly(
  night: Night,
  {
    outcome,
    reason,
    sessions,
    tasks,
  }: Pick<NightOutcome, 'outcome' | 'reason' | 'sessions'> & { readonly tasks: readonly unknown[] },
): Promise<Night> {
  const ended: NightOutcome = {
    format: nightFormat,
    outcome,
    reason,
    sessions,
    tasks: tasks.length,
    targets: [],
    simulated: false,
    endedAt: new Date().toISOString(),
    spent: await spentBy(night),
  }
  await finishHandoff(join(night.folder, 'handoff'))
  await rm(keptProject(night.folder), { recursive: true, force: true })
  await endNight(night.folder, ended)
  return { ...night, outcome: ended }
}
