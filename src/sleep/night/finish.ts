import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { CapReachedError, InputError, type SkillOptError } from '../../core/errors/errors.js'
import { finishHandoff } from '../../models/handoff.js'
import { isThere } from '../../system/private-file.js'
import { readLive, writeProposal } from '../adopt/index.js'
import { type NightOutcome, type NightPlan, nightFormat } from '../model/night-record.js'
import { endNight, type Night } from '../nights/nights.js'
import { type NightSpending, outcomeOf } from '../proposal/outcome.js'
import { proposalOf } from '../proposal/proposal.js'
import { isAdoptable, resultsOf } from '../proposal/target-result.js'
import { readTraining } from '../proposal/training-log.js'
import { spentBy } from './spending.js'
import { keptProject } from './target-setup.js'
import type { NightWork, TaughtTarget } from './train-target.js'

/** Training results of a night before it is concluded. */
export interface Trained {
  readonly runs: readonly TaughtTarget[]
  /** The cap that ended the night early; changes accepted until then are kept. */
  readonly capped: CapReachedError | undefined
}

export interface ConcludedNight extends Pick<NightOutcome, 'outcome' | 'reason' | 'targets'> {
  readonly night: Night
  readonly error: SkillOptError | undefined
  /** True if a gate accepted every proposed change. */
  readonly isGated: boolean
}

/** Writes the proposal and ends the night. Idempotent, so that it can be repeated after a crash. */
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

/** A night that a cap ended early has not shown that nothing is better. */
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
 * A file that changed meanwhile is not a bug: the person's version stays, and the next night starts from it.
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

/** The night has ended despite the cap, so the hint must not suggest resuming it. */
function asTheNightSaysIt({ cap, message }: CapReachedError): CapReachedError {
  return new CapReachedError(cap, message, {
    hint: 'What the gate had accepted until then counts. The next night has the whole cap again: raise it to come further.',
  })
}
