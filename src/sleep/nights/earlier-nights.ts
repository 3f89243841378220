import { join } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import type { Edit } from '../../core/skill/edit.js'
import type { EditView, RunView, StepView } from '../../core/view/fold.js'
import { viewRun } from '../../store/read-run.js'
import type { CarriedMemory, StepRecord } from '../../trainer/stages/memory.js'
import type { PlannedTarget } from '../model/night-record.js'
import { intentOf } from '../model/occasions.js'
import type { Night } from './nights.js'

/** Limits on the nights read and the edits carried over. A rule that failed long ago may be right by now. */
const most = { nights: 5, edits: 30 }

export interface EarlierNights {
  readonly memory: CarriedMemory
  /** Sentences about unreadable logs. Tonight's training continues without them. */
  readonly problems: readonly string[]
}

/**
 * Collects what tonight's training should know of the last nights: rejected edits, newest first, the latest
 * meta skill for this document, and the document's region before the last night.
 */
export async function earlierNights(
  nights: readonly Night[],
  { name, region }: Pick<PlannedTarget, 'name' | 'region'>,
): Promise<EarlierNights> {
  const newest = nights
    .filter(night => night.outcome !== undefined && regionThen(night, name) !== undefined)
    .toSorted((one, other) => other.number - one.number)
    .slice(0, most.nights)
  const read = await Promise.all(newest.map(night => readNight(night, name)))
  const views = read.map(({ view }) => view)
  const rejected = newest.flatMap((night, index) =>
    rejectedIn(views[index], { when: `night ${night.number}`, measured: intentsMeasured(night) }),
  )
  const [last] = newest
  const before = last === undefined ? undefined : regionThen(last, name)
  return {
    memory: {
      steps: firstEdits(rejected, most.edits),
      metaSkill: views.map(lastMetaSkill).find(content => content !== undefined),
      previous: before === region ? undefined : before,
    },
    problems: read.flatMap(({ problem }) => problem ?? []),
  }
}

function regionThen({ plan }: Night, target: string): string | undefined {
  return plan?.targets.find(({ name }) => name === target)?.region
}

async function readNight(
  { folder, number, outcome }: Night,
  target: string,
): Promise<{ readonly view?: RunView; readonly problem?: string }> {
  // A skipped document has no run.
  const run = outcome?.targets.find(({ name }) => name === target)?.run
  if (run === undefined) return {}
  try {
    return { view: await viewRun(join(folder, run)) }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { problem: `What night ${number} tried for ${target} is left out: ${error.message}` }
  }
}

/**
 * The requests that a night measured. `inValidation` holds the ids of the tasks in validation; `ofTask` maps
 * a part of a divided task to the id of the whole. Tasks that were not divided are missing from `ofTask`,
 * because validation may contain requests similar to theirs.
 */
interface Measured {
  readonly inValidation: ReadonlySet<string>
  readonly ofTask: ReadonlyMap<string, string>
}

function intentsMeasured({ plan }: Night): Measured {
  const tasks = plan?.tasks ?? []
  return {
    inValidation: new Set(tasks.filter(({ split }) => split === 'val').map(intentOf)),
    ofTask: new Map(tasks.flatMap(({ id, partOf }) => (partOf === undefined ? [] : [[id, partOf] as const]))),
  }
}

interface Source {
  readonly when: string
  readonly measured: Measured
}

/** Returns the rejected steps of a night, latest first. */
function rejectedIn(view: RunView | undefined, source: Source): readonly StepRecord[] {
  return (view?.steps ?? []).toReversed().flatMap(step => recordsOf(step, source))
}

/** Returns the record of a rejected step. Its edits were judged together and share its scores. */
function recordsOf(
  { step, outcome, edits, gate }: StepView,
  { when, measured }: Source,
): readonly StepRecord[] {
  const isUnmoved = gate !== undefined && gate.score === gate.current
  const rejected =
    outcome === 'rejected'
      ? edits.filter(edit => edit.fate === 'applied' && !(isUnmoved && isUnmeasured(edit, measured)))
      : []
  if (rejected.length === 0) return []
  const scores =
    gate &&
    (gate.verdict.complete && gate.score !== undefined
      ? { before: gate.current, after: gate.score, complete: true }
      : { effect: gate.verdict.effect?.mean })
  return [{ step, when, outcome: 'rejected', patterns: [], edits: rejected.map(editOf), ...scores }]
}

/**
 * True if validation contained no requests like those that led to the edit. If the score did not move either,
 * the gate said nothing about the edit, so it may be proposed again.
 */
function isUnmeasured({ tasks }: EditView, { inValidation, ofTask }: Measured): boolean {
  const intents = tasks.flatMap(id => ofTask.get(id.replace(/\.\d+$/, '')) ?? [])
  return intents.length > 0 && !intents.some(intent => inValidation.has(intent))
}

function editOf(view: EditView): Edit {
  const { id, op, support, from, tasks } = view
  const { target = '', content = '', title = '', why } = view
  const about = { id, support, from, tasks, ...(why === undefined ? {} : { why }) }
  switch (op) {
    case 'delete':
      return { op, target, ...about }
    case 'insert_after':
    case 'replace':
      return { op, target, content, ...about }
    case 'rewrite':
      return { op, content, summary: title, ...about }
    case 'suggest':
      return { op, title, content, ...about }
    default:
      return { op, content, ...about }
  }
}

/** Returns the first records, up to a total number of edits. */
function firstEdits(records: readonly StepRecord[], limit: number): readonly StepRecord[] {
  let left = limit
  return records.flatMap(record => {
    const edits = record.edits.slice(0, left)
    left -= edits.length
    return edits.length === 0 ? [] : [{ ...record, edits }]
  })
}

function lastMetaSkill(view: RunView | undefined): string | undefined {
  return view?.epochEnds.findLast(({ metaSkill }) => metaSkill?.content !== undefined)?.metaSkill?.content
}
