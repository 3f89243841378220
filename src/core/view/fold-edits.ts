import type { EventBody } from '../log/event.js'
import { shownScore } from './gate-estimate.js'
import type { EditView, GateView } from './run-view.js'

type Edit = EventBody<'aggregate.finished'>['edits'][number]

/**
 * Maximum task ids kept per edit. A merged edit may have evidence from every task of a batch, and a view of
 * 100,000 attempts must not hold all their ids.
 */
const tasksKept = 12

export function editView(edit: Edit, fate: EditView['fate']): EditView {
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
  }
}

export function editsOfAggregate({ edits, reminders }: EventBody<'aggregate.finished'>): EditView[] {
  return [
    ...edits.map(edit => editView(edit, 'merged')),
    ...(reminders ?? []).map(edit => editView(edit, 'selected')),
  ]
}

/** Selected edits first, in the order in which they will be applied. */
export function editsOfSelect(before: readonly EditView[], body: EventBody<'select.finished'>): EditView[] {
  const selected = new Set(body.edits.map(edit => edit.id))
  const rest = before
    .filter(edit => !selected.has(edit.id))
    .map(edit => (edit.op === 'remind' ? edit : { ...edit, fate: 'dropped' as const }))
  return [...body.edits.map(edit => editView(edit, 'selected')), ...rest]
}

/** Adds the rewrite that combines the suggestions, since the rewrite is what will be applied. */
export function editsOfRewrite(before: readonly EditView[], edit: Edit | undefined): readonly EditView[] {
  return edit === undefined ? before : [editView(edit, 'selected'), ...before]
}

export function editsOfUpdate(
  before: readonly EditView[],
  { reports }: EventBody<'update.finished'>,
): EditView[] {
  const byEdit = new Map(reports.map(report => [report.edit, report]))
  return before.map(edit => {
    const report = byEdit.get(edit.id)
    return report ? { ...edit, fate: report.status, reason: report.reason, match: report.match } : edit
  })
}

export function gateOf(body: EventBody<'gate.decided'>): GateView {
  const { decision, complete, reason, effect, tasks } = body.verdict
  return {
    candidate: body.candidate,
    current: body.current,
    score: shownScore(body),
    best: body.best,
    action: body.action,
    verdict: { decision, complete, reason, effect, tasks },
  }
}
