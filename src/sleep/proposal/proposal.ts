import { dirname } from 'node:path'
import type { RecordedEdit } from '../../core/log/event.js'
import { shorten } from '../../core/text/shorten.js'
import { describeTarget, sha256 } from '../adopt/index.js'
import type { NightBegun, NightOutcome, NightPlan } from '../model/night-record.js'
import { type Proposal, type ProposalEdit, proposalFormat, proposalId } from '../model/proposal.js'
import type { SleepTask } from '../model/sleep-task.js'
import { nightReport } from './report.js'
import { isAdoptable, resultsOf, type TargetResult, type TargetRun } from './target-result.js'
import { verdictOf } from './verdict.js'

/** Limits on what the manifest holds of each edit, however much a model has written. */
const most = { lost: 200, tasks: 50, sessions: 20, words: 2_000, content: 4_000 }

export interface PlannedNight {
  readonly begun: NightBegun
  readonly plan: NightPlan
  /** Variants created this night, in addition to the plan's tasks. */
  readonly dreams?: readonly SleepTask[]
  /** Total usage of all runs of the night. Without it the report covers only the trainings. */
  readonly spent?: NightOutcome['spent']
}

export interface MadeProposal {
  readonly proposal: Proposal
  /** The new texts of the targets and the report, keyed by file name. */
  readonly texts: ReadonlyMap<string, string>
}

/** Builds a night's proposal; undefined if nothing new was learned. */
export function proposalOf(
  night: PlannedNight,
  runs: readonly TargetRun[],
  madeAt: string,
): MadeProposal | undefined {
  const results = resultsOf(runs)
  const shown = shownOf(results)
  if (shown.length === 0) return undefined
  const texts = new Map<string, string>()
  const targets = shown.map(({ run, name, document }, index) => {
    const proposed = `${index + 1}-${plainName(name)}.md`
    texts.set(proposed, document)
    return { ...describeTarget(name, run.live), proposed, after: sha256(document) }
  })
  const directories = runs.map(({ log }) => log.directory)
  const proposal: Proposal = {
    format: proposalFormat,
    id: proposalId(night.begun.number),
    project: night.begun.project,
    madeAt,
    run: directories.length === 1 ? (directories[0] ?? '') : dirname(directories[0] ?? ''),
    verdict: verdictOf(shown),
    measures: shown.flatMap(result => measuresOf(result, new Set(shown.map(({ name }) => name)))),
    targets,
    edits: editsOf(results, shown, night),
    roots: night.plan.roots,
  }
  texts.set('report.md', nightReport({ night, results, proposal }))
  return { proposal, texts }
}

/** File name for a target. Targets that map to the same name are told apart by a number in front. */
const plainName = (target: string) => target.replace(/\.md$/, '').replace(/[^A-Za-z0-9._-]+/g, '-')

type Shown = TargetResult & { readonly document: string }

/** Returns the results that can be adopted. If none can, returns all learned texts with the reasons. */
function shownOf(results: readonly TargetResult[]): readonly Shown[] {
  const written = results.filter((result): result is Shown => result.document !== undefined)
  const good = written.filter(isAdoptable)
  return good.length > 0 ? good : written
}

function measuresOf(
  { run, name, validation, test }: Shown,
  known: ReadonlySet<string>,
): Proposal['measures'] {
  const targets = [...(run.together ?? []).filter(other => known.has(other)), name]
  const measured = [
    ['val', validation],
    ['test', test],
  ] as const
  return measured.flatMap(([split, measure]) => {
    if (measure === undefined) return []
    const { before, after, difference, names } = measure
    return [{ targets, tasks: taskIds(names), split, before, after, difference, measured: true }]
  })
}

// ── Edits in the manifest ───────────────────────────────────────────────────

/** Lists the edits of all targets: proposed edits first, then the lost ones. */
function editsOf(
  results: readonly TargetResult[],
  shown: readonly TargetResult[],
  night: PlannedNight,
): ProposalEdit[] {
  const isShown = ({ name }: TargetResult) => shown.some(other => other.name === name)
  const proposed = results.filter(isShown).flatMap(({ name, edits }) =>
    edits.map(({ op, content, anchor, why, tasks, gate }) => ({
      target: name,
      op,
      content,
      why: shorten(why, most.words),
      ...evidenceOf(tasks, night),
      ...(anchor === undefined ? {} : { anchor }),
      ...(gate === undefined ? {} : { gate }),
      status: 'proposed' as const,
    })),
  )
  const withdrawn = results
    .filter(result => !isShown(result))
    .flatMap(({ name, edits, objection = '' }) =>
      edits.map(edit => ({
        target: name,
        ...clipped(edit),
        why: reasons(edit.why, objection),
        ...evidenceOf(edit.tasks, night),
        status: 'rejected' as const,
      })),
    )
  const lost = results.flatMap(({ name, lost: edits }) =>
    edits.map(({ edit, status, reason }) => ({
      target: name,
      ...clipped(stepOf(edit)),
      why: reasons(edit.why, reason),
      ...evidenceOf(edit.tasks, night),
      status,
    })),
  )
  const counts = { proposed: 0, rejected: 0, unmatched: 0 }
  return [...proposed, ...[...withdrawn, ...lost].slice(0, most.lost)].map(edit => {
    counts[edit.status] += 1
    return { id: `${edit.status === 'proposed' ? 'e' : edit.status[0]}${counts[edit.status]}`, ...edit }
  })
}

type Step = Pick<ProposalEdit, 'op' | 'content' | 'anchor'>

/** Edits that are only shown, never applied, may be shortened. */
function clipped({ op, content, anchor }: Step): Step {
  const short = shorten(content, most.content)
  // A model may omit the anchor. Such an edit is shown as an append, since the manifest requires an anchor
  // for other operations.
  if (op === 'append' || anchor === undefined || anchor === '') return { op: 'append', content: short }
  return { op, content: short, anchor: shorten(anchor, most.content) }
}

function stepOf(edit: RecordedEdit): Step {
  switch (edit.op) {
    case 'insert_after':
    case 'replace':
      return { op: edit.op, anchor: edit.target, content: edit.content }
    case 'delete':
      return { op: edit.op, anchor: edit.target, content: '' }
    default:
      return { op: 'append', content: edit.content }
  }
}

function reasons(why: string, verdict: string): string {
  return [why, verdict].flatMap(text => (text === '' ? [] : [shorten(text, most.words)])).join(' — ')
}

function evidenceOf(
  names: readonly string[],
  { plan, dreams = [] }: PlannedNight,
): Pick<ProposalEdit, 'tasks' | 'sessions'> {
  const tasks = taskIds(names)
  const known = [...plan.tasks, ...dreams].filter(({ id }) => tasks.includes(id))
  const sessions = new Set(known.flatMap(({ evidence }) => evidence.sessions))
  return { tasks: tasks.slice(0, most.tasks), sessions: [...sessions].slice(0, most.sessions) }
}

/**
 * Returns the ids of the tasks behind names in the run. Each example is replayed separately, as `task.1`,
 * `task.2`.
 */
function taskIds(names: readonly string[]): string[] {
  return [...new Set(names.map(name => name.replace(/\.\d+$/, '')))]
}
