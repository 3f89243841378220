import { editAdditions } from '../../../core/redaction/sensitive.js'
import { hiddenWarning, visible, visibleLine } from '../../../core/text/visible.js'
import { type AdoptionPlace, readAdoptions } from '../../../sleep/adopt/index.js'
import { readBook } from '../../../sleep/book/book.js'
import type { Proposal, ProposalEdit } from '../../../sleep/model/proposal.js'
import { measuredOn } from '../../../sleep/model/wording.js'
import type { Night } from '../../../sleep/nights/nights.js'
import { diffsOf, evidenceOf, hiddenIn, type TargetDiff } from '../../../sleep/proposal/adoption.js'
import { adoptionPlace } from '../../../sleep/proposal/adoption-place.js'
import { chooseProposal, type NightProposal, readProposals } from '../../../sleep/proposal/night-proposals.js'
import { loadSettings } from '../../../sleep/settings/settings.js'
import { changedSince } from '../../../sleep/status/status.js'
import { shownPath } from '../../../system/shown-path.js'
import type { SleepEdit, SleepNight, SleepProposal, SleepTarget } from '../../contract/sleep.js'
import type { ServerContext } from '../context.js'
import { NotFoundError } from '../not-found.js'
import { miningRun, nightLine, receiptsOf, runsOf } from './overview.js'
import { type KnownProject, nameOf, nightHint } from './projects.js'

/** The files that an adoption may change, from the same Sleep settings that the command line reads. */
export async function placeOf(project: KnownProject, context: ServerContext): Promise<AdoptionPlace> {
  const { env, cwd } = context
  return adoptionPlace(project, await loadSettings({ env, cwd }), context)
}

/** The proposal of a night. Throws an error with the reason if there is none to use. */
export async function proposalOf({ folder }: KnownProject, night: number): Promise<NightProposal> {
  return chooseProposal(await readProposals(folder), night)
}

export async function nightOf(
  project: KnownProject,
  number: number,
  context: ServerContext,
): Promise<SleepNight> {
  const found = await readProposals(project.folder)
  const night = found.nights.find(one => one.number === number)
  if (night === undefined) {
    throw new NotFoundError(`There is no night ${number} in this project.`, { hint: nightHint })
  }
  const proposal = found.proposals.find(one => one.night.number === number)
  const adoptions = await readAdoptions(project.folder)
  const { cwd } = context
  const runs = await runsOf(project, context)
  return {
    project: nameOf(project, cwd),
    night: nightLine(night, found, runs),
    plan: planOf(night, cwd),
    mining: miningRun(number, runs),
    proposal: proposal && (await shownProposal(proposal, project, context)),
    problem: found.damaged.find(one => one.night.number === number)?.problem,
    receipts: receiptsOf({ adoptions, proposals: found.proposals }, cwd)
      .filter(receipt => receipt.night === number)
      .toReversed(),
  }
}

function planOf({ plan }: Night, cwd: string): SleepNight['plan'] {
  if (plan === undefined) return undefined
  const from = (origin: 'real' | 'dream' | 'recalled') =>
    plan.tasks.filter(task => task.origin === origin).length
  return {
    sessions: plan.sessions,
    models: Object.entries(plan.models).map(([role, model]) => ({ role, model: visibleLine(model) })),
    tasks: { real: from('real'), dream: from('dream'), recalled: from('recalled') },
    targets: plan.targets.map(({ name, path, tasks }) => ({
      name: visibleLine(name),
      path: visibleLine(shownPath(path, cwd)),
      tasks: tasks.length,
    })),
    skipped: plan.skipped.map(({ name, reason }) => ({
      name: visibleLine(name),
      reason: visibleLine(reason),
    })),
  }
}

async function shownProposal(
  found: NightProposal,
  project: KnownProject,
  context: ServerContext,
): Promise<SleepProposal> {
  const { proposal, night, open } = found
  const diffs = await diffsOf(found, await placeOf(project, context))
  const { tasks: kept } = await readBook(project.folder, project.root)
  const keptIds = new Set(kept.map(({ id }) => id))
  const { accepted, reason } = proposal.verdict
  return {
    id: proposal.id,
    madeAt: proposal.madeAt,
    open: accepted ? open : [],
    folder: shownPath(found.folder, context.cwd),
    verdict: { accepted, reason: visibleLine(reason) },
    changed: open.length === 0 ? [] : await changedSince(found),
    targets: diffs.map(diff => shownTarget(found, diff, context.cwd)),
    edits: proposal.edits.map(edit => {
      const before = diffs.find(({ name }) => name === edit.target)?.before ?? ''
      return shownEdit(edit, night, { kept: keptIds, before })
    }),
  }
}

function shownTarget({ proposal, open }: NightProposal, diff: TargetDiff, cwd: string): SleepTarget {
  const { name, problem } = diff
  const target = proposal.targets.find(one => one.name === name)
  return {
    name,
    path: shownPath(target?.path ?? '', cwd),
    isNew: target?.before === null,
    diff: shownDiff(diff),
    // A target that was adopted already is marked as such, so this is not shown as a problem.
    problem: open.includes(name) && proposal.verdict.accepted ? problem : undefined,
    measures: proposal.measures
      .filter(({ targets }) => targets.includes(name))
      .map(one => shownMeasure(one, name)),
  }
}

export function shownDiff(diff: Pick<TargetDiff, 'before' | 'after'>): SleepTarget['diff'] {
  return { before: visible(diff.before), after: visible(diff.after), warning: hiddenIn(diff) }
}

function shownMeasure(measure: Proposal['measures'][number], name: string): SleepTarget['measures'][number] {
  const { measured, targets, tasks, before, after, difference } = measure
  return {
    on: measuredOn(measure),
    measured,
    tasks: tasks.length,
    before,
    after,
    difference,
    together: targets.filter(other => other !== name),
  }
}

function shownEdit(
  edit: ProposalEdit,
  { plan }: Night,
  { kept, before }: { readonly kept: ReadonlySet<string>; readonly before: string },
): SleepEdit {
  const { id, target, op, status, anchor, content, why, gate } = edit
  const { tasks, sessions, period } = evidenceOf(edit, plan?.tasks ?? [])
  return {
    id,
    target,
    op,
    status,
    sessions,
    period,
    gate,
    anchor: anchor === undefined ? undefined : visible(anchor),
    content: visible(content),
    why: visible(why),
    warning: hiddenWarning([content]),
    additions: editAdditions({ target: anchor, content }, before).map(({ kind, text }) => ({
      kind,
      text: visibleLine(text),
    })),
    tasks: tasks.map(({ id: taskId, task }) => ({
      id: visibleLine(taskId),
      isKept: kept.has(taskId),
      intent: task === undefined ? undefined : visibleLine(task.intent),
    })),
  }
}
