import type { EditView, RunView, StepView, TrialEditView } from '../../../core/view/run-view.js'
import type { EditOrigin, LeadingAttempt, OriginDetail, OriginLabel } from '../../contract/skill.js'
import type { AttemptTable, LiveRun } from '../runs/types.js'
import { candidateId, type KnownSkill } from './known-skills.js'
import { consolidationOf, recordedEdits } from './traced.js'

/** Maximum numbers of listed tasks and attempts; the total counts are shown as well. */
const tasksShown = 200
const attemptsShown = 60

type Named = { readonly name: 'slow-update' | 'consolidation' | 'step'; readonly number: number }

/** Parses `slow-update:2`, `consolidation:3` and, in imported runs, `step 3`. */
function namedOrigin(origin: string): Named | undefined {
  const [, name, number] = /^(slow-update|consolidation|step)[: ](\d+)$/.exec(origin) ?? []
  return name === undefined ? undefined : { name: name as Named['name'], number: Number(number) }
}

function editOf(view: RunView, id: string): { readonly step: StepView; readonly edit: EditView } | undefined {
  for (const step of view.steps) {
    const edit = step.edits.find(each => each.id === id)
    if (edit !== undefined) return { step, edit }
  }
  return undefined
}

const trialEditOf = (view: RunView, id: string) => view.trialEdits.find(edit => edit.id === id)

export function originLabel(view: RunView, origin: string): OriginLabel {
  if (origin === 'seed') return { kind: 'seed', label: 'seed' }
  const trial = trialEditOf(view, origin)
  if (trial !== undefined)
    return { kind: 'edit', label: `round ${trial.trial.admitted} · ${trial.op.replaceAll('_', ' ')}` }
  const found = editOf(view, origin)
  if (found !== undefined) {
    const what = found.edit.op === 'remind' ? 'appendix' : found.edit.op.replaceAll('_', ' ')
    return { kind: 'edit', label: `step ${found.step.step} · ${what}` }
  }
  const named = namedOrigin(origin)
  switch (named?.name) {
    case 'slow-update':
      return { kind: 'slow-update', label: `epoch ${named.number} · slow update` }
    case 'consolidation':
      return { kind: 'consolidation', label: `step ${named.number} · appendix` }
    case 'step':
      return { kind: 'step', label: `step ${named.number}` }
    case undefined:
      return { kind: 'unknown', label: 'unknown' }
  }
}

/** Everything the log records about the origin of a line. */
export async function originDetail(
  run: LiveRun,
  view: RunView,
  known: readonly KnownSkill[],
  origin: string,
): Promise<OriginDetail> {
  if (origin === 'seed') {
    const { forkedFrom, importedFrom } = view
    return {
      kind: 'seed',
      ...(forkedFrom === undefined ? {} : { forkedFrom }),
      ...(importedFrom === undefined ? {} : { importedFrom }),
    }
  }
  const trial = trialEditOf(view, origin)
  if (trial !== undefined) return trialEditOrigin(run, view, trial)
  const found = editOf(view, origin)
  if (found !== undefined) return editOrigin(run, known, found)
  const named = namedOrigin(origin)
  switch (named?.name) {
    case 'slow-update':
      return slowUpdateOrigin(view, named.number)
    case 'consolidation':
      return consolidationOrigin(run, named.number)
    case 'step':
      return stepOrigin(view, named.number)
    case undefined:
      return { kind: 'unknown' }
  }
}

/** Fates of edits that did not become part of a candidate. */
const notInCandidate: readonly EditView['fate'][] = ['merged', 'dropped', 'selected']

async function editOrigin(
  run: LiveRun,
  known: readonly KnownSkill[],
  { step, edit }: { readonly step: StepView; readonly edit: EditView },
): Promise<EditOrigin> {
  const recorded = (await recordedEdits(run, step.step)).get(edit.id)
  const tasks = recorded?.tasks ?? edit.tasks
  const table = await run.attempts()
  const attempts = leadingAttempts(table, step, new Set(tasks))
  const isInCandidate = !notInCandidate.includes(edit.fate)
  const candidate = isInCandidate ? step.candidate : undefined
  const gate = isInCandidate ? step.gate : undefined
  const { outcome } = step
  const before = known.find(({ shown }) => shown.skill === step.skill)?.shown.id
  const after = known.find(({ shown }) => shown.skill === candidate?.skill)?.shown.id
  return {
    kind: 'edit',
    edit,
    epoch: step.epoch,
    step: step.step,
    ...(outcome === undefined ? {} : { outcome }),
    ...(before === undefined ? {} : { before }),
    ...(candidate === undefined ? {} : { candidate: after ?? candidateId(step.step) }),
    ...(gate === undefined ? {} : { gate }),
    tasks: tasks.slice(0, tasksShown),
    attempts: attempts.slice(0, attemptsShown),
    attemptCount: attempts.length,
    triedAfter: candidate === undefined ? [] : triedWith(table, candidate.skill, tasks.slice(0, tasksShown)),
    suggestions:
      edit.op === 'rewrite'
        ? step.edits.filter(({ op, fate }) => op === 'suggest' && fate !== 'dropped')
        : [],
  }
}

