import type { EventBody } from './event.js'
import type { AttributionView, EditView, GateView } from './run-view.js'

type Edit = EventBody<'aggregate.finished'>['edits'][number]

/** A merged edit can rest on every task of a batch; a view of 100,000 attempts must not hold all their ids. */
const tasksKept = 12

function viewOf(edit: Edit, fate: EditView['fate']): EditView {
  return {
    id: edit.id,
    op: edit.op,
    title: edit.op === 'suggest' ? edit.title : edit.op === 'rewrite' ? edit.summary : undefined,
    target: 'target' in edit ? edit.target : undefined,
    content: 'content' in edit ? edit.content : undefined,
    why: edit.why,
    support: edit.support,
    from: edit.from,
    tasks: edit.tasks.slice(0, tasksKept),
    taskCount: edit.tasks.length,
    fate,
    reason: undefined,
    match: undefined,
    candidate: undefined,
    attribution: undefined,
  }
}

export function editsOfAggregate({ edits, reminders }: EventBody<'aggregate.finished'>): EditView[] {
  return [
    ...edits.map(edit => viewOf(edit, 'merged')),
    ...(reminders ?? []).map(edit => viewOf(edit, 'selected')),
  ]
}

/** The selected ones first, in the order in which they will be applied. */
export function editsOfSelect(before: readonly EditView[], body: EventBody<'select.finished'>): EditView[] {
  const selected = new Set(body.edits.map(edit => edit.id))
  const rest = before
    .filter(edit => !selected.has(edit.id))
    .map(edit => (edit.op === 'remind' ? edit : { ...edit, fate: 'dropped' as const }))
  return [...body.edits.map(edit => viewOf(edit, 'selected')), ...rest]
}

/** The rewrite that the suggestions became: it is what will be applied. */
export function editsOfRewrite(before: readonly EditView[], edit: Edit | undefined): readonly EditView[] {
  return edit === undefined ? before : [viewOf(edit, 'selected'), ...before]
}

/** A further candidate is made of edits that the selection had dropped. */
export function editsOfUpdate(
  before: readonly EditView[],
  { reports, from = [], candidate = 1 }: EventBody<'update.finished'>,
): EditView[] {
  const byEdit = new Map(reports.map(report => [report.edit, report]))
  return before.map(edit => {
    const report = byEdit.get(edit.id)
    if (report) return { ...edit, candidate, fate: report.status, reason: report.reason, match: report.match }
    return from.includes(edit.id) ? { ...edit, candidate, fate: 'selected' } : edit
  })
}

export function editsOfAttribution(
  before: readonly EditView[],
  { edits }: EventBody<'attribution.finished'>,
): EditView[] {
  return before.map(edit => ({ ...edit, attribution: edits.find(each => each.edits.includes(edit.id)) }))
}

export function gateOf(body: EventBody<'gate.decided'>): GateView {
  const { decision, complete, reason, effect } = body.verdict
  return {
    candidate: body.candidate,
    current: body.current,
    score: body.score,
    best: body.best,
    action: body.action,
    verdict: { decision, complete, reason, ...(effect ? { effect } : {}) },
  }
}

export function attributionOf(body: EventBody<'attribution.finished'>): AttributionView {
  const { candidate, skill, score, tasks, rounds, attempts, reasoning } = body
  return { candidate, skill, score, tasks, rounds, attempts, reasoning }
}