/**
 * Origin of a line that came from an edit on trial. Such an edit is judged on its own evidence, without a
 * candidate or a gate.
 */
async function trialEditOrigin(run: LiveRun, view: RunView, edit: TrialEditView): Promise<EditOrigin> {
  const { admitted } = edit.trial
  const tasks = (await recordedEdits(run, admitted)).get(edit.id)?.tasks ?? edit.tasks
  const attempts = attemptsUntil(await run.attempts(), admitted, new Set(tasks))
  const step = view.steps.find(each => each.step === admitted) ?? view.steps.at(-1)
  return {
    kind: 'edit',
    edit,
    epoch: step?.epoch ?? 0,
    step: admitted,
    tasks: tasks.slice(0, tasksShown),
    attempts: attempts.slice(0, attemptsShown),
    attemptCount: attempts.length,
    triedAfter: [],
    suggestions: [],
  }
}

/** Attempts at the edit's tasks before the edit was admitted, with any variant of the skill. */
function attemptsUntil(
  table: AttemptTable,
  round: number,
  tasks: ReadonlySet<string>,
): readonly LeadingAttempt[] {
  const found: LeadingAttempt[] = []
  for (let index = 0; index < table.length; index += 1) {
    const { stage, step, seq, task, sample, status, hard } = table.row(index)
    if (stage !== 'rollout' || step >= round || !tasks.has(task)) continue
    found.push({ seq, task, sample, ...(status === 'scored' ? { hard } : {}) })
  }
  return found
}

/**
 * The attempts that the analysts read: those of the step, made with the skill it began with. For a task that
 * the step did not attempt again, the earlier attempt with the same skill is used.
 */
function leadingAttempts(
  table: AttemptTable,
  { step, skill }: StepView,
  tasks: ReadonlySet<string>,
): readonly LeadingAttempt[] {
  const own: LeadingAttempt[] = []
  const earlier = new Map<string, LeadingAttempt>()
  for (let index = 0; index < table.length; index += 1) {
    const row = table.row(index)
    if (row.stage !== 'rollout' || row.step > step || row.skill !== skill || !tasks.has(row.task)) continue
    const { seq, task, sample, status, hard } = row
    const attempt = { seq, task, sample, ...(status === 'scored' ? { hard } : {}) }
    if (row.step === step) own.push(attempt)
    else earlier.set(`${sample} ${task}`, attempt)
  }
  const tried = new Set(own.map(({ task }) => task))
  const reused = [...earlier.values()].filter(({ task }) => !tried.has(task))
  return [...own, ...reused].toSorted((a, b) => a.seq - b.seq)
}

function triedWith(table: AttemptTable, skill: string, tasks: readonly string[]): readonly string[] {
  const tried = new Set<string>()
  for (let index = 0; index < table.length; index += 1) {
    const row = table.row(index)
    if (row.skill === skill) tried.add(row.task)
  }
  return tasks.filter(task => tried.has(task))
}

function slowUpdateOrigin(view: RunView, epoch: number): OriginDetail {
  const end = view.epochEnds.find(each => each.epoch === epoch)
  const step = view.steps.findLast(each => each.epoch === epoch)?.step
  if (end === undefined && step === undefined) return { kind: 'unknown' }
  return {
    kind: 'slow-update',
    epoch,
    ...(step === undefined ? {} : { step }),
    ...(end?.slowUpdate === undefined ? {} : { update: end.slowUpdate }),
    ...(end?.slowUpdateGate === undefined ? {} : { gate: end.slowUpdateGate }),
  }
}

async function consolidationOrigin(run: LiveRun, step: number): Promise<OriginDetail> {
  const body = await consolidationOf(run, step)
  if (body === undefined) return { kind: 'unknown' }
  const { before, notes = [], reasoning } = body
  return { kind: 'consolidation', step, before, notes, reasoning }
}

function stepOrigin(view: RunView, number: number): OriginDetail {
  const step = view.steps.find(each => each.step === number)
  if (step === undefined) return { kind: 'unknown' }
  const { epoch, edits, gate } = step
  const applied = edits.filter(({ fate }) => fate === 'applied')
  return { kind: 'step', epoch, step: number, edits: applied, ...(gate === undefined ? {} : { gate }) }
}
